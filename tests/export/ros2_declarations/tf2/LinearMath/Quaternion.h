#pragma once
namespace tf2 {
struct Quaternion {
    double x() const, y() const, z() const, w() const;
};
}  // namespace tf2
