#pragma once
#include <memory>
#include <vector>
namespace std_msgs::msg {
struct Float64MultiArray {
    typedef std::shared_ptr<const Float64MultiArray> ConstSharedPtr;
    std::vector<double> data;
};
}  // namespace std_msgs::msg
