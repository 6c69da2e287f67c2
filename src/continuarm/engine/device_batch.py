"""Many arms of one layout in the memory of a GPU, an arm for each thread, with the calls that native code has."""

from __future__ import annotations

from typing import Any

import numpy as np

from continuarm.arms.variations import Arms
from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine.cuda import Launch
from continuarm.engine.device_source import ConstantPlaces, DeviceKernel, device_source
from continuarm.engine.native_batch import constant_rows

CALL = np.dtype(
    [(name, np.int64) for name in ("arms", "first", "count", "every", "rows", "table_rows")]
    + [(name, np.uint64) for name in ("own", "commands", "rest", "table", "states", "refused")]
    + [(name, np.uint64) for name in ("q", "qd", "tips", "energies", "stopped")]
    + [("step", np.float64)]
)
"""What a kernel is asked: DeviceCall of native/device_rollout.hpp."""


class DeviceBatch:
    """Arms where a machine computes, with states of their own.

    machine: where, `Cuda` or what has its methods; dtype: "float32" or "float64"; which: see `native_batch`.
    """

    def __init__(self, machine: Any, arms: Arms, plant: Plant, step: float, dtype: str, which: Any = None) -> None:
        self.machine, self.xp, self.dtype = machine, machine.xp, dtype
        self.count, self.step = len(arms) if which is None else len(which), step
        self._plant = plant
        constants = constant_rows(arms, step)
        self._places = ConstantPlaces.of(constants, plant.arm.n)
        width, size = plant.states.width, np.dtype(dtype).itemsize
        needed = self.count * ((len(self._places.own) + 2 * width) * size + 8)
        with machine.memory_for(f"{self.count:,} arms", needed):
            self._own = self._columns(constants, which)
            self._states = self.xp.zeros((width, self.count), dtype=dtype)
            self._refused = self.xp.zeros((self.count, width), dtype=dtype)
            self._stopped = self.xp.full(self.count, -1.0)
        shared = constants[0, list(self._places.shared)].astype(dtype) if self._places.shared else np.zeros(1, dtype)
        self._shared = shared.view([("numbers", dtype, (len(shared),))])
        self._kernels: dict[DeviceKernel, Launch] = {}

    def _columns(self, constants: Floats, which: Any = None) -> Any:
        """Those constants of arms that differ, (own, arms); which: as in `native_batch`."""
        own = constants[:, list(self._places.own)]
        return self.xp.asarray(np.ascontiguousarray((own if which is None else own[which]).T, dtype=self.dtype))

    def exchange(self, constants: Floats, chosen: Any) -> None:
        """Other constants, (arms, constants), for arms that are chosen."""
        self._own[...] = self.xp.where(self.xp.asarray(chosen) != 0, self._columns(constants), self._own)

    def array(self, values: Any, dtype: Any = None) -> Any:
        """Values where the machine computes, of its number type unless another is said; as they are where they fit."""
        return self.xp.ascontiguousarray(self.xp.asarray(values, dtype=dtype or self.dtype))

    def tables(self, rows: Any, table: Any) -> tuple[Any, Any]:
        """Rows of commands, and which of them each arm has, where the machine computes: pressures alone if they do."""
        muscles = self._plant.commands.forces
        if not np.any(rows[..., muscles:] != 0):
            rows = rows[..., :muscles]
        with self.machine.memory_for("commands", rows.size * np.dtype(self.dtype).itemsize):
            return self.array(rows), self.array(table, np.int32)

    def outputs(self, shapes: dict[str, tuple[int, ...]]) -> dict[str, Any]:
        """Arrays of NaN to write to, by their names."""
        needed = sum(int(np.prod(shape)) for shape in shapes.values()) * np.dtype(self.dtype).itemsize
        with self.machine.memory_for("outputs", needed):
            return {name: self.xp.full(shape, np.nan, dtype=self.dtype) for name, shape in shapes.items()}

    def put(self, states: Any, chosen: Any) -> None:
        """Puts arms that are chosen, (arms,), at states (arms, width), from where they go on."""
        which = self.xp.asarray(chosen) != 0
        moved = self.xp.asarray(states, dtype=self.dtype)
        self._states[...] = self.xp.where(which, moved.T, self._states)
        self._stopped[which] = -1.0

    def look(self) -> tuple[Any, Any, Any]:
        """States (arms, width), steps after which arms left the model's range or -1, NumPy's, and the states there."""
        return self.xp.ascontiguousarray(self._states.T), self.machine.host(self._stopped), self._refused.copy()

    def restore(self, states: Floats, stopped: Floats, refused: Floats) -> None:
        """What look gave, of arms like these."""
        self._states[...] = self.xp.asarray(states, dtype=self.dtype).T
        self._stopped[...] = self.xp.asarray(stopped)
        self._refused[...] = self.xp.asarray(refused, dtype=self.dtype)

    def advance(
        self,
        commands: Any,
        table: Any,
        rest: Any,
        first: int,
        count: int,
        every: int,
        rows: int,
        q: Any,
        qd: Any,
        tips: Any,
        energies: Any,
        threads: int = 0,
    ) -> None:
        """Steps all arms under rows of commands (tables, rows, given) and writes what is wanted, (arms, rows, width).

        Arm i has table[i]; the commands from `given` on are those of rest. It returns before the GPU is done.
        """
        muscles, width = self._plant.commands.forces, self._plant.commands.width
        given = commands.shape[-1] if commands.shape[-1] in (muscles, width) else muscles
        if commands.shape[-1] != given:  # none: as when nothing is stepped
            commands = self.xp.zeros((1, 1, muscles), dtype=self.dtype)
        pushed = given == width or bool(np.any(rest))
        kept = [self.array(commands), self.array(rest) if pushed else None, self.array(table, np.int32)]
        launch = self._kernel(DeviceKernel(self.dtype, given, pushed, tips is not None, energies is not None))
        call = np.zeros(1, CALL)
        call["arms"], call["first"], call["count"], call["every"] = self.count, first, count, every
        call["rows"], call["table_rows"], call["step"] = rows, commands.shape[1], self.step
        arrays = {
            "own": self._own if self._own.size else None,
            **dict(zip(("commands", "rest", "table"), kept, strict=True)),
            **{"states": self._states, "refused": self._refused, "stopped": self._stopped},
            **{"q": q, "qd": qd, "tips": tips, "energies": energies},
        }
        for name, array in arrays.items():
            if array is not None:
                call[name] = self.machine.address(array)
        launch(self._shared, call, self.count)

    def _kernel(self, wanted: DeviceKernel) -> Launch:
        if wanted not in self._kernels:
            self._kernels[wanted] = self.machine.kernel(device_source(self._plant, self._places, wanted), self.dtype)
        return self._kernels[wanted]
