"""The table of quantities: each is computed natively where that is built, by its NumPy reference otherwise.

A function decorated with `quantity` is the reference itself, written for arrays that have been checked. Calling it
checks what the user gave, and chooses the engine.
"""

from __future__ import annotations

import importlib
import inspect
import os
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arguments import checked, duration, fractions, whole_number
from continuarm.arm import Arm
from continuarm.arrays import not_finite, require_finite
from continuarm.parameters import flat_parameters, model_kind

try:
    _native: Any = importlib.import_module("continuarm._native")
except ImportError:  # an unbuilt source tree: everything works, at the speed of NumPy
    _native = None

ENGINES = ("native", "reference")

PROCESSORS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1

QUANTITIES: dict[str, Quantity] = {}
"""Every quantity by its name."""

_ORDER = (
    "forward_dynamics",
    "inverse_dynamics",
    "bias_forces",
    "gravity_forces",
    "elastic_forces",
    "damping_forces",
    "mass_matrix",
    "coriolis_matrix",
    "kinetic_energy",
    "gravitational_energy",
    "elastic_energy",
    "tip_poses",
    "poses_along",
    "tip_jacobian",
    "linearization",
    "implicit_step",
)
"""As in native/arm.hpp."""


class Quantity:
    """A quantity of an arm at a state, or at a batch of states: call it as `quantity(arm, q, ...)`.

    engine: "native" (the default where it is built) or "reference", the NumPy form that defines the quantity.
    threads: how many threads a batch may use; all processors if left out.
    """

    def __init__(self, reference: Callable[..., Any], shaped: Callable[[Arm, Any], Any] | None) -> None:
        self.reference = reference
        self.shaped = shaped
        self.__name__ = self.__qualname__ = reference.__name__
        self.__doc__ = reference.__doc__
        self.__module__ = reference.__module__
        self.__signature__ = _with_choices(inspect.signature(reference))
        self.arguments = tuple(inspect.signature(reference).parameters)[1:]
        self.index = _ORDER.index(self.__name__)
        QUANTITIES[self.__name__] = self

    def __repr__(self) -> str:
        return f"<quantity {self.__name__}{self.__signature__}>"

    def __call__(self, arm: Arm, *values: ArrayLike, **named: Any) -> Any:
        if not named and len(values) == len(self.arguments):
            handle = getattr(arm, "__dict__", _NOTHING).get("_native")
            if handle is not None:
                found = handle.evaluate(self.index, PROCESSORS, *values)
                if found is not None:  # the arguments were good as they came
                    return self.shaped(arm, found) if self.shaped else found
        return self._careful(arm, *values, **named)

    def _careful(self, *values: Any, engine: str | None = None, threads: int | None = None, **named: Any) -> Any:
        """The same for arguments of any kind: they are checked, and brought into shape."""
        if engine not in (None, *ENGINES):
            raise ValueError(f"engine = {engine!r}: must be 'native' or 'reference'")
        if engine == "native" and _native is None:
            raise ValueError("engine = 'native': the compiled module is not built; install the package to build it")
        count = PROCESSORS if threads is None else whole_number("threads", threads, least=1)
        try:
            given = inspect.signature(self.reference).bind(*values, **named).arguments
        except TypeError as error:
            raise TypeError(f"{self.__name__}: {error}; it takes {self.__signature__}") from None
        arm = given.pop("arm")
        if engine != "reference" and _native is not None and isinstance(arm, Arm):
            found = native_arm(arm).evaluate(self.index, count, *given.values())
            if found is not None:
                return self.shaped(arm, found) if self.shaped else found
        extra = [check(name, given.pop(name)) for name, check in _EXTRAS.items() if name in given]
        arrays = checked(arm, **given)
        batch = arrays[0].shape[:-1]
        if engine == "reference" or _native is None:
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # what is not finite is reported below
                found = self.reference(arm, *arrays, *extra)
            for part in found if isinstance(found, tuple) else (found,):
                require_finite(self.__name__, part, len(batch), self._cause(arm))
            return found
        plain = [np.ascontiguousarray(array) for array in arrays]
        handle = native_arm(arm)
        found = handle.evaluate(self.index, count, *plain, *extra)
        if found is None:  # the arguments were good, so it is the result that is not
            ones = ((row, [each[row] for each in plain]) for row in np.ndindex(batch))
            wrong = (row for row, one in ones if handle.evaluate(self.index, 1, *one, *extra) is None)
            raise not_finite(self.__name__, next(wrong, ()), self._cause(arm))
        return self.shaped(arm, found) if self.shaped else found

    def _cause(self, arm: Arm) -> str:
        if self.__name__ not in ("forward_dynamics", "linearization", "implicit_step"):
            return "the numbers are too large"
        matrix = f"the mass matrix of {arm.name!r} ({arm.inertia.model} model)"
        return f"{matrix} is singular here or the numbers are too large"


_NOTHING: dict[str, Any] = {}

_EXTRAS: dict[str, Callable[[str, Any], Any]] = {"xi": fractions, "step": duration}
"""How arguments are checked that are no states."""


def _with_choices(signature: inspect.Signature) -> inspect.Signature:
    """The signature that users see: that of the reference, with the choice of engine and threads."""
    choices = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in ("engine", "threads")]
    return signature.replace(parameters=[*signature.parameters.values(), *choices])


def quantity(reference: Callable[..., Any] | None = None, *, shaped: Callable[[Arm, Any], Any] | None = None) -> Any:
    """Makes a reference function a quantity; `shaped` gives the native result the reference's form."""
    if reference is None:
        return lambda function: Quantity(function, shaped)
    return Quantity(reference, shaped)


def native_arm(arm: Arm) -> Any:
    """The arm's numbers in native memory, made once."""
    made = vars(arm).get("_native")
    if made is None:
        mass, offset = arm.point_mass
        made = _native.Handle(
            [flat_parameters(section, arm.inertia) for section in arm.sections],
            model_kind(arm.inertia) == "integral",
            arm.base_gravity.tolist(),
            [*arm.base_orientation.ravel().tolist(), 0.0, 0.0, 0.0],
            mass,
            list(offset),
            [
                [[*muscle, *limits, stiffness] for muscle, limits, stiffness in section.stops]
                for section in arm.sections
            ],
        )
        vars(arm)["_native"] = made
    return made
