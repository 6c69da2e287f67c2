#pragma once
#include <rclcpp/rclcpp.hpp>
#include <string>
namespace std_msgs::msg {
struct Header {
    rclcpp::Time stamp;
    std::string frame_id;
};
}  // namespace std_msgs::msg
