"""What is declared of JAX's foreign function interface is what the header of the installed JAX says."""

import subprocess
from pathlib import Path

import jax.ffi

import continuarm
from continuarm.engine import compiled
from gate import tool

NATIVE = Path(continuarm.__file__).parent / "engine" / "native"
HEADER = (Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h").read_text(encoding="utf-8")
EXTENSION = "XLA_FFI_InternalExtension" if "XLA_FFI_InternalExtension" in HEADER else "XLA_FFI_Extension_Base"
"""Named otherwise since JAX 0.12, which Python 3.11 does not get."""
PAIRS = {
    "Extension": (EXTENSION, {"struct_size": "struct_size", "type": "type", "next": "next"}),
    "ApiVersion": (
        "XLA_FFI_Api_Version",
        {
            "extensions": "extension_start",
            "major_version": "major_version",
            "minor_version": "minor_version",
        },
    ),
    "ErrorArguments": ("XLA_FFI_Error_Create_Args", {"message": "message", "code": "errc"}),
    "Buffer": ("XLA_FFI_Buffer", {"type": "dtype", "data": "data", "rank": "rank", "dims": "dims"}),
    "Name": ("XLA_FFI_ByteSpan", {"text": "ptr", "size": "len"}),
    "Scalar": ("XLA_FFI_Scalar", {"type": "dtype", "value": "value"}),
    "Array": ("XLA_FFI_Array", {"type": "dtype", "size": "size", "data": "data"}),
    "Attributes": (
        "XLA_FFI_Attrs",
        {"size": "size", "kinds": "types", "names": "names", "each": "attrs"},
    ),
    "CallFrame": (
        "XLA_FFI_CallFrame",
        {
            "struct_size": "struct_size",
            "extensions": "extension_start",
            "api": "api",
            "context": "ctx",
            "stage": "stage",
            "arguments": "args",
            "results": "rets",
            "attributes": "attrs",
            "future": "future",
        },
    ),
    "MetadataExtension": ("XLA_FFI_Metadata_Extension", {"base": "extension_base", "metadata": "metadata"}),
}
BEGINNINGS = {  # structs of which only the beginning is declared, or two of JAX's that are alike
    "Api": (
        "XLA_FFI_Api",
        {"version": "api_version", "internal": "internal_api", "create_error": "XLA_FFI_Error_Create"},
    ),
    "Metadata": ("XLA_FFI_Metadata", {"version": "api_version", "traits": "traits"}),
    "Buffers": ("XLA_FFI_Args", {"size": "size", "kinds": "types", "each": "args"}),
    "Buffers ": ("XLA_FFI_Rets", {"size": "size", "kinds": "types", "each": "rets"}),
}
NUMBERS = {
    "metadata_extension": "XLA_FFI_Extension_Metadata",
    "invalid_argument": "XLA_FFI_Error_Code_INVALID_ARGUMENT",
    "resource_exhausted": "XLA_FFI_Error_Code_RESOURCE_EXHAUSTED",
    "failed_precondition": "XLA_FFI_Error_Code_FAILED_PRECONDITION",
    "float64": "XLA_FFI_DataType_F64",
    "int64": "XLA_FFI_DataType_S64",
    "buffer_kind": "XLA_FFI_ArgType_BUFFER",
    "buffer_kind ": "XLA_FFI_RetType_BUFFER",
    "array_kind": "XLA_FFI_AttrType_ARRAY",
    "scalar_kind": "XLA_FFI_AttrType_SCALAR",
    "major_version": "XLA_FFI_API_MAJOR",
}


def claims():
    for ours, (theirs, fields) in (PAIRS | BEGINNINGS).items():
        ours = ours.strip()
        if ours in PAIRS:
            yield f"sizeof(xla_ffi::{ours}) == sizeof({theirs})"
        for mine, other in fields.items():
            yield f"offsetof(xla_ffi::{ours}, {mine}) == offsetof({theirs}, {other})"
            yield f"sizeof(xla_ffi::{ours}::{mine}) == sizeof({theirs}::{other})"
    for ours, theirs in NUMBERS.items():
        yield f"int(xla_ffi::{ours.strip()}) == int({theirs})"


def test_every_size_and_offset_is_that_of_the_header(tmp_path):
    text = f'#include "{NATIVE / "xla_ffi.hpp"}"\n#include "xla/ffi/api/c_api.h"\nusing namespace continuarm;\n'
    text += "".join(f'static_assert({claim}, "{claim}");\n' for claim in claims())
    program = tmp_path / "same.cpp"
    program.write_text(text, encoding="utf-8")
    command = [tool("g++"), "-std=c++17", "-fsyntax-only", f"-I{jax.ffi.include_dir()}", str(program)]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr


def test_the_handler_is_a_capsule():
    assert "capsule" in repr(compiled.native.xla_handler())
