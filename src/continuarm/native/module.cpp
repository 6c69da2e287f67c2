// The Python module continuarm._native.

#include <nanobind/nanobind.h>

#include <string>

namespace nb = nanobind;

// The compilers and processors on which a program can ask what the processor it runs on can do.
#if (defined(__GNUC__) || defined(__clang__)) && !defined(_MSC_VER) && (defined(__x86_64__) || defined(__i386__))
#define CONTINUARM_X86_DETECTION 1
#else
#define CONTINUARM_X86_DETECTION 0
#endif

namespace {

std::string version(int major, int minor, int patch) {
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

// Clang also defines __GNUC__ or _MSC_VER, so it is asked first.
nb::str compiler() {
    std::string text;
#if defined(__clang__) && defined(__apple_build_version__)
    text = "Apple Clang " + version(__clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__clang__)
    text = "Clang " + version(__clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
    text = "GCC " + version(__GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#elif defined(_MSC_VER)
    text = "MSVC " + version(_MSC_VER / 100, _MSC_VER % 100, _MSC_FULL_VER % 100000);
#else
    text = "unknown";
#endif
    return nb::str(text.c_str());
}

// 201703 -> "C++17".
nb::str cxx_standard() {
    const std::string year = std::to_string(__cplusplus / 100 % 100);
    return nb::str(("C++" + year).c_str());
}

nb::list instruction_sets() {
    nb::list names;
#if CONTINUARM_X86_DETECTION
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2")) names.append("avx2");
    if (__builtin_cpu_supports("fma")) names.append("fma");
    if (__builtin_cpu_supports("avx512f")) names.append("avx512f");
#endif
    return names;
}

nb::dict build_info() {
    nb::dict info;
    info["compiler"] = compiler();
    info["cxx_standard"] = cxx_standard();
    info["build_type"] = nb::str(CONTINUARM_BUILD_TYPE);
    info["instruction_sets"] = instruction_sets();
    return info;
}

}  // namespace

NB_MODULE(_native, module) {
    module.doc() = "The compiled part of continuarm.";
    module.def("build_info", &build_info,
               "How this module was built, and what the processor it runs on can do.\n\n"
               "compiler: name and version; cxx_standard: such as 'C++17'; build_type: such as 'Release';\n"
               "instruction_sets: those of avx2, fma and avx512f that this processor has (empty unless x86).");
}
