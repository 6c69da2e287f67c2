// Implicit steps of a plant with their slopes in given directions: what control and estimation linearise.

#include <nanobind/nanobind.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "arrays.hpp"
#include "levels.hpp"
#include "memory.hpp"
#include "module.hpp"

namespace continuarm {

namespace {

std::vector<double> numbers(const View& view) {
    long count = 1;
    for (int k = 0; k < view.ndim(); ++k) count *= long(view.shape()[k]);
    return std::vector<double>(view.data(), view.data() + count);
}

// Directions: by how much the state before a row of commands, the commands and the constants change along each.
class StepSlopes {
public:
    StepSlopes(const PlantMemory& memory, std::vector<double> states, std::vector<double> commands,
               const std::vector<double>& constants)
        : memory_(memory),
          kernels_(kernels()),
          states_(std::move(states)),
          commands_(std::move(commands)),
          constants_(memory, kernels_, constants,
                     std::vector<double>(states_.size() / std::size_t(memory.width()) *
                                         std::size_t(memory.plant().muscle_count()))) {}

    const PlantMemory& memory() const { return memory_; }
    long count() const { return constants_.count(); }

    // A state and its slopes, in place, after so many steps under one row of commands; false where the model ends.
    bool steps(const double* commands, double length, long substeps, double* state) {
        std::copy(states_.begin(), states_.end(), state + memory_.width());
        for (long k = 0; k < substeps; ++k)
            if (!kernels_.sloped_step(memory_.plant(), constants_.constants(), count(), commands, commands_.data(),
                                      length, state, workspace_.of(sloped_work_size(memory_.plant()))))
                return false;
        return true;
    }

private:
    const PlantMemory& memory_;
    const Kernels& kernels_;              // those that the constants were laid out for
    const std::vector<double> states_;    // (count, width)
    const std::vector<double> commands_;  // (command_width, count)
    const SlopesMemory constants_;        // (constants, count)
    Workspace workspace_;
};

// out: (rows, 1 + count, width), the state after each row of commands and its slopes; how many rows could be made.
long sweep(StepSlopes& slopes, nb::handle start, nb::handle commands, double length, long substeps, nb::handle out) {
    const PlantMemory& memory = slopes.memory();
    const long width = memory.width(), whole = (1 + slopes.count()) * width;
    View first, given, rows;
    require(first, start, 1, width, false, "start");
    require(given, commands, 2, memory.commands(), false, "commands");
    require(rows, out, 3, width, true, "out");
    if (rows.shape()[0] != given.shape()[0] || rows.shape()[1] != 1 + slopes.count())
        throw std::invalid_argument("a sweep's rows do not fit");
    const double* before = first.data();
    for (long row = 0; row < long(given.shape()[0]); ++row) {
        double* after = rows.data() + row * whole;
        std::copy(before, before + width, after);
        if (!slopes.steps(given.data() + row * memory.commands(), length, substeps, after)) return row;
        before = after;
    }
    return long(given.shape()[0]);
}

}  // namespace

void bind_step_slopes(nb::module_& module) {
    nb::class_<StepSlopes>(module, "StepSlopes", "Implicit steps of a plant with their slopes in some directions.")
        .def(
            "__init__",
            [](StepSlopes* self, const PlantMemory& memory, nb::handle states, nb::handle commands,
               nb::handle constants) {
                View state, command, constant;
                require(state, states, 2, memory.width(), false, "states");
                const Py_ssize_t count = state.shape()[0];
                require(command, commands, 2, count, false, "commands");
                require(constant, constants, 2, count, false, "constants");
                if (count == 0 || command.shape()[0] != memory.commands() ||
                    constant.shape()[0] != constant_count(memory.plant()))
                    throw std::invalid_argument("the directions of a plant do not fit to it");
                new (self) StepSlopes(memory, numbers(state), numbers(command), numbers(constant));
            },
            nb::keep_alive<1, 2>(), nb::arg("plant"), nb::arg("states"), nb::arg("commands"), nb::arg("constants"))
        .def("sweep", &sweep, nb::arg("start"), nb::arg("commands"), nb::arg("length"), nb::arg("substeps"),
             nb::arg("out"), "States after rows of commands, each with its slopes; how many rows could be made.");
}

}  // namespace continuarm
