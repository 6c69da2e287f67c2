// A closed loop: computed torque of a model that may differ from the plant, in control periods of whole implicit steps.
// Loops only, all arithmetic is in the generated steps.

#pragma once

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "batches.hpp"
#include "commands.hpp"
#include "memory.hpp"

namespace continuarm {

struct TrackingGains {
    double per_length, per_rate, per_sum;       // of the acceleration: 1/s², 1/s, 1/s³
    double rate_per_length, one, rate_per_sum;  // of the velocity that dampers are made up for: 1/s, 1, 1/s²
    double highest, change;                     // Pa: the highest command, and its largest change in a period
};

class ClosedLoop {
public:
    // leads: what the model's valves do in the time after which a pressure is to be there.
    ClosedLoop(const PlantMemory& plant, const PlantMemory& model, const Rows& leads, const Kernels& kernels,
               std::vector<double> start, double step, long steps_per_period, const TrackingGains& gains)
        : plant_(plant.plant()),
          model_(model.plant()),
          kernels_(kernels),
          state_(std::move(start)),
          step_(step),
          steps_(steps_per_period),
          period_(step * double(steps_per_period)),
          gains_(gains),
          row_(std::size_t(plant.commands()), 0.0),
          command_(std::size_t(plant_.muscle_count()), 0.0),
          sums_(std::size_t(plant_.size()), 0.0),
          qdd_(sums_),
          tau_(sums_) {
        for (const std::vector<double>& lead : leads) append(lead, leads_);
        if (long(state_.size()) != plant_.width || model_.size() != plant_.size() || steps_ < 1 ||
            model_.muscle_count() != plant_.muscle_count() || plant_.muscle_count() != plant_.size() ||
            long(leads_.size()) != plant_.muscle_count())
            throw std::invalid_argument("a closed loop's numbers do not fit together");
    }
    ClosedLoop(const ClosedLoop&) = delete;
    ClosedLoop& operator=(const ClosedLoop&) = delete;

    // Periods of goals (periods, 3, size): position, velocity and acceleration. commands: what drives the plant beside
    // the controller, (periods · steps, commands). Out: states after every step, and the commands of every period.
    // Steps that were made.
    long advance(const double* goals, const double* commands, long periods, double* states, double* asked) {
        const long size = plant_.size(), muscles = plant_.muscle_count(), width = plant_.command_width;
        for (long k = 0; k < periods; ++k) {
            if (!ask(goals + k * 3 * size)) return k * steps_;
            std::copy(command_.begin(), command_.end(), asked + k * muscles);
            for (long s = k * steps_; s < (k + 1) * steps_; ++s) {
                std::copy(commands + s * width, commands + (s + 1) * width, row_.data());
                for (long j = 0; j < muscles; ++j) row_[std::size_t(j)] += command_[std::size_t(j)];
                before_ = state_;
                if (!kernels_.step(plant_, row_.data(), step_, state_.data(), workspace_.of(work_size(plant_))))
                    return s;
                std::copy(state_.begin(), state_.end(), states + s * plant_.width);
            }
        }
        return periods * steps_;
    }

    const std::vector<double>& state() const { return state_; }
    // Where a step could not be made.
    const std::vector<double>& refused() const { return before_; }
    long width() const { return plant_.width; }
    long size() const { return plant_.size(); }
    long steps() const { return steps_; }
    long muscles() const { return plant_.muscle_count(); }
    long command_width() const { return plant_.command_width; }

private:
    bool ask(const double* goal) {
        const long size = plant_.size();
        const double *q = state_.data(), *qd = q + size;
        const double change = asked_ ? gains_.change : gains_.highest;  // from the first answer on
        for (long i = 0; i < size; i += 3)
            scalar::wanted_rate(goal + i, goal + size + i, goal + 2 * size + i, q + i, qd + i, &sums_[std::size_t(i)],
                                &gains_.per_length, &gains_.per_rate, &gains_.per_sum, &qdd_[std::size_t(i)]);
        Request request{};
        request.quantity = inverse_dynamics;
        request.inputs[0] = q;
        request.inputs[1] = qd;
        request.inputs[2] = qdd_.data();
        request.output = tau_.data();
        request.last = 1;
        before_ = state_;
        if (run_here(*model_.arm, request) != Outcome::done) return false;
        for (long i = 0; i < size; i += 3) {
            // dampers at the wanted velocity, the same law one derivative lower: what damps the arm is not cancelled
            const double still[3] = {0.0, 0.0, 0.0};
            double faster[3], force[3];
            scalar::wanted_rate(goal + i, goal + size + i, still, q + i, qd + i, &sums_[std::size_t(i)],
                                &gains_.rate_per_length, &gains_.one, &gains_.rate_per_sum, faster);
            scalar::damper(model_.arm->sections[i / 3], faster, force);
            for (long j = 0; j < 3; ++j) tau_[std::size_t(i + j)] += force[j];
            bool all_push = true;
            for (long j = i; j < i + 3; ++j) {
                const bool remembered = plant_.remembers && model_.muscles[j].loop_a > 0.0;
                const double hysteresis = remembered ? state_[std::size_t(plant_.hysteresis + j)] : 0.0;
                double& last = command_[std::size_t(j)];
                const double pressure = plant_.lags(j) ? state_[std::size_t(plant_.pressures + j)] : last;
                double saturated;
                scalar::muscle_command(model_.muscles[j], leads_[std::size_t(j)], &tau_[std::size_t(j)], &hysteresis,
                                       q + i, &pressure, &last, &gains_.highest, &change, &last, &saturated);
                all_push &= saturated == 0.0;
            }
            // what saturates is not summed up
            if (all_push && asked_)
                scalar::summed(goal + i, q + i, &sums_[std::size_t(i)], &period_, &sums_[std::size_t(i)]);
        }
        asked_ = true;
        return true;
    }

    const Plant &plant_, &model_;
    const Kernels& kernels_;
    std::vector<double> state_, before_;
    const double step_;
    const long steps_;
    const double period_;
    const TrackingGains gains_;
    std::vector<double> row_, command_, sums_, qdd_, tau_;
    std::vector<ValveStep<double>> leads_;
    bool asked_ = false;
    Workspace workspace_;
};

}  // namespace continuarm
