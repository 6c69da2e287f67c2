// Arms in native memory, and any quantity of them for any batch.

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "arrays.hpp"
#include "batches.hpp"
#include "memory.hpp"
#include "module.hpp"

namespace continuarm {

namespace {

// numpy.empty, looked up once.
PyObject* empty_function() {
    static PyObject* const function = nb::object(nb::module_::import_("numpy").attr("empty")).release().ptr();
    return function;
}

// Batch axes, then the quantity's own, as numpy.empty takes them.
nb::tuple whole_shape(Quantity quantity, const View& first, long n, long places) {
    long own[4];
    const int count = result_shape(quantity, n, places, own), batch = first.ndim() - 1;
    PyObject* shape = PyTuple_New(batch + count);
    for (int k = 0; k < batch; ++k) PyTuple_SetItem(shape, k, PyLong_FromSsize_t(first.shape()[k]));
    for (int k = 0; k < count; ++k) PyTuple_SetItem(shape, batch + k, PyLong_FromLong(own[k]));
    return nb::steal<nb::tuple>(shape);
}

// Whether the inputs are rows of the right width with the same batch axes.
bool fit_together(const Request& request, const View* views, int count, long n) {
    for (int k = 0; k < count; ++k) {
        const View &view = views[k], &first = views[0];
        if (view.ndim() != first.ndim() || !std::equal(view.shape(), view.shape() + view.ndim() - 1, first.shape()))
            return false;
        if (view.shape()[view.ndim() - 1] != input_width(request.quantity, k, n)) return false;
    }
    return true;
}

// The quantity for one state or a batch, or None if the arguments are not plainly good: the caller then finds out why.
nb::object evaluate(const ArmMemory& memory, int index, int threads, nb::handle q, nb::handle qd, nb::handle third,
                    nb::handle fourth) {
    const Arm& arm = memory.arm();
    Request request{};
    request.quantity = quantity_of(index);
    View views[3], place_view, result_view;
    const nb::handle given[3] = {q, qd, third};
    const int count = input_count(request.quantity);
    for (int k = 0; k < count; ++k) {
        if (!views[k].open(given[k].ptr(), false)) return nb::none();
        request.inputs[k] = views[k].data();
    }
    if (!fit_together(request, views, count, arm.n)) return nb::none();
    const View& first = views[0];
    if (request.quantity == poses_along) {
        if (!place_view.open(qd.ptr(), false) || place_view.ndim() != 1) return nb::none();
        request.places = place_view.data();
        request.place_count = int(place_view.shape()[0]);
        const auto on_section = [](double place) { return place >= 0.0 && place <= 1.0; };
        const bool good = std::all_of(request.places, request.places + request.place_count, on_section);
        if (!good || request.place_count == 0) return nb::none();
    }
    if (request.quantity == implicit_step) {
        if (!PyFloat_Check(fourth.ptr())) return nb::none();
        request.step = PyFloat_AsDouble(fourth.ptr());
        if (!(request.step > 0.0 && request.step <= 1e9)) return nb::none();
    }
    request.first = 0;
    request.last = 1;
    for (int k = 0; k + 1 < first.ndim(); ++k) request.last *= long(first.shape()[k]);

    const nb::tuple shape = whole_shape(request.quantity, first, arm.n, request.place_count);
    nb::object result = nb::steal<nb::object>(PyObject_CallFunctionObjArgs(empty_function(), shape.ptr(), nullptr));
    if (!result.is_valid()) throw nb::python_error();
    double single = 0.0;
    if (nb::len(shape) > 0) {
        if (!result_view.open(result.ptr(), true)) return nb::none();
        request.output = result_view.data();
    } else {
        request.output = &single;
    }

    Outcome outcome;
    if (request.last <= 8) {
        outcome = run_here(arm, request);
    } else {
        nb::gil_scoped_release released;
        outcome = run_threads(arm, request, threads);
    }
    if (outcome != Outcome::done) return nb::none();
    if (nb::len(shape) > 0) return result;
    result.attr("fill")(single);
    return result[shape];  // a scalar, as NumPy's own arithmetic would give
}

// Evaluates one state many times over, for measuring: seconds of the quantity itself, without Python.
double repeated(const ArmMemory& memory, int index, nb::handle q, nb::handle qd, nb::handle third, long times) {
    Request request{};
    request.quantity = quantity_of(index);
    if (request.quantity == poses_along) throw std::invalid_argument("poses_along has places: it is not repeated");
    View views[3];
    const nb::handle given[3] = {q, qd, third};
    for (int k = 0; k < input_count(request.quantity); ++k) {
        require(views[k], given[k], 1, input_width(request.quantity, k, memory.arm().n), false, "an input");
        request.inputs[k] = views[k].data();
    }
    std::vector<double> output(std::size_t(result_size(request.quantity, memory.arm().n, 0)));
    request.output = output.data();
    request.last = 1;
    const auto start = std::chrono::steady_clock::now();
    for (long k = 0; k < times; ++k) run_here(memory.arm(), request);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void bind_quantities(nb::module_& module) {
    nb::class_<ArmMemory>(module, "Arm", "An arm's numbers, as the generated steps take them.")
        .def(nb::init<const Rows&, bool, const std::vector<double>&, const std::vector<double>&, double,
                      const std::vector<double>&, const std::vector<Rows>&>())
        .def("evaluate", &evaluate, nb::arg("quantity"), nb::arg("threads"), nb::arg("q").none(),
             nb::arg("second") = nb::none(), nb::arg("third") = nb::none(), nb::arg("fourth") = nb::none(),
             "The quantity for C-contiguous float64 arrays of one shape, or None if anything about them is not good.")
        .def("repeated", &repeated, nb::arg("quantity"), nb::arg("q"), nb::arg("qd") = nb::none(),
             nb::arg("third") = nb::none(), nb::arg("times") = 1,
             "Evaluates one state many times and returns the seconds it took.");
}

}  // namespace continuarm
