// The Python module continuarm._native: arms as handles, and one function that evaluates any quantity for any batch.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "arm.hpp"
#include "bdf.hpp"
#include "plant.hpp"

namespace nb = nanobind;
using namespace continuarm;

// The compilers and processors on which a program can ask what the processor it runs on can do.
#if defined(CONTINUARM_X86_LEVELS)
#define CONTINUARM_X86_DETECTION 1
#else
#define CONTINUARM_X86_DETECTION 0
#endif

namespace {

struct Level {
    const char* name;
    Runner run;
};

// Every instruction set that this module was built for and this processor has, the widest last.
std::vector<Level> available_levels() {
    std::vector<Level> levels{{"baseline", run_baseline}};
#if CONTINUARM_X86_DETECTION
    __builtin_cpu_init();
    const bool fused = __builtin_cpu_supports("fma");
    if (fused && __builtin_cpu_supports("avx2")) levels.push_back({"avx2", run_avx2});
    if (fused && __builtin_cpu_supports("avx512f")) levels.push_back({"avx512", run_avx512});
#endif
    return levels;
}

std::atomic<const Level*> chosen_level{nullptr};
const std::vector<Level> levels = available_levels();

const Level& level() {
    const Level* chosen = chosen_level.load(std::memory_order_relaxed);
    return chosen ? *chosen : levels.back();
}

// An arm's numbers, owned; the kernels see them as an Arm.
class Handle {
public:
    Handle(std::vector<std::vector<double>> sections, bool integral, const std::vector<double>& gravity,
           const std::vector<double>& base_frame, double payload_mass, const std::vector<double>& payload_offset,
           const std::vector<std::vector<std::vector<double>>>& stops) {
        for (const auto& section : sections) numbers_.insert(numbers_.end(), section.begin(), section.end());
        first_stop_.push_back(0);
        for (const auto& of_section : stops) {
            for (const auto& stop : of_section) stops_.push_back({{stop.at(0), stop.at(1), stop.at(2)}, {stop.at(3), stop.at(4)}, {stop.at(5)}});
            first_stop_.push_back(int(stops_.size()));
        }
        if (gravity.size() != 3 || base_frame.size() != 12 || payload_offset.size() != 3 || stops.size() != sections.size())
            throw std::invalid_argument("an arm's numbers do not fit together");
        arm_.n = int(sections.size());
        arm_.integral = integral;
        arm_.sections = numbers_.data();
        arm_.stops = stops_.data();
        arm_.first_stop = first_stop_.data();
        std::copy(gravity.begin(), gravity.end(), arm_.gravity);
        std::copy(base_frame.begin(), base_frame.end(), arm_.base_frame);
        arm_.payload_mass[0] = payload_mass;
        std::copy(payload_offset.begin(), payload_offset.end(), arm_.payload_offset);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    const Arm& arm() const { return arm_; }

private:
    std::vector<double> numbers_;
    std::vector<Stop> stops_;
    std::vector<int> first_stop_;
    Arm arm_{};
};

// Scratch memory of one thread, kept between calls: nothing is allocated once it is large enough.
class Workspace {
public:
    double* of(long count) {
        if (count > size_) {
            memory_.assign(std::size_t(count) + 8, 0.0);
            size_ = count;
        }
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
        return reinterpret_cast<double*>((address + 63) & ~std::uintptr_t(63));
    }

private:
    std::vector<double> memory_;
    long size_ = 0;
};

Outcome run_here(const Arm& arm, const Request& request) {
    thread_local Workspace workspace;
    return level().run(arm, request, workspace.of(work_size(arm, request)));
}

// Rows in parts of whole registers, a part for each thread.
Outcome run_threads(const Arm& arm, const Request& request, int threads) {
    constexpr long least = 256;  // rows below which a thread costs more than it saves
    const long rows = request.last - request.first;
    const long count = std::max(1L, std::min<long>(threads, rows / least));
    if (count == 1) return run_here(arm, request);
    const long part = ((rows + count - 1) / count + 7) / 8 * 8;
    std::vector<Outcome> outcomes(std::size_t(count), Outcome::done);
    std::vector<std::thread> workers;
    const auto work = [&](long k) {
        Request mine = request;
        mine.first = std::min(request.last, request.first + k * part);
        mine.last = std::min(request.last, mine.first + part);
        outcomes[std::size_t(k)] = run_here(arm, mine);
    };
    for (long k = 1; k < count; ++k) workers.emplace_back(work, k);
    work(0);
    for (std::thread& worker : workers) worker.join();
    return *std::max_element(outcomes.begin(), outcomes.end(),
                             [](Outcome a, Outcome b) { return int(a) < int(b); });
}

// numpy.ndarray, looked up once.
PyTypeObject* array_type() {
    static PyObject* const type = nb::object(nb::module_::import_("numpy").attr("ndarray")).release().ptr();
    return reinterpret_cast<PyTypeObject*>(type);
}

// A C-contiguous array of doubles, seen through the buffer protocol; not ok for anything else.
class View {
public:
    View() = default;
    View(const View&) = delete;
    View& operator=(const View&) = delete;
    ~View() {
        if (held_) PyBuffer_Release(&buffer_);
    }

    bool open(PyObject* object, bool writable) {
        if (Py_TYPE(object) != array_type()) return false;  // a subclass may mean more than its numbers, as a mask does
        const int flags = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT | (writable ? PyBUF_WRITABLE : 0);
        if (PyObject_GetBuffer(object, &buffer_, flags) != 0) {
            PyErr_Clear();
            return false;
        }
        held_ = true;
        const char* format = buffer_.format;
        const std::uint16_t one = 1;  // files are often written and read back as "<d": the same here, if bytes run so
        if (format && format[0] == '<' && *reinterpret_cast<const unsigned char*>(&one) == 1) ++format;
        return buffer_.ndim >= 1 && format && format[0] == 'd' && format[1] == 0 && buffer_.itemsize == 8;
    }

    double* data() const { return static_cast<double*>(buffer_.buf); }
    int ndim() const { return buffer_.ndim; }
    const Py_ssize_t* shape() const { return buffer_.shape; }
    bool same_shape(const View& other) const {
        return ndim() == other.ndim() && std::equal(shape(), shape() + ndim(), other.shape());
    }

private:
    Py_buffer buffer_{};
    bool held_ = false;
};

// numpy.empty, looked up once.
PyObject* empty_function() {
    static PyObject* const function = nb::object(nb::module_::import_("numpy").attr("empty")).release().ptr();
    return function;
}

// One shape for all quantities, as numpy.empty takes it: batch axes, then the quantity's own.
nb::tuple result_shape(Quantity quantity, const View& first, long n, long places) {
    long own[4];
    int count = 0;
    const auto add = [&](long length) { own[count++] = length; };
    switch (quantity) {
        case mass_matrix:
        case coriolis_matrix: add(3 * n), add(3 * n); break;
        case kinetic_energy:
        case gravitational_energy:
        case elastic_energy: break;
        case tip_poses: add(n), add(4), add(4); break;
        case poses_along: add(n), add(places), add(4), add(4); break;
        case tip_jacobian: add(n), add(6), add(3 * n); break;
        case linearization: add(54 * n * n); break;
        case implicit_step: add(6 * n); break;
        default: add(3 * n); break;
    }
    const int batch = first.ndim() - 1;
    PyObject* shape = PyTuple_New(batch + count);
    for (int k = 0; k < batch; ++k) PyTuple_SetItem(shape, k, PyLong_FromSsize_t(first.shape()[k]));
    for (int k = 0; k < count; ++k) PyTuple_SetItem(shape, batch + k, PyLong_FromLong(own[k]));
    return nb::steal<nb::tuple>(shape);
}

// The quantity for one state or a batch, or None if the arguments are not plainly good: the caller then finds out why.
nb::object evaluate(const Handle& handle, int index, int threads, nb::handle q, nb::handle qd, nb::handle third,
                    nb::handle fourth) {
    const Arm& arm = handle.arm();
    Request request{};
    request.quantity = Quantity(index);
    View views[3], place_view, result_view;
    const nb::handle given[3] = {q, qd, third};
    const int count = input_count(request.quantity);
    for (int k = 0; k < count; ++k) {
        if (!views[k].open(given[k].ptr(), false)) return nb::none();
        if (k && !views[k].same_shape(views[0])) return nb::none();
        request.inputs[k] = views[k].data();
    }
    const View& first = views[0];
    if (first.shape()[first.ndim() - 1] != 3L * arm.n) return nb::none();
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

    const nb::tuple shape = result_shape(request.quantity, first, arm.n, request.place_count);
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
double repeated(const Handle& handle, int index, nb::handle q, nb::handle qd, nb::handle third, long times) {
    Request request{};
    request.quantity = Quantity(index);
    View views[3];
    const nb::handle given[3] = {q, qd, third};
    for (int k = 0; k < input_count(request.quantity); ++k) {
        if (!views[k].open(given[k].ptr(), false) || views[k].shape()[views[k].ndim() - 1] != 3L * handle.arm().n)
            throw std::invalid_argument("the state must be arrays of 3n doubles");
        request.inputs[k] = views[k].data();
    }
    std::vector<double> output(std::size_t(result_size(request.quantity, handle.arm().n, 0)));
    request.output = output.data();
    request.last = 1;
    const auto start = std::chrono::steady_clock::now();
    for (long k = 0; k < times; ++k) run_here(handle.arm(), request);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// An arm with its muscles, alive as long as whatever integrates it.
class Body {
public:
    Body(nb::object handle, const std::vector<std::vector<double>>& muscles, bool remembers)
        : owner_(handle), arm_(nb::cast<const Handle&>(handle).arm()),
          plant(arm_, [this](const Request& request) { return run_here(arm_, request) == Outcome::done; },
                actuators(muscles), remembers) {}

private:
    static std::vector<Plant::Actuator> actuators(const std::vector<std::vector<double>>& muscles) {
        std::vector<Plant::Actuator> made;
        for (const std::vector<double>& numbers : muscles) {
            if (numbers.size() != 4 + scalar::actuator_size) throw std::invalid_argument("a muscle's numbers are incomplete");
            Plant::Actuator each{};
            each.section = int(numbers[0]);
            std::copy(numbers.begin() + 1, numbers.begin() + 4, each.row);
            std::copy(numbers.begin() + 4, numbers.end(), each.constants);
            each.lagged = each.constants[3] > 0;
            made.push_back(each);
        }
        return made;
    }

    nb::object owner_;  // keeps the arm's numbers alive
    const Arm& arm_;

public:
    Plant plant;
};

// Rows of an array that Python owns.
struct Rows {
    View view;
    long count;
    Rows(nb::handle array, std::size_t width, bool writable, const char* what) {
        if (!view.open(array.ptr(), writable) || view.ndim() != 2 || view.shape()[1] != Py_ssize_t(width))
            throw std::invalid_argument(std::string(what) + " must be an array of doubles of the right width");
        count = long(view.shape()[0]);
    }
    double* operator[](long row) const { return view.data() + row * view.shape()[1]; }
};

// New commands from now on: knots (k,), and what holds after each and before the next (k, commands) each.
Drive told(nb::handle times, nb::handle begin, nb::handle end, std::size_t width) {
    View when;
    Rows from(begin, width, false, "begin"), to(end, width, false, "end");
    if (!when.open(times.ptr(), false) || when.shape()[0] == 0 || when.shape()[0] != from.count || from.count != to.count)
        throw std::invalid_argument("times, begin and end must have equal length");
    const std::size_t count = std::size_t(from.count);
    Drive drive;
    drive.times.assign(when.data(), when.data() + count);
    drive.begin.assign(from[0], from[0] + count * width);
    drive.end.assign(to[0], to[0] + count * width);
    drive.width = width;
    return drive;
}

// The rate of change of a state, for solvers that are not here.
class Rate {
public:
    Rate(nb::object handle, const std::vector<std::vector<double>>& muscles, bool remembers)
        : body_(handle, muscles, remembers) {}
    Rate(const Rate&) = delete;
    Rate& operator=(const Rate&) = delete;

    // False where the model does not hold.
    bool evaluate(nb::handle commands, nb::handle state, nb::handle out) {
        View told, where, rate;
        const Py_ssize_t width = Py_ssize_t(body_.plant.width());
        if (!told.open(commands.ptr(), false) || !where.open(state.ptr(), false) || !rate.open(out.ptr(), true) ||
            told.shape()[0] != Py_ssize_t(body_.plant.commands()) || where.shape()[0] != width || rate.shape()[0] != width)
            throw std::invalid_argument("commands, state and rate must be arrays of doubles of the right length");
        return body_.plant.rate(told.data(), where.data(), rate.data());
    }

    double margin(nb::handle state) {
        View where;
        if (!where.open(state.ptr(), false) || where.shape()[0] != Py_ssize_t(body_.plant.width()))
            throw std::invalid_argument("the state must be an array of doubles of the right length");
        return body_.plant.margin(where.data());
    }

private:
    Body body_;
};

// A motion in progress, its steps as long as the tolerances allow.
class Integrator {
public:
    Integrator(nb::object handle, const std::vector<std::vector<double>>& muscles, bool remembers,
               std::vector<double> start, double rtol, std::vector<double> atol, double longest_step,
               int highest_order, std::vector<double> damping)
        : body_(handle, muscles, remembers) {
        Plant& plant = body_.plant;
        const std::size_t n = plant.size();
        if (start.size() != plant.width() || atol.size() != 2 * n + plant.memory() || damping.size() != n * n)
            throw std::invalid_argument("the numbers of a motion do not fit together");
        commands_.assign(plant.commands(), 0.0);
        Bdf::Problem problem;
        problem.size = int(n);
        problem.relaxing = int(plant.memory());
        problem.summed = 2;
        problem.rtol = rtol;
        problem.atol = std::move(atol);
        problem.longest_step = longest_step;
        problem.highest_order = highest_order;
        problem.damping = std::move(damping);
        problem.rate = [this](double t, const double* y, double* out) {
            drive_.at(t, segment_, commands_.data());
            return body_.plant.rate(commands_.data(), y, out);
        };
        problem.mass = [this](const double* y, double* out) { return body_.plant.mass(y, out); };
        problem.stiffness = [this](double t, const double* y, double* stiffness, double* relaxation) {
            drive_.at(t, segment_, commands_.data());
            body_.plant.stiffness(commands_.data(), y, stiffness, relaxation);
        };
        problem.kinks = plant.arm().first_stop[plant.arm().n] > 0;
        bdf_ = std::make_unique<Bdf>(std::move(problem), 0.0, start.data());
    }
    Integrator(const Integrator&) = delete;
    Integrator& operator=(const Integrator&) = delete;

    void drive(nb::handle times, nb::handle begin, nb::handle end) {
        drive_ = told(times, begin, end, body_.plant.commands());
        segment_ = 0;
        bdf_->restart(limit());
    }

    // States at ascending times, as many as there is time for: rows written, whether no step could be made, and the time
    // reached. Whoever called may then look whether the user wants to stop, and come back.
    nb::tuple advance(nb::handle times, nb::handle states, double seconds) {
        View when;
        Rows where(states, body_.plant.width(), true, "states");
        if (!when.open(times.ptr(), false) || when.shape()[0] != where.count)
            throw std::invalid_argument("times and states must have equal length");
        long row = 0;
        {
            nb::gil_scoped_release released;
            row = fill(when.data(), where, seconds);
        }
        return nb::make_tuple(row, failed_, bdf_->time());
    }

    nb::dict counts() const {
        const Bdf::Counts& counts = bdf_->counts();
        nb::dict found;
        found["evaluations"] = counts.evaluations;
        found["steps"] = counts.steps;
        found["rejected"] = counts.rejected;
        found["factorizations"] = counts.factorizations;
        found["iterations"] = counts.iterations;
        return found;
    }

    std::vector<double> state() const { return {bdf_->state(), bdf_->state() + bdf_->width()}; }
    std::vector<double> refused() const { return body_.plant.refused(); }

private:
    double limit() const { return drive_.last(segment_) ? bdf_->time() + 1e6 : drive_.until(segment_); }

    long fill(const double* times, const Rows& states, double seconds) {
        const auto began = std::chrono::steady_clock::now();
        long row = 0, rounds = 0;
        while (row < states.count) {
            if (++rounds % 64 == 0 &&
                std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count() > seconds)
                return row;
            if (bdf_->time() >= times[row]) {
                bdf_->at(times[row], states[row]);
                ++row;
                continue;
            }
            if (!drive_.last(segment_) && bdf_->time() >= drive_.until(segment_)) {  // on to the next commands
                const bool jump = drive_.jumps_after(segment_++);
                if (jump) bdf_->restart(limit());
            }
            if (!bdf_->step(std::fmax(limit(), std::nextafter(bdf_->time(), 1e300)))) {
                failed_ = true;
                return row;
            }
        }
        return row;
    }

    Body body_;
    Drive drive_;
    std::size_t segment_ = 0;
    std::vector<double> commands_;
    bool failed_ = false;
    std::unique_ptr<Bdf> bdf_;
};

// A motion in progress, in implicit steps of one length.
class Stepper {
public:
    Stepper(nb::object handle, const std::vector<std::vector<double>>& muscles, bool remembers,
            std::vector<double> start, double step)
        : body_(handle, muscles, remembers), state_(std::move(start)), step_(step) {
        if (state_.size() != body_.plant.width()) throw std::invalid_argument("the numbers of a motion do not fit together");
        commands_.assign(body_.plant.commands(), 0.0);
        thresholds_ = body_.plant.thresholds();
    }
    Stepper(const Stepper&) = delete;
    Stepper& operator=(const Stepper&) = delete;

    void drive(nb::handle times, nb::handle begin, nb::handle end) {
        drive_ = told(times, begin, end, body_.plant.commands());
        segment_ = 0;
    }

    // A step for each row of states: rows written.
    long advance(nb::handle states) {
        Plant& plant = body_.plant;
        Rows where(states, plant.width(), true, "states");
        nb::gil_scoped_release released;
        for (long row = 0; row < where.count; ++row) {
            drive_.mean(double(done_) * step_, double(done_ + 1) * step_, thresholds_, segment_, commands_.data());
            if (!plant.step(commands_.data(), step_, state_.data())) return row;
            std::copy(state_.begin(), state_.end(), where[row]);
            ++done_;
        }
        return where.count;
    }

    std::vector<double> state() const { return state_; }
    std::vector<double> refused() const { return body_.plant.refused(); }

private:
    Body body_;
    Drive drive_;
    std::size_t segment_ = 0;
    std::vector<double> state_, commands_, thresholds_;
    double step_;
    long done_ = 0;
};

std::string use_level(const std::string& name) {
    if (name.empty()) {
        chosen_level = nullptr;
        return level().name;
    }
    for (const Level& each : levels)
        if (name == each.name) {
            chosen_level = &each;
            return name;
        }
    std::string known;
    for (const Level& each : levels) known += (known.empty() ? "'" : ", '") + std::string(each.name) + "'";
    throw nb::value_error(("instruction set '" + name + "': must be one of " + known).c_str());
}

std::string version(int major, int minor, int patch) {
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

// Clang also defines __GNUC__ or _MSC_VER, so it is asked first.
std::string compiler() {
#if defined(__clang__) && defined(__apple_build_version__)
    return "Apple Clang " + version(__clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__clang__)
    return "Clang " + version(__clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
    return "GCC " + version(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#elif defined(_MSC_VER)
    return "MSVC " + version(_MSC_VER / 100, _MSC_VER % 100, _MSC_FULL_VER % 100000);
#else
    return "unknown";
#endif
}

nb::dict build_info() {
    nb::dict info;
    info["compiler"] = compiler();
    info["cxx_standard"] = "C++" + std::to_string(__cplusplus / 100 % 100);
    info["build_type"] = CONTINUARM_BUILD_TYPE;
    nb::list names;
    for (const Level& each : levels) names.append(each.name);
    info["instruction_sets"] = names;
    info["instruction_set"] = level().name;
    return info;
}

}  // namespace

NB_MODULE(_native, module) {
    module.doc() = "The compiled part of continuarm.";
    nb::set_leak_warnings(false);  // an arm that outlives the interpreter is no concern of users
    nb::class_<Handle>(module, "Handle", "An arm's numbers, as the generated steps take them.")
        .def(nb::init<std::vector<std::vector<double>>, bool, const std::vector<double>&, const std::vector<double>&,
                      double, const std::vector<double>&, const std::vector<std::vector<std::vector<double>>>&>())
        .def("evaluate", &evaluate, nb::arg("quantity"), nb::arg("threads"), nb::arg("q").none(),
             nb::arg("second") = nb::none(), nb::arg("third") = nb::none(), nb::arg("fourth") = nb::none(),
             "The quantity for C-contiguous float64 arrays of one shape, or None if anything about them is not good.")
        .def("repeated", &repeated, nb::arg("quantity"), nb::arg("q"), nb::arg("qd") = nb::none(),
             nb::arg("third") = nb::none(), nb::arg("times") = 1,
             "Evaluates one state many times and returns the seconds it took.");
    typedef const std::vector<std::vector<double>>& Numbers;
    nb::class_<Integrator>(module, "Integrator", "A motion in progress, its steps as long as the tolerances allow.")
        .def(nb::init<nb::object, Numbers, bool, std::vector<double>, double, std::vector<double>, double, int,
                      std::vector<double>>())
        .def("drive", &Integrator::drive, nb::arg("times"), nb::arg("begin"), nb::arg("end"))
        .def("advance", &Integrator::advance, nb::arg("times"), nb::arg("states"), nb::arg("seconds"))
        .def("counts", &Integrator::counts)
        .def("state", &Integrator::state)
        .def("refused", &Integrator::refused);
    nb::class_<Rate>(module, "Rate", "The rate of change of a state under commands.")
        .def(nb::init<nb::object, Numbers, bool>())
        .def("evaluate", &Rate::evaluate, nb::arg("commands"), nb::arg("state"), nb::arg("out"))
        .def("margin", &Rate::margin, nb::arg("state"));
    nb::class_<Stepper>(module, "Stepper", "A motion in progress, in implicit steps of one length.")
        .def(nb::init<nb::object, Numbers, bool, std::vector<double>, double>())
        .def("drive", &Stepper::drive, nb::arg("times"), nb::arg("begin"), nb::arg("end"))
        .def("advance", &Stepper::advance, nb::arg("states"))
        .def("state", &Stepper::state)
        .def("refused", &Stepper::refused);
    module.def("use_level", &use_level, nb::arg("name"),
               "Choose the instruction set: one of build_info()['instruction_sets'], or '' for the widest.");
    module.def("build_info", &build_info,
               "How this module was built, and which of its instruction sets this processor has and uses.");
}
