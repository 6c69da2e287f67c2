// Quantities and derivatives for frameworks of arrays: as a function of NumPy arrays, and as a foreign function of JAX.

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <string>

#include "array_calls.hpp"
#include "arrays.hpp"
#include "batches.hpp"
#include "module.hpp"
#include "xla_ffi.hpp"

namespace continuarm {

namespace {

Mode mode_of(std::int64_t index) {
    if (index < 0 || index > 2) throw std::invalid_argument("there is no such mode");
    return Mode(index);
}

// ---- NumPy ---------------------------------------------------------------------------------------------------------

Operand operand_of(View& view, nb::handle array, bool writable) {
    if (!view.open(array.ptr(), writable)) throw std::invalid_argument("an operand must be an array of doubles");
    return {view.data(), std::vector<std::int64_t>(view.shape(), view.shape() + view.ndim())};
}

void array_call(int quantity, int mode, bool constants, bool integral, const std::vector<std::int64_t>& stops,
                double step, int threads, const nb::list& operands, nb::handle out) {
    ArrayCall call{quantity_of(quantity), mode_of(mode), constants, integral, stops, step, threads, {}, {}};
    View views[8], out_view;
    const std::size_t count = nb::len(operands);
    if (count > 8) throw std::invalid_argument("an arm's quantity has the wrong number of arguments");
    for (std::size_t k = 0; k < count; ++k) call.operands.push_back(operand_of(views[k], operands[k], false));
    call.result = operand_of(out_view, out, true);
    nb::gil_scoped_release released;
    run(call);
}

// ---- JAX -----------------------------------------------------------------------------------------------------------

Operand operand_of(const xla_ffi::Buffers& buffers, std::int64_t k) {
    const auto& buffer = *static_cast<const xla_ffi::Buffer*>(buffers.each[k]);
    if (buffers.kinds[k] != xla_ffi::buffer_kind || buffer.type != xla_ffi::float64)
        throw std::invalid_argument("an operand must be an array of doubles");
    return {static_cast<double*>(buffer.data), std::vector<std::int64_t>(buffer.dims, buffer.dims + buffer.rank)};
}

const void* attribute(const xla_ffi::Attributes& attributes, const char* name, int kind) {
    for (std::int64_t k = 0; k < attributes.size; ++k) {
        const xla_ffi::Name& each = *attributes.names[k];
        if (each.size != std::strlen(name) || std::memcmp(each.text, name, each.size) != 0) continue;
        if (attributes.kinds[k] == kind) return attributes.each[k];
    }
    throw std::invalid_argument(std::string("the attribute ") + name + " is missing");
}

template <class Number>
Number number(const xla_ffi::Attributes& attributes, const char* name, int type) {
    const auto& scalar = *static_cast<const xla_ffi::Scalar*>(attribute(attributes, name, xla_ffi::scalar_kind));
    if (scalar.type != type) throw std::invalid_argument(std::string("the attribute ") + name + " has another type");
    return *static_cast<const Number*>(scalar.value);
}

std::int64_t whole_number(const xla_ffi::Attributes& attributes, const char* name) {
    return number<std::int64_t>(attributes, name, xla_ffi::int64);
}

void run(const xla_ffi::CallFrame& frame) {
    const xla_ffi::Attributes& given = frame.attributes;
    const auto& stops = *static_cast<const xla_ffi::Array*>(attribute(given, "stops", xla_ffi::array_kind));
    if (stops.type != xla_ffi::int64 || frame.results.size != 1)
        throw std::invalid_argument("an arm's quantity is called in a wrong way");
    const auto* counts = static_cast<const std::int64_t*>(stops.data);
    ArrayCall call{quantity_of(long(whole_number(given, "quantity"))),
                   mode_of(whole_number(given, "mode")),
                   whole_number(given, "constants") != 0,
                   whole_number(given, "integral") != 0,
                   std::vector<std::int64_t>(counts, counts + stops.size),
                   number<double>(given, "step", xla_ffi::float64),
                   int(whole_number(given, "threads")),
                   {},
                   operand_of(frame.results, 0)};
    for (std::int64_t k = 0; k < frame.arguments.size; ++k) call.operands.push_back(operand_of(frame.arguments, k));
    run(call);
}

xla_ffi::Error* error(const xla_ffi::CallFrame& frame, int code, const std::string& message) {
    xla_ffi::ErrorArguments arguments{sizeof(arguments), nullptr, message.c_str(), code};
    return frame.api->create_error(&arguments);
}

// Says which version of the interface this was written for.
void describe(xla_ffi::Metadata& asked) {
    asked.version = {sizeof(asked.version), nullptr, xla_ffi::major_version, xla_ffi::minor_version};
    asked.traits = 0;
}

// The foreign function: called by JAX's run time on a thread of its own, without Python.
xla_ffi::Error* handler(xla_ffi::CallFrame* frame) {
    for (xla_ffi::Extension* each = frame->extensions; each; each = each->next)
        if (each->type == xla_ffi::metadata_extension) {
            describe(*reinterpret_cast<xla_ffi::MetadataExtension*>(each)->metadata);
            return nullptr;
        }
    const xla_ffi::ApiVersion& version = frame->api->version;
    if (version.major_version != xla_ffi::major_version || frame->struct_size < offsetof(xla_ffi::CallFrame, future))
        return error(*frame, xla_ffi::failed_precondition,
                     "continuarm.jax speaks version 0 of XLA's foreign function interface, this JAX speaks version " +
                         std::to_string(version.major_version));
    try {
        run(*frame);
        return nullptr;
    } catch (const std::bad_alloc&) {
        return error(*frame, xla_ffi::resource_exhausted, "there is not enough memory for this batch");
    } catch (const std::exception& fault) {
        return error(*frame, xla_ffi::invalid_argument, fault.what());
    }
}

}  // namespace

void bind_frameworks(nb::module_& module) {
    module.def("array_call", &array_call, nb::arg("quantity"), nb::arg("mode"), nb::arg("constants"),
               nb::arg("integral"), nb::arg("stops"), nb::arg("step"), nb::arg("threads"), nb::arg("operands"),
               nb::arg("out"),
               "A quantity (mode 0), how it changes along tangents (1), or derivatives of its weighted sum (2), for "
               "C-contiguous float64 arrays with as many axes as out, whose batch axes broadcast.");
    module.def(
        "xla_handler", [] { return nb::capsule(reinterpret_cast<const void*>(&handler)); },
        "The same as a foreign function of JAX.");
}

}  // namespace continuarm
