// The arm that a node moves: states and commands around the C sources, without ROS.

#pragma once

#include <array>
#include <cstddef>
#include <vector>

extern "C" {
#include "@PREFIX@.h"
}

namespace @PREFIX@ {

constexpr double step = @MACRO@_STEP;  // s
constexpr std::size_t muscles = @MUSCLES@;
inline const std::array<const char*, muscles> muscle_names = {@NAMES@};

class Core {
public:
    // Pressures at the valves, Pa; false, and nothing changes, unless there is one for every muscle.
    bool set_pressures(const std::vector<double>& pressures) {
        if (pressures.size() != muscles) return false;
        for (std::size_t j = 0; j < muscles; ++j) commands_[j] = pressures[j];
        return true;
    }

    // Moment, N m, and force, N, on the last tip, world axes.
    void set_wrench(const std::array<double, 6>& wrench) {
        for (std::size_t k = 0; k < 6; ++k) commands_[@MACRO@_COMMANDS_WRENCH + k] = wrench[k];
    }

    // So many steps further. Where the model ends the arm stays where it was before that step, and it is false.
    bool advance(int steps) {
        for (int k = 0; k < steps; ++k) {
            std::array<double, @MACRO@_STATE> next = state_;
            if (@PREFIX@_implicit_step(commands_.data(), next.data(), &work_) != @MACRO@_OK) return false;
            if (@PREFIX@_poses(next.data(), poses_.data(), &work_) != @MACRO@_OK) return false;
            state_ = next;
        }
        return true;
    }

    void reset() { state_.fill(0.0); }

    // Length changes of all muscles, m, or their rates, m/s.
    std::vector<double> lengths() { return along_muscles(state_.data()); }
    std::vector<double> rates() { return along_muscles(state_.data() + @MACRO@_COORDINATES); }

    // The pose of a tip in the world frame, (4, 4) row by row.
    const double* pose(std::size_t section) {
        @PREFIX@_poses(state_.data(), poses_.data(), &work_);
        return poses_.data() + 16 * section;
    }

    const std::array<double, @MACRO@_STATE>& state() const { return state_; }

private:
    std::vector<double> along_muscles(const double* q) {
        std::vector<double> found(muscles);
        @PREFIX@_muscle_lengths(q, found.data(), &work_);
        return found;
    }

    std::array<double, @MACRO@_STATE> state_{};
    std::array<double, @MACRO@_COMMANDS> commands_{};
    std::array<double, @MACRO@_POSES> poses_{};
    @PREFIX@_workspace work_{};
};

}  // namespace @PREFIX@
