// What the exported node uses of rclcpp, declared so that a compiler can read the node where there is no ROS.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
namespace rclcpp {
struct Time {};
struct Logger {};
struct Clock {};
template <class Message>
struct Publisher {
    typedef std::shared_ptr<Publisher> SharedPtr;
    void publish(const Message&);
};
template <class Message>
struct Subscription {
    typedef std::shared_ptr<Subscription> SharedPtr;
};
template <class Kind>
struct Service {
    typedef std::shared_ptr<Service> SharedPtr;
};
struct TimerBase {
    typedef std::shared_ptr<TimerBase> SharedPtr;
};
struct Node {
    explicit Node(const std::string&);
    virtual ~Node();
    template <class Value>
    Value declare_parameter(const std::string&, const Value&);
    template <class Message>
    typename Publisher<Message>::SharedPtr create_publisher(const std::string&, int);
    template <class Message>
    typename Subscription<Message>::SharedPtr create_subscription(
        const std::string&, int, std::function<void(typename Message::ConstSharedPtr)>);
    template <class Kind>
    typename Service<Kind>::SharedPtr create_service(
        const std::string&, std::function<void(std::shared_ptr<typename Kind::Request>,
                                               std::shared_ptr<typename Kind::Response>)>);
    TimerBase::SharedPtr create_wall_timer(std::chrono::nanoseconds, std::function<void()>);
    Logger get_logger();
    std::shared_ptr<Clock> get_clock();
    Time now();
};
void init(int, char**);
void spin(std::shared_ptr<Node>);
void shutdown();
}  // namespace rclcpp
#define RCLCPP_WARN(logger, ...) ((void)(logger), (void)sizeof(printf(__VA_ARGS__)))
#define RCLCPP_ERROR_THROTTLE(logger, clock, duration, ...) ((void)(logger), (void)(clock), (void)sizeof(printf(__VA_ARGS__)))
#include <cstdio>
