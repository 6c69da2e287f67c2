// How the module was built, and which instruction set it uses.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "instruction_sets.hpp"
#include "levels.hpp"
#include "module.hpp"

namespace nb = nanobind;

namespace continuarm {

namespace {

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
    info["compiled_sets"] = compiled_sets();
    info["processor_sets"] = processor_sets();
    info["instruction_sets"] = usable_sets();
    info["instruction_set"] = kernels().name;
    return info;
}

}  // namespace

void bind_build(nb::module_& module) {
    module.def("use_level", &use_level, nb::arg("name"),
               "Choose the instruction set: one of build_info()['instruction_sets'], or '' for the widest.");
    module.def(
        "build_info", &build_info,
        "How this module was built, which instruction sets are in it and in this processor, which are in both, and "
        "the one in use.");
}

}  // namespace continuarm
