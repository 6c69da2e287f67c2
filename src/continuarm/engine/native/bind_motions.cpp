// Plants, and motions in progress.

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

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

bool step(const PlantMemory& memory, nb::handle commands, double length, nb::handle state) {
    thread_local Workspace workspace;
    View given, where;
    require(given, commands, 1, memory.commands(), false, "commands");
    require(where, state, 1, memory.width(), true, "state");
    const Plant& plant = memory.plant();
    return kernels().step(plant, given.data(), length, where.data(), workspace.of(work_size(plant)));
}

void tangent(const PlantMemory& memory, nb::handle commands, nb::handle state, nb::handle blocks,
             nb::handle relaxation) {
    View given, where, stiffness, rates;
    require(given, commands, 1, memory.commands(), false, "commands");
    require(where, state, 1, memory.width(), false, "state");
    require(stiffness, blocks, 2, Symmetric<double>::size, true, "blocks");
    require(rates, relaxation, 1, memory.relaxing(), true, "relaxation");
    if (stiffness.shape()[0] != memory.plant().arm->n)
        throw std::invalid_argument("blocks must be one for each section");
    kernels().tangent(memory.plant(), given.data(), where.data(),
                      reinterpret_cast<Symmetric<double>*>(stiffness.data()), rates.data());
}

double margin(const PlantMemory& memory, nb::handle state) {
    View where;
    require(where, state, 1, memory.width(), false, "state");
    return kernels().margin(memory.plant(), where.data());
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

}  // namespace

void bind_motions(nb::module_& module) {
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
        .def("step", &step, nb::arg("commands"), nb::arg("length"), nb::arg("state"),
             "One implicit step in place; False where the model does not hold.")
        .def("tangent", &tangent, nb::arg("commands"), nb::arg("state"), nb::arg("blocks"), nb::arg("relaxation"),
             "What is stiff: six numbers of K over q_i for each section, and relaxation rates.")
        .def("margin", &margin, nb::arg("state"), "How far the state is from where the model ends.");
    nb::class_<AdaptiveMotion>(module, "AdaptiveMotion",
                               "A motion in progress, its steps as long as the tolerances allow.")
        .def(
            "__init__",
            [](AdaptiveMotion* self, const PlantMemory& memory, const std::vector<double>& start, double rtol,
               std::vector<double> atol, double longest_step, int highest_order) {
                require_width(start, memory.width());
                require_width(atol, 2 * memory.plant().size() + memory.relaxing());
                if (highest_order < 1 || highest_order > 5 || !(longest_step > 0.0) || !(rtol > 0.0))
                    throw std::invalid_argument("orders are 1 to 5, and steps and tolerances above 0");
                new (self) AdaptiveMotion(memory, kernels(), start, rtol, std::move(atol), longest_step, highest_order);
            },
            nb::keep_alive<1, 2>())
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
               std::vector<double> thresholds, double step) {
                require_width(start, memory.width());
                require_width(thresholds, memory.plant().muscle_count());
                new (self) SteppedMotion(memory, kernels(), std::move(start), std::move(thresholds), step);
            },
            nb::keep_alive<1, 2>())
        .def("drive", [](SteppedMotion& motion, nb::handle times, nb::handle begin,
                         nb::handle end) { motion.drive(commands_from(times, begin, end, motion.commands())); })
        .def("advance", &advance_stepped, nb::arg("states"))
        .def("state", &SteppedMotion::state)
        .def("refused", &SteppedMotion::refused);
}

}  // namespace continuarm
