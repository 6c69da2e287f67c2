// Closed loops that run without Python.

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "arrays.hpp"
#include "closed_loops.hpp"
#include "levels.hpp"
#include "module.hpp"

namespace continuarm {

namespace {

long advance(ClosedLoop& loop, nb::handle goals, nb::handle commands, nb::handle states, nb::handle asked) {
    View goal, given, where, answers;
    require(goal, goals, 3, Py_ssize_t(loop.size()), false, "goals");
    require(given, commands, 2, Py_ssize_t(loop.command_width()), false, "commands");
    require(where, states, 2, Py_ssize_t(loop.width()), true, "states");
    require(answers, asked, 2, Py_ssize_t(loop.muscles()), true, "asked");
    const Py_ssize_t periods = goal.shape()[0], steps = given.shape()[0];
    if (goal.shape()[1] != 3 || answers.shape()[0] != periods || where.shape()[0] != steps ||
        steps != periods * loop.steps())
        throw std::invalid_argument("the rows of a closed loop do not fit together");
    const nb::gil_scoped_release released;
    return loop.advance(goal.data(), given.data(), long(periods), where.data(), answers.data());
}

}  // namespace

void bind_loops(nb::module_& module) {
    nb::class_<ClosedLoop>(module, "ClosedLoop", "A plant under computed torque, in implicit steps of one length.")
        .def(
            "__init__",
            [](ClosedLoop* self, const PlantMemory& plant, const PlantMemory& model, const Rows& leads,
               std::vector<double> start, double step, long steps_per_period, const std::vector<double>& gains) {
                if (gains.size() != 8) throw std::invalid_argument("a closed loop has six gains and two limits");
                new (self) ClosedLoop(plant, model, leads, kernels(), std::move(start), step, steps_per_period,
                                      {gains[0], gains[1], gains[2], gains[3], gains[4], gains[5], gains[6], gains[7]});
            },
            nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::arg("plant"), nb::arg("model"), nb::arg("leads"),
            nb::arg("start"), nb::arg("step"), nb::arg("steps_per_period"), nb::arg("gains"))
        .def("advance", &advance, nb::arg("goals"), nb::arg("commands"), nb::arg("states"), nb::arg("asked"),
             "Periods of goals: states after every step, commands of every period; steps that were made.")
        .def("state", &ClosedLoop::state)
        .def("refused", &ClosedLoop::refused);
}

}  // namespace continuarm
