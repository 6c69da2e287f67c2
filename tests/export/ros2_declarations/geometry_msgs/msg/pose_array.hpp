#pragma once
#include <std_msgs/msg/header.hpp>
#include <vector>
namespace geometry_msgs::msg {
struct Vector3 {
    double x, y, z;
};
struct Quaternion {
    double x, y, z, w;
};
struct Pose {
    Vector3 position;
    Quaternion orientation;
};
struct PoseArray {
    std_msgs::msg::Header header;
    std::vector<Pose> poses;
};
}  // namespace geometry_msgs::msg
