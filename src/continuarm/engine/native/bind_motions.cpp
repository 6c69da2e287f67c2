// Plants, and motions in progress.

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <vector>

#include "arrays.hpp"
#include "levels.hpp"
#include "memory.hpp"
#include "module.hpp"
#include "motions.hpp"

namespace continuarm {

namespace {

// New commands from now on: knots (k,), and what holds after each and before the next (k, commands) each.
CommandsOverTime commands_from(nb::handle times, nb::handle begin, nb::handle end, long width) {
    View when, from, to;
    if (!when.open(times.ptr(), false) || when.ndim() != 1 || when.shape()[0] == 0)
        throw std::invalid_argument("times must be an array of at least one double");
    require(from, begin, 2, width, false, "begin");
    require(to, end, 2, width, false, "end");
    if (from.shape()[0] != when.shape()[0] || to.shape()[0] != when.shape()[0])
        throw std::invalid_argument("times, begin and end must have equal length");
    return CommandsOverTime(when.data(), from.data(), to.data(), std::size_t(when.shape()[0]), std::size_t(width));
}

// The means of commands over steps of one length from t = 0 on, (steps, commands), as a SteppedMotion takes them.
void command_means(nb::handle times, nb::handle begin, nb::handle end, nb::handle thresholds, double length,
                   nb::handle out) {
    View edges, rows;
    if (!edges.open(thresholds.ptr(), false) || edges.ndim() != 1 || !rows.open(out.ptr(), true) || rows.ndim() != 2 ||
        rows.shape()[1] < edges.shape()[0])
        throw std::invalid_argument("thresholds and means must be arrays of doubles of the right shape");
    const long width = long(rows.shape()[1]);
    const CommandsOverTime commands = commands_from(times, begin, end, width);
    const std::vector<double> above(edges.data(), edges.data() + edges.shape()[0]);
    std::size_t segment = 0;
    for (long k = 0; k < long(rows.shape()[0]); ++k)
        commands.mean(double(k) * length, double(k + 1) * length, above, segment, rows.data() + k * width);
}

void require_width(const std::vector<double>& numbers, long width) {
    if (long(numbers.size()) != width) throw std::invalid_argument("the numbers of a motion do not fit together");
}

bool rate(const PlantMemory& memory, nb::handle commands, nb::handle state, nb::handle out) {
    thread_local Workspace workspace;
    View given, where, rate;
    require(given, commands, 1, memory.commands(), false, "commands");
    require(where, state, 1, memory.width(), false, "state");
    require(rate, out, 1, memory.width(), true, "rate");
    const Plant& plant = memory.plant();
    return kernels().rate(plant, given.data(), where.data(), rate.data(), workspace.of(work_size(plant)));
}

// Seconds that so many rates take, of some states in turn.
double repeated(const PlantMemory& memory, nb::handle commands, nb::handle states, long times) {
    Workspace workspace;
    View given, where;
    require(given, commands, 1, memory.commands(), false, "commands");
    require(where, states, 2, memory.width(), false, "states");
    if (where.shape()[0] == 0) throw std::invalid_argument("states must have at least one row");
    const Plant& plant = memory.plant();
    const Kernels& chosen = kernels();
    double* work = workspace.of(work_size(plant));
    std::vector<double> out(std::size_t(memory.width()));
    const auto start = std::chrono::steady_clock::now();
    for (long k = 0; k < times; ++k)
        chosen.rate(plant, given.data(), where.data() + k % where.shape()[0] * memory.width(), out.data(), work);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

bool step(const PlantMemory& memory, nb::handle commands, double length, nb::handle state) {
    thread_local Workspace workspace;
    View given, where;
    require(given, commands, 1, memory.commands(), false, "commands");
    require(where, state, 1, memory.width(), true, "state");
    const Plant& plant = memory.plant();
    return kernels().step(plant, given.data(), length, where.data(), workspace.of(work_size(plant)));
}

// (1 - c J)⁻¹ of a residual, in place, with J at a state under commands.
bool correct(const PlantMemory& memory, nb::handle commands, nb::handle state, double part, nb::handle residual) {
    View given, where, left;
    require(given, commands, 1, memory.commands(), false, "commands");
    require(where, state, 1, memory.width(), false, "state");
    require(left, residual, 1, memory.width(), true, "residual");
    NewtonMemory newton(memory.plant());
    if (!kernels().linearize(memory.plant(), given.data(), where.data(), newton.parts())) return false;
    if (!kernels().eliminate(memory.plant(), part, newton.parts())) return false;
    kernels().correct(memory.plant(), part, newton.parts(), left.data());
    return true;
}

// Rates of rows of states, and their slopes by parameters: (rows, 1 + count, width); NaN where the model does not hold.
void rate_slopes(const PlantMemory& memory, const std::vector<double>& constant_slopes, nb::handle commands,
                 nb::handle states, nb::handle out) {
    const Plant& plant = memory.plant();
    const long count = long(constant_slopes.size()) / constant_count(plant), width = memory.width();
    View given, where, rates;
    require(given, commands, 2, memory.commands(), false, "commands");
    require(where, states, 2, width, false, "states");
    require(rates, out, 3, width, true, "rates");
    const long rows = long(where.shape()[0]);
    if (given.shape()[0] != rows || rates.shape()[0] != rows || rates.shape()[1] != 1 + count)
        throw std::invalid_argument("commands, states and rates must have equal length");
    const SlopesMemory slopes(memory, kernels(), constant_slopes,
                              std::vector<double>(std::size_t(count * plant.muscle_count()), 0.0));
    Workspace workspace;
    std::vector<double> state(std::size_t((1 + count) * width), 0.0);
    for (long row = 0; row < rows; ++row) {
        double* rate = rates.data() + row * (1 + count) * width;
        std::copy_n(where.data() + row * width, width, state.begin());
        if (!kernels().sloped_rate(plant, slopes.constants(), count, given.data() + row * memory.commands(),
                                   state.data(), rate, workspace.of(sloped_work_size(plant))))
            std::fill_n(rate, (1 + count) * width, std::nan(""));
    }
}

double margin(const PlantMemory& memory, nb::handle state) {
    View where;
    require(where, state, 1, memory.width(), false, "state");
    return kernels().margin(memory.plant(), where.data());
}

// The rows of a motion from those of its states (k, ·), which slopes may follow, and of its commands; whether the model
// holds at all states, and all of them are finite.
bool motion_rows(const PlantMemory& memory, nb::handle states, nb::handle commands, nb::handle q, nb::handle qd,
                 nb::handle tau, nb::handle pressures, nb::handle hysteresis, nb::handle wrench, nb::handle supplied,
                 nb::handle dissipated) {
    const Plant& plant = memory.plant();
    const long size = plant.size(), muscles = plant.muscle_count(), width = memory.width();
    View where, given, lengths, rates, forces, inside, held, load, in, out;
    require(given, commands, 2, memory.commands(), false, "commands");
    require(lengths, q, 2, size, true, "q");
    require(rates, qd, 2, size, true, "qd");
    require(forces, tau, 2, size, true, "tau");
    require(inside, pressures, 2, muscles, true, "pressures");
    require(held, hysteresis, 2, muscles, true, "hysteresis");
    require(load, wrench, 2, 6, true, "wrench");
    const Py_ssize_t count = given.shape()[0];
    require(in, supplied, 1, count, true, "supplied");
    require(out, dissipated, 1, count, true, "dissipated");
    if (!where.open(states.ptr(), false) || where.ndim() != 2 || where.shape()[1] % width != 0)
        throw std::invalid_argument("states must be an array of doubles of the right shape");
    for (const View* each : {&where, &lengths, &rates, &forces, &inside, &held, &load})
        if (each->shape()[0] != count) throw std::invalid_argument("the rows of a motion must be of equal number");
    const Kernels& chosen = kernels();
    bool all = true;
    for (Py_ssize_t row = 0; row < count; ++row) {
        const double *state = where.data() + row * where.shape()[1], *command = given.data() + row * memory.commands();
        std::copy_n(state, size, lengths.data() + row * size);
        std::copy_n(state + size, size, rates.data() + row * size);
        std::copy_n(command + plant.wrench, 6, load.data() + row * 6);
        in.data()[row] = state[plant.supplied];
        out.data()[row] = state[plant.dissipated];
        chosen.show(plant, command, state, forces.data() + row * size, inside.data() + row * muscles,
                    held.data() + row * muscles);
        double sum = 0.0;
        for (long j = 0; j < width; ++j) sum += state[j] - state[j];  // not 0 where one is not finite
        all &= sum == 0.0 && chosen.margin(plant, state) > 0.0;
    }
    return all;
}

// Rows written, and whether no step could be made.
nb::tuple advance_adaptive(AdaptiveMotion& motion, nb::handle times, nb::handle states, double seconds, double steps) {
    View when, where;
    if (!when.open(times.ptr(), false) || !where.open(states.ptr(), true) || where.ndim() != 2 ||
        where.shape()[1] != Py_ssize_t(motion.state().size()) || when.ndim() != 1 ||
        when.shape()[0] != where.shape()[0])
        throw std::invalid_argument("times and states must be arrays of doubles of equal length");
    long row = 0;
    {
        nb::gil_scoped_release released;
        row = motion.advance(when.data(), long(when.shape()[0]), where.data(), seconds, steps);
    }
    return nb::make_tuple(row, motion.failed());
}

nb::dict counts(const AdaptiveMotion& motion) {
    const auto& counted = motion.counts();
    nb::dict found;
    found["evaluations"] = counted.evaluations;
    found["steps"] = counted.steps;
    found["rejected"] = counted.rejected;
    found["factorizations"] = counted.factorizations;
    found["iterations"] = counted.iterations;
    return found;
}

long advance_stepped(SteppedMotion& motion, nb::handle states) {
    View where;
    require(where, states, 2, Py_ssize_t(motion.state().size()), true, "states");
    nb::gil_scoped_release released;
    return motion.advance(where.data(), long(where.shape()[0]));
}

// States after every step, (steps, width), under commands (steps, commands); rows written before the model's range
// ended.
long forward_sweep(const PlantMemory& memory, nb::handle start, nb::handle commands, double length, nb::handle states) {
    View first, given, where;
    require(first, start, 1, memory.width(), false, "start");
    require(given, commands, 2, memory.commands(), false, "commands");
    require(where, states, 2, memory.width(), true, "states");
    if (where.shape()[0] != given.shape()[0]) throw std::invalid_argument("a sweep's rows do not fit");
    const nb::gil_scoped_release released;
    Workspace workspace;
    double* work = workspace.of(work_size(memory.plant()));
    const long width = memory.width();
    const double* before = first.data();
    for (long row = 0; row < long(where.shape()[0]); ++row) {
        double* after = where.data() + row * width;
        std::copy(before, before + width, after);
        if (!kernels().step(memory.plant(), given.data() + row * memory.commands(), length, after, work)) return row;
        before = after;
    }
    return long(where.shape()[0]);
}

// Backward through the same steps. weights: (steps + 1, width), of the start and of the state after every step. Out:
// derivatives of the weighted sum by the start, by the commands of every step, and by constants.
bool reverse_sweep(const PlantMemory& memory, nb::handle start, nb::handle commands, double length, nb::handle states,
                   nb::handle weights, nb::handle start_bar, nb::handle commands_bar, nb::handle constants_bar) {
    const Plant& plant = memory.plant();
    const long width = memory.width();
    View first, given, where, weight, out_start, out_commands, out_constants;
    require(first, start, 1, width, false, "start");
    require(given, commands, 2, memory.commands(), false, "commands");
    require(where, states, 2, width, false, "states");
    require(weight, weights, 2, width, false, "weights");
    require(out_start, start_bar, 1, width, true, "start_bar");
    require(out_commands, commands_bar, 2, memory.commands(), true, "commands_bar");
    require(out_constants, constants_bar, 1, constant_count(plant), true, "constants_bar");
    const long steps = long(given.shape()[0]);
    if (where.shape()[0] != steps || weight.shape()[0] != steps + 1 || out_commands.shape()[0] != steps)
        throw std::invalid_argument("a sweep's rows do not fit");
    const nb::gil_scoped_release released;
    Workspace workspace;
    double* work = workspace.of(reversed_work_size(plant));
    std::vector<double> after_bar(weight.data() + steps * width, weight.data() + (steps + 1) * width);
    std::vector<double> before_bar(static_cast<std::size_t>(width));
    std::fill(out_constants.data(), out_constants.data() + constant_count(plant), 0.0);
    for (long row = steps - 1; row >= 0; --row) {
        const double* before = row ? where.data() + (row - 1) * width : first.data();
        const long at = row * memory.commands();
        if (!kernels().reversed_step(plant, given.data() + at, length, before, after_bar.data(), before_bar.data(),
                                     out_commands.data() + at, out_constants.data(), work))
            return false;
        for (long k = 0; k < width; ++k)
            after_bar[std::size_t(k)] = before_bar[std::size_t(k)] + weight.data()[row * width + k];
    }
    std::copy(after_bar.begin(), after_bar.end(), out_start.data());
    return true;
}

}  // namespace

void bind_motions(nb::module_& module) {
    module.def("command_means", &command_means, nb::arg("times"), nb::arg("begin"), nb::arg("end"),
               nb::arg("thresholds"), nb::arg("length"), nb::arg("out"),
               "The means of commands over steps of one length.");
    nb::class_<PlantMemory>(module, "Plant", "An arm with its muscles and valves.")
        .def(
            "__init__",
            [](PlantMemory* self, const ArmMemory& arm, const std::vector<Rows>& muscles, const Rows& valves,
               const Rows& branches, const Rows& kept, bool remembers, const std::vector<long>& states,
               const std::vector<long>& commands) {
                new (self) PlantMemory(arm.arm(), muscles, valves, branches, kept, remembers, states, commands);
            },
            nb::keep_alive<1, 2>())
        .def("rate", &rate, nb::arg("commands"), nb::arg("state"), nb::arg("out"),
             "The rate of change of a state under commands; False where the model does not hold.")
        .def("repeated", &repeated, nb::arg("commands"), nb::arg("states"), nb::arg("times") = 1,
             "Evaluates the rates of states in turn, so many times, and returns the seconds it took.")
        .def("step", &step, nb::arg("commands"), nb::arg("length"), nb::arg("state"),
             "One implicit step in place; False where the model does not hold.")
        .def("correct", &correct, nb::arg("commands"), nb::arg("state"), nb::arg("part"), nb::arg("residual"),
             "Newton's correction of a residual in place; False where the model does not hold.")
        .def("forward_sweep", &forward_sweep, nb::arg("start"), nb::arg("commands"), nb::arg("length"),
             nb::arg("states"), "States after every implicit step; how many could be taken.")
        .def("reverse_sweep", &reverse_sweep, nb::arg("start"), nb::arg("commands"), nb::arg("length"),
             nb::arg("states"), nb::arg("weights"), nb::arg("start_bar"), nb::arg("commands_bar"),
             nb::arg("constants_bar"), "Derivatives of a weighted sum of those states; False where one is not finite.")
        .def(
            "constants", [](const PlantMemory& memory) { return constant_count(memory.plant()); },
            "How many numbers of the plant reverse_sweep differentiates by.")
        .def("rate_slopes", &rate_slopes, nb::arg("constant_slopes"), nb::arg("commands"), nb::arg("states"),
             nb::arg("out"), "Rates of rows of states, each followed by its slopes by parameters.")
        .def("margin", &margin, nb::arg("state"), "How far the state is from where the model ends.")
        .def("motion_rows", &motion_rows, nb::arg("states"), nb::arg("commands"), nb::arg("q"), nb::arg("qd"),
             nb::arg("tau"), nb::arg("pressures"), nb::arg("hysteresis"), nb::arg("wrench"), nb::arg("supplied"),
             nb::arg("dissipated"),
             "The rows of a motion from its states and commands; whether the model holds at all of them.");
    nb::class_<AdaptiveMotion>(module, "AdaptiveMotion",
                               "A motion in progress, its steps as long as the tolerances allow.")
        .def(
            "__init__",
            [](AdaptiveMotion* self, const PlantMemory& memory, const std::vector<double>& start, double rtol,
               const std::vector<double>& atol, double longest_step, int highest_order,
               const std::vector<double>& constant_slopes, std::vector<double> threshold_slopes) {
                const long blocks = 1 + long(constant_slopes.size()) / constant_count(memory.plant());
                require_width(start, blocks * memory.width());
                require_width(atol, blocks * (2 * memory.plant().size() + memory.relaxing()));
                if (highest_order < 1 || highest_order > 5 || !(longest_step > 0.0) || !(rtol > 0.0))
                    throw std::invalid_argument("orders are 1 to 5, and steps and tolerances above 0");
                new (self) AdaptiveMotion(memory, kernels(), start, rtol, atol, longest_step, highest_order,
                                          constant_slopes, std::move(threshold_slopes));
            },
            nb::keep_alive<1, 2>(), nb::arg("plant"), nb::arg("start"), nb::arg("rtol"), nb::arg("atol"),
            nb::arg("longest_step"), nb::arg("highest_order"), nb::arg("constant_slopes") = std::vector<double>(),
            nb::arg("threshold_slopes") = std::vector<double>())
        .def("drive", [](AdaptiveMotion& motion, nb::handle times, nb::handle begin,
                         nb::handle end) { motion.drive(commands_from(times, begin, end, motion.commands())); })
        .def("advance", &advance_adaptive, nb::arg("times"), nb::arg("states"), nb::arg("seconds"), nb::arg("steps"))
        .def("time", &AdaptiveMotion::time)
        .def("counts", &counts)
        .def("state", &AdaptiveMotion::state)
        .def("refused", &AdaptiveMotion::refused);
    nb::class_<SteppedMotion>(module, "SteppedMotion", "A motion in progress, in implicit steps of one length.")
        .def(
            "__init__",
            [](SteppedMotion* self, const PlantMemory& memory, std::vector<double> start,
               std::vector<double> thresholds, double step, const std::vector<double>& constant_slopes,
               std::vector<double> threshold_slopes) {
                require_width(thresholds, memory.plant().muscle_count());
                new (self) SteppedMotion(memory, kernels(), std::move(start), std::move(thresholds), step,
                                         constant_slopes, std::move(threshold_slopes));
            },
            nb::keep_alive<1, 2>(), nb::arg("plant"), nb::arg("start"), nb::arg("thresholds"), nb::arg("step"),
            nb::arg("constant_slopes") = std::vector<double>(), nb::arg("threshold_slopes") = std::vector<double>())
        .def("drive", [](SteppedMotion& motion, nb::handle times, nb::handle begin,
                         nb::handle end) { motion.drive(commands_from(times, begin, end, motion.commands())); })
        .def("advance", &advance_stepped, nb::arg("states"))
        .def("state", &SteppedMotion::state)
        .def("refused", &SteppedMotion::refused);
}

}  // namespace continuarm
