// What moves: an arm with its muscles, told pressures, forces and a wrench at its tip. Loops only: the arithmetic is in
// the generated steps, and in the kernels of the instruction set.

#pragma once

#define CONTINUARM_LEVEL scalar  // the steps for one double, in a namespace of their own
#include "numbers.hpp"
#include "steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "arm.hpp"

namespace continuarm {

// One quantity at one state by the kernels: false where the model does not hold.
typedef std::function<bool(const Request&)> Kernel;

class Plant {
public:
    // A muscle: its section, its row of the muscle map, and its constants in the order of muscles.py.
    struct Actuator {
        int section;
        double row[3];
        double constants[scalar::actuator_size];
        bool lagged;
    };

    Plant(const Arm& arm, Kernel kernel, std::vector<Actuator> actuators, bool remembers)
        : arm_(arm), kernel_(std::move(kernel)), actuators_(std::move(actuators)), remembers_(remembers) {
        tau_.assign(size(), 0.0);
        jacobian_.assign(18 * std::size_t(arm.n) * std::size_t(arm.n), 0.0);
        for (const Actuator& each : actuators_)
            if (each.section < 0 || each.section >= arm.n) throw std::invalid_argument("a muscle of no section");
    }

    // y = (q, v, [pressures, hysteresis], supplied, dissipated); commands = (pressures, forces, moment, force).
    std::size_t size() const { return 3 * std::size_t(arm_.n); }
    std::size_t muscles() const { return actuators_.size(); }
    std::size_t memory() const { return remembers_ ? 2 * muscles() : 0; }
    std::size_t width() const { return 2 * size() + memory() + 2; }
    std::size_t commands() const { return muscles() + size() + 6; }
    const Arm& arm() const { return arm_; }

    // Pressures at which muscles begin to push; a valve that lags averages all pressures by itself.
    std::vector<double> thresholds() const {
        std::vector<double> found;
        for (const Actuator& each : actuators_) found.push_back(each.lagged ? 0.0 : each.constants[1]);
        return found;
    }
    const std::vector<double>& refused() const { return refused_; }

    bool rate(const double* u, const double* y, double* out) {
        const double *q = y, *v = y + size();
        double supplied = outside(u, q, v), dissipated = 0.0;
        for (std::size_t j = 0; j < muscles(); ++j) {
            const double pressure = pressure_of(j, u, y), held = held_by(j, y);
            if (!remembers_ && pressure == 0.0) continue;
            const Answer found = ask(j, u, pressure, held, q, v);
            push(j, found.push - held);
            supplied += found.push * found.rate;
            dissipated += held * found.rate;
            if (remembers_) {
                out[2 * size() + j] = found.pressure_rate;
                out[2 * size() + muscles() + j] = found.held_rate;
            }
        }
        std::copy(v, v + size(), out);
        out[width() - 2] = supplied;
        out[width() - 1] = dissipated + lost(v);
        return ask_kernel(forward_dynamics, q, v, tau_.data(), out + size(), 0.0, y);
    }

    bool mass(const double* y, double* out) { return ask_kernel(mass_matrix, y, nullptr, nullptr, out, 0.0, y); }

    // K over q with stops and muscles, and how fast valves and hysteresis relax.
    void stiffness(const double* u, const double* y, double* stiffness, double* relaxation) {
        const double *q = y, *v = y + size();
        std::fill(stiffness, stiffness + size() * size(), 0.0);
        const double one[1] = {1.0};
        for (int i = 0; i < arm_.n; ++i) {
            double block[9];
            spring_blocks(i, block);
            for (int k = arm_.first_stop[i]; k < arm_.first_stop[i + 1]; ++k) {
                double extra[6];
                const Stop& stop = arm_.stops[k];
                scalar::stop_extra(stop.muscle, stop.limits, stop.stiffness, one, q + 3 * i, extra);
                constexpr int at[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
                for (int e = 0; e < 9; ++e) block[e] += extra[at[e]];
            }
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c) entry(stiffness, i, r, c) = block[3 * r + c];
        }
        for (std::size_t j = 0; j < muscles(); ++j) {
            const Actuator& muscle = actuators_[j];
            const double pressure = pressure_of(j, u, y);
            const Answer found = ask(j, u, pressure, held_by(j, y), q, v);
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    entry(stiffness, muscle.section, r, c) += found.stiffness * muscle.row[r] * muscle.row[c];
            if (remembers_) {
                relaxation[j] = muscle.constants[3];
                relaxation[muscles() + j] = found.forgetting;
            }
        }
    }

    // One implicit step in place, with commands that are means over it. Valves are followed exactly, muscles and wrench
    // are taken half a step ahead.
    bool step(const double* u, double h, double* y) {
        double *q = y, *v = y + size(), *pressures = y + 2 * size(), *helds = pressures + muscles();
        ahead_.assign(y, y + width());
        for (std::size_t j = 0; j < size(); ++j) ahead_[j] += h / 2 * v[j];
        for (std::size_t j = 0; j < memory() / 2; ++j)
            if (const double valve = actuators_[j].constants[3]; valve > 0) {
                const double off = pressures[j] - u[j], left = std::exp(-h * valve);
                ahead_[2 * size() + j] = u[j] + off * (1 - left) / (h * valve);  // the mean over the step
                pressures[j] = u[j] + off * left;
            }
        outside(u, ahead_.data(), v);
        for (std::size_t j = 0; j < muscles(); ++j) {
            const double pressure = pressure_of(j, u, ahead_.data()), held = held_by(j, y);
            if (!remembers_ && pressure == 0.0) continue;
            const Answer found = ask(j, u, pressure, held, ahead_.data(), v);
            const double halfway = held + h / 2 * found.held_rate;
            push(j, found.push - halfway);
            if (remembers_) ahead_[2 * size() + muscles() + j] = halfway;
        }
        after_.resize(2 * size());
        if (!ask_kernel(implicit_step, q, v, tau_.data(), after_.data(), h, y)) return false;
        double supplied = 0.0, dissipated = 0.0;
        for (std::size_t j = 0; j < size(); ++j) {
            ahead_[j] = after_[j] - q[j];
            supplied += tau_[j] * ahead_[j];
        }
        for (std::size_t j = 0; j < memory() / 2; ++j) {
            const double halfway = held_by(j, ahead_.data()), moved = along(j, ahead_.data());
            dissipated += halfway * moved;
            helds[j] += h * ask(j, u, 0.0, halfway, 0.0, moved / h).held_rate;
        }
        std::copy(after_.begin(), after_.end(), y);
        y[width() - 2] += supplied + dissipated;  // tau is what is left after hysteresis
        y[width() - 1] += dissipated + lost(ahead_.data()) / h;
        if (margin(y) > 0.0) return true;
        refused_.assign(y, y + width());
        return false;
    }

    // How far the nearest section is from where the model ends: 1 when straight, 0 at a full turn or of no length.
    double margin(const double* y) const {
        double least = 1.0;
        for (int i = 0; i < arm_.n; ++i) {
            double bend, length;
            const double* section = arm_.sections + long(i) * scalar::section_size;
            scalar::arc(section, y + 3 * i, &bend, &length);
            least = std::fmin(least, std::fmin(1 - bend / full_turn_squared, length));
            if (!std::isfinite(bend + length)) return -1.0;
        }
        return least;
    }

private:
    struct Answer {
        double push, pressure_rate, held_rate, stiffness, forgetting, rate;
    };

    double& entry(double* matrix, int section, int r, int c) const {
        return matrix[std::size_t(3 * section + r) * size() + std::size_t(3 * section + c)];
    }

    // K_e of a section: what its springs do over a unit of each length.
    void spring_blocks(int i, double* block) const {
        for (int c = 0; c < 3; ++c) {
            double unit[3] = {0.0, 0.0, 0.0}, force[3], energy;
            unit[c] = 1.0;
            scalar::spring(arm_.sections + long(i) * scalar::section_size, unit, force, &energy);
            for (int r = 0; r < 3; ++r) block[3 * r + c] = force[r];
        }
    }

    double pressure_of(std::size_t j, const double* u, const double* y) const {
        return actuators_[j].lagged ? y[2 * size() + j] : u[j];
    }
    double held_by(std::size_t j, const double* y) const { return remembers_ ? y[2 * size() + muscles() + j] : 0.0; }

    double along(std::size_t j, const double* q) const {
        const Actuator& muscle = actuators_[j];
        const double* mine = q + 3 * muscle.section;
        return muscle.row[0] * mine[0] + muscle.row[1] * mine[1] + muscle.row[2] * mine[2];
    }

    Answer ask(std::size_t j, const double* u, double pressure, double held, const double* q, const double* v) const {
        return ask(j, u, pressure, held, along(j, q), along(j, v));
    }
    Answer ask(std::size_t j, const double* u, double pressure, double held, double length, double rate) const {
        Answer found;
        found.rate = rate;
        scalar::actuate(actuators_[j].constants, u + j, &pressure, &held, &length, &found.rate, &found.push,
                        &found.pressure_rate, &found.held_rate, &found.stiffness, &found.forgetting);
        return found;
    }

    void push(std::size_t j, double force) {
        const Actuator& muscle = actuators_[j];
        for (int c = 0; c < 3; ++c) tau_[std::size_t(3 * muscle.section + c)] += force * muscle.row[c];
    }

    // Forces and wrench from outside into tau_; their power.
    double outside(const double* u, const double* q, const double* v) {
        const double *forces = u + muscles(), *wrench = forces + size();
        std::copy(forces, forces + size(), tau_.begin());
        if (std::any_of(wrench, wrench + 6, [](double each) { return each != 0.0; })) {
            Request request{};
            request.quantity = tip_jacobian;
            request.inputs[0] = q;
            request.output = jacobian_.data();
            request.last = 1;
            if (kernel_(request)) {
                const double* last = jacobian_.data() + 6 * size() * (std::size_t(arm_.n) - 1);
                for (std::size_t r = 0; r < 6; ++r)
                    for (std::size_t j = 0; j < size(); ++j) tau_[j] += wrench[r] * last[r * size() + j];
            }
        }
        double power = 0.0;
        for (std::size_t j = 0; j < size(); ++j) power += tau_[j] * v[j];
        return power;
    }

    // q̇ᵀ D q̇.
    double lost(const double* v) const {
        double power = 0.0;
        for (int i = 0; i < arm_.n; ++i) {
            double force[3];
            scalar::damper(arm_.sections + long(i) * scalar::section_size, v + 3 * i, force);
            for (int c = 0; c < 3; ++c) power += force[c] * v[3 * i + c];
        }
        return power;
    }

    bool ask_kernel(Quantity quantity, const double* a, const double* b, const double* c, double* out, double h,
                    const double* y) {
        Request request{};
        request.quantity = quantity;
        request.inputs[0] = a;
        request.inputs[1] = b;
        request.inputs[2] = c;
        request.output = out;
        request.last = 1;
        request.step = h;
        if (kernel_(request)) return true;
        refused_.assign(y, y + width());
        return false;
    }

    const Arm& arm_;
    Kernel kernel_;
    std::vector<Actuator> actuators_;
    bool remembers_;
    std::vector<double> tau_, jacobian_, ahead_, after_, refused_;
};

// Commands over time: straight lines from knot to knot, with jumps at the knots.
class Drive {
public:
    std::vector<double> times, begin, end;
    std::size_t width = 0;

    bool last(std::size_t segment) const { return segment + 1 >= times.size(); }
    double until(std::size_t segment) const { return last(segment) ? 1e300 : times[segment + 1]; }
    bool jumps_after(std::size_t segment) const {
        const double *left = end.data() + segment * width, *right = begin.data() + (segment + 1) * width;
        return !std::equal(left, left + width, right);
    }
    // The mean over a time, which may begin in this segment and end in a later one, which is then the segment. Of what
    // only acts above a threshold (the first commands have one each) it is the value that acts as much as they all do.
    void mean(double from, double to, const std::vector<double>& thresholds, std::size_t& segment, double* out) {
        while (until(segment) <= from) ++segment;
        if (until(segment) >= to) return at((from + to) / 2, segment, out);
        part_.resize(width);
        above_.assign(thresholds.size(), 0.0);
        std::fill(out, out + width, 0.0);
        for (double here = from; here < to;) {
            const double next = std::fmin(until(segment), to), share = (next - here) / (to - from);
            at((here + next) / 2, segment, part_.data());
            for (std::size_t i = 0; i < width; ++i) out[i] += share * part_[i];
            for (std::size_t i = 0; i < above_.size(); ++i) above_[i] += share * std::fmax(part_[i] - thresholds[i], 0.0);
            here = next;
            if (here < to) ++segment;
        }
        for (std::size_t i = 0; i < above_.size(); ++i)
            if (above_[i] > 0.0) out[i] = thresholds[i] + above_[i];
    }
    void at(double t, std::size_t segment, double* out) const {
        const double *from = begin.data() + segment * width, *to = end.data() + segment * width;
        const double part = last(segment) ? 0.0 : (t - times[segment]) / (times[segment + 1] - times[segment]);
        for (std::size_t i = 0; i < width; ++i) out[i] = from[i] == to[i] ? from[i] : from[i] + part * (to[i] - from[i]);
    }

private:
    std::vector<double> part_, above_;
};

}  // namespace continuarm
