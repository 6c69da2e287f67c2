"""The GPU as the engine uses it: arrays and kernels through CuPy, which is imported when it is asked for."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from continuarm.common.argument_checks import kind_of
from continuarm.engine.device_source import KERNEL, OPTIONS, THREADS

EXTRA = "pip install 'continuarm[cuda]'"
ON_A_GPU = (2, 13)
"""What DLPack calls memory of CUDA, its own and managed."""

Launch = Callable[[Any, Any, int], None]
"""A kernel: called with the constants all arms share, what is asked, and how many arms there are."""


def is_on_gpu(value: object) -> bool:
    """Whether it is an array in the memory of a GPU, of any library that speaks DLPack."""
    where = getattr(value, "__dlpack_device__", None)
    return where is not None and not isinstance(value, type) and where()[0] in ON_A_GPU


class Cuda:
    """The current GPU of CuPy, on its current stream."""

    def __init__(self) -> None:
        try:
            import cupy
        except ImportError:
            raise ImportError(f"device = 'cuda' needs the package cupy: {EXTRA}") from None
        try:
            count = cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise ValueError(f"device = 'cuda': there is no GPU that CUDA can use: {_sentence(error)}") from None
        if not count:
            raise ValueError("device = 'cuda': there is no GPU that CUDA can use")
        self.xp: Any = cupy

    def kernel(self, source: str, dtype: str) -> Launch:
        """The kernel of a source, compiled, or taken from the files that CuPy keeps of what it compiled."""
        function = _function(self.xp, source, OPTIONS[dtype], self.xp.cuda.runtime.getDevice())

        def launch(shared: Any, call: Any, arms: int) -> None:
            function((-(-arms // THREADS),), (THREADS,), (shared, call))

        return launch

    def taken(self, name: str, value: Any) -> Any:
        """An array of another library in the memory of a GPU, where it is."""
        if isinstance(value, self.xp.ndarray):
            return value
        try:
            return self.xp.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            hint = f"must be an array that DLPack hands over: {_sentence(error)}"
            raise ValueError(f"{name} is {kind_of(value)} on a GPU: {hint}") from None

    def host(self, array: Any) -> Any:
        """A copy for NumPy."""
        return self.xp.asnumpy(array)

    def address(self, array: Any) -> int:
        """Where an array begins."""
        return int(array.data.ptr)

    @contextlib.contextmanager
    def memory_for(self, what: str, needed: int) -> Iterator[None]:
        """Inside, memory that cannot be had is told in a sentence; needed: bytes."""
        try:
            yield
        except self.xp.cuda.memory.OutOfMemoryError:
            free, total = self.xp.cuda.runtime.memGetInfo()
            free += self.xp.get_default_memory_pool().free_bytes()
            hint = "fewer arms or outputs, a larger every, or dtype = 'float32' need less"
            raise MemoryError(
                f"device = 'cuda': {what} need {needed:,} bytes, and {free:,} of {total:,} are free: {hint}"
            ) from None


@cache
def _function(cupy: Any, source: str, options: tuple[str, ...], device: int) -> Any:
    return cupy.RawModule(code=source, options=options).get_function(KERNEL)


def _sentence(error: Exception) -> str:
    return " ".join(str(error).split())[:200]
