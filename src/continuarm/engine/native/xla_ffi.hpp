// What the run time of JAX hands to a foreign function, as far as it is used here: the C interface "XLA FFI", major
// version 0. JAX keeps this layout stable, so that its header is not needed to build; tests/frameworks/test_xla_ffi.py
// compares every size and offset with the header of the JAX that is installed.

#pragma once

#include <cstddef>
#include <cstdint>

namespace continuarm {
namespace xla_ffi {

// An old minor version: later ones only add to it, and their run times take it.
constexpr int major_version = 0, minor_version = 1;

struct Extension {
    std::size_t struct_size;
    int type;
    Extension* next;
};
constexpr int metadata_extension = 1;

struct ApiVersion {
    std::size_t struct_size;
    Extension* extensions;
    int major_version, minor_version;
};

struct Error;  // made and destroyed by the run time
struct ErrorArguments {
    std::size_t struct_size;
    Extension* extensions;
    const char* message;
    int code;
};
constexpr int invalid_argument = 3, resource_exhausted = 8, failed_precondition = 9, internal_error = 13;

// The beginning of a table of functions; what follows is not used.
struct Api {
    std::size_t struct_size;
    Extension* extensions;
    ApiVersion version;
    const void* internal;
    Error* (*create_error)(ErrorArguments*);
};

struct Buffer {
    std::size_t struct_size;
    Extension* extensions;
    int type;
    void* data;
    std::int64_t rank;
    std::int64_t* dims;
};
constexpr int float64 = 12, int64 = 5;
constexpr int buffer_kind = 1;  // of an argument or a result

struct Name {
    const char* text;
    std::size_t size;
};
struct Scalar {
    int type;
    void* value;
};
struct Array {
    int type;
    std::size_t size;
    void* data;
};
constexpr int array_kind = 1, scalar_kind = 3;  // of an attribute

struct Buffers {  // arguments or results
    std::size_t struct_size;
    Extension* extensions;
    std::int64_t size;
    int* kinds;
    void** each;
};

struct Attributes {
    std::size_t struct_size;
    Extension* extensions;
    std::int64_t size;
    int* kinds;
    Name** names;
    void** each;
};

struct CallFrame {
    std::size_t struct_size;
    Extension* extensions;
    const Api* api;
    void* context;
    int stage;
    Buffers arguments, results;
    Attributes attributes;
    void* future;
};

// What the run time asks of a handler before it is used.
struct Metadata {
    std::size_t struct_size;
    ApiVersion version;
    std::uint32_t traits;
};
struct MetadataExtension {
    Extension base;
    Metadata* metadata;
};

}  // namespace xla_ffi
}  // namespace continuarm
