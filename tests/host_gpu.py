"""The kernel of a GPU on a processor: its very source as C++, looped over its threads, for arrays of NumPy."""

import contextlib
import ctypes
import hashlib
import subprocess
from pathlib import Path

import numpy as np

from gate import tool

CPU = Path("/proc/cpuinfo")
FUSED = ["-mfma"] if CPU.exists() and " fma " in CPU.read_text() else []
"""Fused multiply-adds are in the processor; else the library of C has them."""
BEFORE = """
#include <math.h>
#define __global__
#define __launch_bounds__(threads)
#define __grid_constant__
#define __forceinline__ inline
struct Index { unsigned x; };
static thread_local Index blockIdx, blockDim, threadIdx;
"""
AFTER = """
extern "C" __attribute__((visibility("default"))) void loop(const continuarm::device::SharedConstants* shared,
                                                            const continuarm::device::DeviceCall* call) {
    blockDim.x = CONTINUARM_THREADS;
    for (blockIdx.x = 0; blockIdx.x * blockDim.x < call->arms; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) roll_arms(*shared, *call);
}
"""


class HostGpu:
    """What `continuarm.engine.cuda.Cuda` is, with the processor in place of a GPU."""

    xp = np
    folder = None
    """Where what is compiled goes; set by a test."""

    def kernel(self, source, dtype):
        text = BEFORE + source + AFTER
        built = self.folder / f"{hashlib.sha256(text.encode()).hexdigest()[:16]}.so"
        if not built.exists():
            options = ["-std=c++17", "-O1", "-w", "-ffp-contract=off", "-shared", "-fPIC", *FUSED]
            options += ["-fvisibility=hidden"]  # layouts of several sources have the same names
            command = [tool("g++"), *options, "-x", "c++", "-", "-o", str(built)]
            subprocess.run(command, input=text, text=True, check=True)
        loop = ctypes.CDLL(str(built)).loop

        def launch(shared, call, arms):
            assert call["arms"] == arms
            loop(ctypes.c_void_p(shared.ctypes.data), ctypes.c_void_p(call.ctypes.data))

        return launch

    def host(self, array):
        return np.array(array)

    def address(self, array):
        return array.ctypes.data

    @contextlib.contextmanager
    def memory_for(self, what, needed):
        yield
