"""Exported C compiled and called, for tests."""

from __future__ import annotations

import ctypes
import subprocess

import numpy as np

from gate import tool

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pedantic"]


def run(*command, **options):
    """What a program prints; a test fails where it does."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    done = subprocess.run(command, text=True, **pipes | options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr or ''}"
    return done.stdout


def written(export, folder):
    """The files of an export in a folder."""
    for name, text in export.files().items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


class Library:
    """The functions of an export, over rows."""

    def __init__(self, export, folder, *flags):
        written(export, folder)
        self.export = export
        self.kind = np.float32 if any("FLOAT" in flag for flag in flags) else np.float64
        path = folder / "library.so"
        run(tool("gcc"), "-std=c99", "-shared", "-fPIC", *flags, folder / f"{export.prefix}.c", "-o", path)
        self.library = ctypes.CDLL(str(path))
        self.work = (ctypes.c_double * 200_000)()  # more than any workspace

    def rows(self, function, given):
        """Results of a function for rows of inputs, and the status of each row."""
        inputs = [a for a in function.arguments if not a.written]
        count = len(given[inputs[0].name])
        arrays = {a.name: np.array(given[a.name], dtype=self.kind, order="C") for a in inputs}
        for each in function.arguments:
            if each.written:
                arrays[each.name] = np.full((count, self.export.sizes[each.size]), np.nan, dtype=self.kind)
        called = getattr(self.library, f"{self.export.prefix}_{function.name}")
        status = [
            called(*(ctypes.c_void_p(arrays[a.name][k].ctypes.data) for a in function.arguments), self.work)
            for k in range(count)
        ]
        return [arrays[a.name] for a in function.arguments if a.written or a.both], np.array(status)


def largest_error(found, expected):
    """The largest error of any row, relative to the largest number of that row."""
    scale = np.abs(expected).max(axis=1)
    return float((np.abs(found - expected).max(axis=1) / np.where(scale > 0, scale, 1.0)).max())
