#pragma once
#include <geometry_msgs/msg/pose_array.hpp>
#include <memory>
namespace geometry_msgs::msg {
struct Wrench {
    Vector3 force, torque;
};
struct WrenchStamped {
    typedef std::shared_ptr<const WrenchStamped> ConstSharedPtr;
    std_msgs::msg::Header header;
    Wrench wrench;
};
}  // namespace geometry_msgs::msg
