#pragma once
#include "Quaternion.h"
namespace tf2 {
struct Matrix3x3 {
    Matrix3x3(const double&, const double&, const double&, const double&, const double&, const double&, const double&,
              const double&, const double&);
    void getRotation(Quaternion&) const;
};
}  // namespace tf2
