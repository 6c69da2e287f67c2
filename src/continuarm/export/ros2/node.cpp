// A node that simulates the arm in real time: pressures and a wrench in, muscles and tips out.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>

#include <geometry_msgs/msg/pose_array.hpp>
#include <geometry_msgs/msg/wrench_stamped.hpp>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_msgs/msg/float64_multi_array.hpp>
#include <std_srvs/srv/trigger.hpp>
#if __has_include(<tf2/LinearMath/Quaternion.hpp>)
#include <tf2/LinearMath/Matrix3x3.hpp>
#include <tf2/LinearMath/Quaternion.hpp>
#else  // of older releases
#include <tf2/LinearMath/Matrix3x3.h>
#include <tf2/LinearMath/Quaternion.h>
#endif

#include "@PREFIX@_core.hpp"

class ArmNode : public rclcpp::Node {
public:
    ArmNode() : rclcpp::Node("@PREFIX@") {
        const double rate = declare_parameter<double>("publish_rate", 100.0);  // Hz
        frame_ = declare_parameter<std::string>("frame_id", "world");
        steps_ = std::max(1, static_cast<int>(std::lround(1.0 / (rate * @PREFIX@::step))));
        muscles_ = create_publisher<sensor_msgs::msg::JointState>("muscles", 10);
        tips_ = create_publisher<geometry_msgs::msg::PoseArray>("tips", 10);
        pressures_ = create_subscription<std_msgs::msg::Float64MultiArray>(
            "pressures", 10, [this](std_msgs::msg::Float64MultiArray::ConstSharedPtr message) {
                if (!core_.set_pressures(message->data))
                    RCLCPP_WARN(get_logger(), "%zu pressures: must be %zu, one for each muscle, in Pa",
                                message->data.size(), @PREFIX@::muscles);
            });
        wrench_ = create_subscription<geometry_msgs::msg::WrenchStamped>(
            "wrench", 10, [this](geometry_msgs::msg::WrenchStamped::ConstSharedPtr message) {
                const auto& of = message->wrench;
                core_.set_wrench({of.torque.x, of.torque.y, of.torque.z, of.force.x, of.force.y, of.force.z});
            });
        reset_ = create_service<std_srvs::srv::Trigger>(
            "reset", [this](const std::shared_ptr<std_srvs::srv::Trigger::Request>,
                            std::shared_ptr<std_srvs::srv::Trigger::Response> response) {
                core_.reset();
                response->success = true;
            });
        const auto period = std::chrono::duration<double>(steps_ * @PREFIX@::step);
        timer_ = create_wall_timer(std::chrono::duration_cast<std::chrono::nanoseconds>(period), [this]() { tick(); });
    }

private:
    void tick() {
        if (!core_.advance(steps_))
            RCLCPP_ERROR_THROTTLE(get_logger(), *get_clock(), 1000, "the arm stands where its model ends");
        sensor_msgs::msg::JointState muscles;
        muscles.header.stamp = now();
        muscles.header.frame_id = frame_;
        muscles.name.assign(@PREFIX@::muscle_names.begin(), @PREFIX@::muscle_names.end());
        muscles.position = core_.lengths();
        muscles.velocity = core_.rates();
        muscles_->publish(muscles);
        geometry_msgs::msg::PoseArray tips;
        tips.header = muscles.header;
        for (std::size_t i = 0; i < @MACRO@_SECTIONS; ++i) {
            const double* at = core_.pose(i);
            tf2::Quaternion turned;
            tf2::Matrix3x3(at[0], at[1], at[2], at[4], at[5], at[6], at[8], at[9], at[10]).getRotation(turned);
            geometry_msgs::msg::Pose pose;
            pose.position.x = at[3];
            pose.position.y = at[7];
            pose.position.z = at[11];
            pose.orientation.x = turned.x();
            pose.orientation.y = turned.y();
            pose.orientation.z = turned.z();
            pose.orientation.w = turned.w();
            tips.poses.push_back(pose);
        }
        tips_->publish(tips);
    }

    @PREFIX@::Core core_;
    std::string frame_;
    int steps_;
    rclcpp::Publisher<sensor_msgs::msg::JointState>::SharedPtr muscles_;
    rclcpp::Publisher<geometry_msgs::msg::PoseArray>::SharedPtr tips_;
    rclcpp::Subscription<std_msgs::msg::Float64MultiArray>::SharedPtr pressures_;
    rclcpp::Subscription<geometry_msgs::msg::WrenchStamped>::SharedPtr wrench_;
    rclcpp::Service<std_srvs::srv::Trigger>::SharedPtr reset_;
    rclcpp::TimerBase::SharedPtr timer_;
};

int main(int argc, char** argv) {
    rclcpp::init(argc, argv);
    rclcpp::spin(std::make_shared<ArmNode>());
    rclcpp::shutdown();
    return 0;
}
