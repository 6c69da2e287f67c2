// Motions in progress: a plant under commands over time, advanced by one of the solvers that are here.

#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "adaptive.hpp"
#include "commands.hpp"
#include "memory.hpp"

namespace continuarm {

// A plant under commands over time; what backward differences integrate.
class DrivenPlant {
public:
    DrivenPlant(const PlantMemory& memory, const Kernels& kernels, const std::vector<double>& constant_slopes = {},
                std::vector<double> threshold_slopes = {})
        : plant_(memory.plant()),
          kernels_(kernels),
          slopes_(memory, kernels, constant_slopes, std::move(threshold_slopes)),
          relaxing_(int(memory.relaxing())),
          row_(std::size_t(memory.commands()), 0.0),
          newton_(memory.plant()) {
        const double begin = 0.0;
        commands_ = CommandsOverTime(&begin, row_.data(), row_.data(), 1, row_.size());  // nothing, until it is driven
    }

    int size() const { return int(plant_.size()); }
    int relaxing() const { return relaxing_; }
    // Of a state, and of a state with its slopes by all parameters one after the other.
    long width() const { return plant_.width; }
    long whole_width() const { return (1 + slopes_.count()) * plant_.width; }
    long parameters() const { return slopes_.count(); }
    const DifferenceLoops& loops() const { return kernels_.differences; }
    bool kinks() const { return plant_.arm->first_stop[plant_.arm->n] > 0; }
    const std::vector<double>& refused() const { return refused_; }
    const Plant& plant() const { return plant_; }

    void drive(CommandsOverTime commands) {
        commands_ = std::move(commands);
        segment_ = 0;
        row_is_of_ = -1;
    }
    bool is_last_segment() const { return commands_.last(segment_); }
    double until() const { return commands_.until(segment_); }
    // On to the next commands; whether they jump there.
    bool next_segment() { return commands_.jumps_after(segment_++); }

    bool rate(double t, const double* y, double* out) {
        if (!slopes_.count()) return kept(kernels_.rate(plant_, row_at(t), y, out, work()), y);
        return kept(kernels_.sloped_rate(plant_, slopes_.constants(), slopes_.count(), row_at(t), y, out,
                                         workspace_.of(sloped_work_size(plant_))),
                    y);
    }
    bool linearize(double t, const double* y) {
        return kept(kernels_.linearize(plant_, row_at(t), y, newton_.parts()), y);
    }
    void tangent(double t, const double* y) { kernels_.tangent(plant_, row_at(t), y, newton_.parts()); }
    bool jumped(const double* y) { return kernels_.stops_changed(plant_, y, newton_.parts()); }
    bool eliminate(double part) { return kernels_.eliminate(plant_, part, newton_.parts()); }
    void correct(double part, double* residual) {
        for (long k = 0; k <= slopes_.count(); ++k)
            kernels_.correct(plant_, part, newton_.parts(), residual + k * width());
    }

    // A step in place, under the mean of the commands.
    bool step(double from, double to, double length, const std::vector<double>& thresholds, double* y) {
        before_.assign(y, y + width());
        if (slopes_.count() ? step_with_slopes(from, to, length, thresholds, y)
                            : plain_step(from, to, length, thresholds, y))
            return true;
        // where the step gave no numbers, the state before it is the reason
        const bool made = std::all_of(y, y + width(), [](double each) { return std::isfinite(each); });
        refused_.assign(made ? y : before_.data(), (made ? y : before_.data()) + width());
        return false;
    }

private:
    bool plain_step(double from, double to, double length, const std::vector<double>& thresholds, double* y) {
        commands_.mean(from, to, thresholds, segment_, row_.data());
        return kernels_.step(plant_, row_.data(), length, y, work());
    }

    bool step_with_slopes(double from, double to, double length, const std::vector<double>& thresholds, double* y) {
        const bool divided = commands_.divide(from, to, segment_);
        if (divided)
            take_mean_with_slopes(from, to, thresholds);
        else
            commands_.mean(from, to, thresholds, segment_, row_.data());
        return kernels_.sloped_step(plant_, slopes_.constants(), slopes_.count(), row_.data(),
                                    divided ? command_slopes_.data() : nullptr, length, y,
                                    workspace_.of(sloped_work_size(plant_)));
    }

    // Where a jump divides a step, the mean of a command changes with its own threshold.
    void take_mean_with_slopes(double from, double to, const std::vector<double>& thresholds) {
        const long count = slopes_.count();
        std::vector<scalar::Dual> edges(thresholds.begin(), thresholds.end()), mean(row_.size());
        for (scalar::Dual& each : edges) each.slope[0] = 1.0;
        commands_.mean(from, to, edges, segment_, mean.data());
        command_slopes_.assign(row_.size() * std::size_t(count), 0.0);
        for (std::size_t i = 0; i < row_.size(); ++i) {
            row_[i] = mean[i].value();
            for (long k = 0; i < edges.size() && k < count; ++k)
                command_slopes_[i * std::size_t(count) + std::size_t(k)] =
                    mean[i].slope[0] * slopes_.threshold(long(i), k);
        }
    }

    double* work() { return workspace_.of(work_size(plant_)); }
    bool kept(bool holds, const double* y) {
        if (!holds) refused_.assign(y, y + width());
        return holds;
    }
    const double* row_at(double t) {
        if (row_is_of_ != long(segment_)) {
            commands_.at(t, segment_, row_.data());
            if (commands_.is_held(segment_)) row_is_of_ = long(segment_);
        }
        return row_.data();
    }

    const Plant& plant_;
    const Kernels& kernels_;
    const SlopesMemory slopes_;
    const int relaxing_;
    CommandsOverTime commands_;
    std::size_t segment_ = 0;
    long row_is_of_ = -1;  // the segment whose commands, all held, the row has already
    std::vector<double> row_, refused_, before_, command_slopes_;
    Workspace workspace_;
    NewtonMemory newton_;
};

// A motion in progress, its steps as long as the tolerances allow. States are followed by their slopes, where there are
// any.
class AdaptiveMotion {
public:
    AdaptiveMotion(const PlantMemory& memory, const Kernels& kernels, const std::vector<double>& start, double rtol,
                   const std::vector<double>& atol, double longest_step, int highest_order,
                   const std::vector<double>& constant_slopes = {}, std::vector<double> threshold_slopes = {})
        : system_(memory, kernels, constant_slopes, std::move(threshold_slopes)),
          solver_(system_, start.data(), rtol, atol, longest_step, highest_order) {}
    AdaptiveMotion(const AdaptiveMotion&) = delete;
    AdaptiveMotion& operator=(const AdaptiveMotion&) = delete;

    void drive(CommandsOverTime commands) {
        system_.drive(std::move(commands));
        solver_.restart(limit());
    }

    // States at ascending times, as many as the seconds and steps, taken or rejected, allow: rows written. Whoever
    // called may then look whether the user wants to stop, and come back.
    long advance(const double* times, long count, double* states, double seconds, double steps) {
        const auto began = std::chrono::steady_clock::now();
        const auto made = [this] { return double(solver_.counts().steps + solver_.counts().rejected); };
        const double most = made() + steps;
        const long every = std::max(1, 192 / system_.size());  // rounds between two looks at the clock
        long row = 0, rounds = 0;
        while (row < count) {
            if (++rounds % every == 0 &&
                std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() > seconds)
                return row;
            if (solver_.time() >= times[row]) {
                solver_.at(times[row], states + row * system_.whole_width());
                ++row;
                continue;
            }
            if (made() >= most) return row;
            if (!system_.is_last_segment() && solver_.time() >= system_.until() && system_.next_segment())
                solver_.restart(limit());
            if (!solver_.step(std::fmax(limit(), std::nextafter(solver_.time(), 1e300)))) {
                failed_ = true;
                return row;
            }
        }
        return row;
    }

    bool failed() const { return failed_; }
    double time() const { return solver_.time(); }
    const BackwardDifferences<DrivenPlant>::Counts& counts() const { return solver_.counts(); }
    std::vector<double> state() const { return {solver_.state(), solver_.state() + system_.whole_width()}; }
    const std::vector<double>& refused() const { return system_.refused(); }
    long commands() const { return system_.plant().command_width; }

private:
    double limit() const { return system_.is_last_segment() ? solver_.time() + 1e6 : system_.until(); }

    DrivenPlant system_;
    BackwardDifferences<DrivenPlant> solver_;
    bool failed_ = false;
};

// A motion in progress, in implicit steps of one length. States are followed by their slopes, where there are any.
class SteppedMotion {
public:
    SteppedMotion(const PlantMemory& memory, const Kernels& kernels, std::vector<double> start,
                  std::vector<double> thresholds, double step, const std::vector<double>& constant_slopes = {},
                  std::vector<double> threshold_slopes = {})
        : system_(memory, kernels, constant_slopes, std::move(threshold_slopes)),
          state_(std::move(start)),
          thresholds_(std::move(thresholds)),
          step_(step) {
        if (long(state_.size()) != system_.whole_width())
            throw std::invalid_argument("a state and its slopes do not fit together");
    }
    SteppedMotion(const SteppedMotion&) = delete;
    SteppedMotion& operator=(const SteppedMotion&) = delete;

    void drive(CommandsOverTime commands) { system_.drive(std::move(commands)); }

    // A step for each row of states: rows written.
    long advance(double* states, long count) {
        for (long row = 0; row < count; ++row) {
            if (!system_.step(double(done_) * step_, double(done_ + 1) * step_, step_, thresholds_, state_.data()))
                return row;
            std::copy(state_.begin(), state_.end(), states + row * system_.whole_width());
            ++done_;
        }
        return count;
    }

    const std::vector<double>& state() const { return state_; }
    const std::vector<double>& refused() const { return system_.refused(); }
    long commands() const { return system_.plant().command_width; }

private:
    DrivenPlant system_;
    std::vector<double> state_, thresholds_;
    double step_;
    long done_ = 0;
};

}  // namespace continuarm
