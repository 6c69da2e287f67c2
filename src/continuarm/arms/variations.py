"""Many arms of one layout that differ in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, require_arm
from continuarm.arms.parameters import parameter_names, path_of, require_apart
from continuarm.common.argument_checks import kind_of
from continuarm.common.number_checks import Floats, finite, real_numbers
from continuarm.common.text import short

MOST_ARMS = 1_000_000
"""Of one batch: beyond what memory holds of most arms, and short of a slip of the keyboard."""
MOST_TOLD = 3
"""Arms that cannot be which a message names; of the others it says how many there are."""


class Arms(Sequence[Arm]):
    """Arms of one layout: the same sections, muscles and laws, other numbers. Made by `vary`, or of a list of arms.

    Parameters
    ----------
    arms : sequence of Arm
        At least one, all of one layout: as many sections and muscles, the same inertia model, lines, stops, valves that
        lag, hysteresis and branches of creep.

    Attributes
    ----------
    values : dict of str to ndarray, (arms,)
        The numbers that were varied, by their names; empty for a list of arms.

    Examples
    --------
    >>> arms = ca.Arms([ca.load_arm("prototype"), ca.load_arm("prototype").replace(payload=ca.Payload(mass=0.1))])
    >>> len(arms), arms[1].payload.mass
    (2, 0.1)
    """

    def __init__(self, arms: Sequence[Arm]) -> None:
        self._arms = _listed_arms(arms)
        self.values: dict[str, Floats] = {}
        _require_one_layout(self._arms)

    @overload
    def __getitem__(self, index: int) -> Arm: ...
    @overload
    def __getitem__(self, index: slice) -> Arms: ...
    def __getitem__(self, index: int | slice) -> Arm | Arms:
        """One of the arms, or those of a slice."""
        if not isinstance(index, slice):
            return self._arms[index]
        part = Arms(self._arms[index])
        part.values = {name: values[index] for name, values in self.values.items()}
        return part

    def __len__(self) -> int:
        """How many there are."""
        return len(self._arms)

    def __iter__(self) -> Iterator[Arm]:
        """One after the other."""
        return iter(self._arms)

    def __eq__(self, other: object) -> bool:
        """Whether they are the same arms, one by one."""
        return self._arms == other._arms if isinstance(other, Arms) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, object]:
        return {"_arms": self._arms, "values": self.values}

    def __repr__(self) -> str:
        varied = f", {', '.join(self.values)} varied" if self.values else ""
        return f"Arms({len(self)} of {self._arms[0].name!r}{varied})"


def vary(arm: Arm, changes: Mapping[str, ArrayLike] | None = None, **numbers: ArrayLike) -> Arms:
    """Arms that are like another but for some numbers.

    Parameters
    ----------
    arm : Arm
    changes : mapping of str to array_like, (arms,), optional
        Values by name, for names that are no words: {"sections[0].mass": [0.1, 0.12]}.
    numbers : array_like, (arms,)
        Values by name: stiffness=[1600.0, 1700.0]. Names are those of `simulate(..., sensitivities=...)`: a field of
        all sections, of one as sections[0].mass, or payload.mass, gravity[2]; one number is that of all arms.

    Returns
    -------
    Arms
        Checked, all of them: where some cannot be, a `ValueError` names the first.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> rng = np.random.default_rng(1)
    >>> arms = ca.vary(arm, {"sections[0].mass": rng.normal(0.1, 0.005, 100)}, damping=rng.uniform(90, 130, 100))
    >>> arms
    Arms(100 of 'prototype', sections[0].mass, damping varied)
    >>> arms[7].sections[0].mass == float(arms.values["sections[0].mass"][7])
    True
    """
    require_arm(arm)
    if changes is not None and not isinstance(changes, Mapping):
        raise TypeError(f"changes is {kind_of(changes)}: must be values by name, {{'sections[0].mass': [0.1, 0.12]}}")
    given = {**(changes or {}), **numbers}
    for name in (changes or {}).keys() & numbers.keys():
        raise ValueError(f"changes: {short(name)} is given twice: must be given once, in changes or by its keyword")
    names = parameter_names("changes", list(given))
    require_apart(arm, "changes", names)
    values = dict(zip(names, _columns(dict(zip(names, given.values(), strict=True))), strict=True))
    paths = {name: path_of(name) for name in names}
    made: list[Arm] = []
    wrong: list[str] = []
    for k in range(len(next(iter(values.values())))):
        try:
            made.append(arm.replace({path: float(values[name][k]) for name in names for path in paths[name]}))
        except ValueError as error:
            wrong.append(f"arm {k}: {str(error).removeprefix('Arm: ')}")
    if wrong:
        count = len(wrong) + len(made)
        more = f"; and {len(wrong) - MOST_TOLD} more" if len(wrong) > MOST_TOLD else ""
        raise ValueError(f"changes: {len(wrong)} of {count} arms cannot be: {'; '.join(wrong[:MOST_TOLD])}{more}")
    found = Arms(made)
    found.values = values
    return found


def arms_of(arms: Arm | Arms | Sequence[Arm]) -> Arms:
    """Arms from what a user gave: arms of one layout, a list of them, or one."""
    if isinstance(arms, Arms):
        return arms
    return Arms([arms] if isinstance(arms, Arm) else arms)


def _columns(given: Mapping[str, Any]) -> list[Floats]:
    """Values of equal length, (arms,) each."""
    if not given:
        raise ValueError("changes: nothing is varied: must name at least one number of the arm, as stiffness=[...]")
    allowed = "a number for each arm, or one for all"
    arrays = {
        name: finite(f"changes: {name}", real_numbers(f"changes: {name}", value, allowed))
        for name, value in given.items()
    }
    for name, array in arrays.items():
        if array.ndim > 1:
            raise ValueError(f"changes: {name} has shape {array.shape}: must be (arms,), {allowed}")
    lengths = {name: len(array) for name, array in arrays.items() if array.ndim == 1}
    count = max(lengths.values(), default=1)
    for name, length in lengths.items():
        if length != count or not length:
            raise ValueError(f"changes: {name} has {length} numbers: must have {max(count, 1)}, one for each arm")
    if count > MOST_ARMS:
        raise ValueError(f"changes: {count} arms: must be at most {MOST_ARMS}")
    return [np.array(np.broadcast_to(array, count)) for array in arrays.values()]


def _listed_arms(arms: Any) -> tuple[Arm, ...]:
    try:
        found = None if isinstance(arms, (str, bytes, Mapping, Arm)) else tuple(arms)
    except TypeError:  # nothing that can be gone through
        found = None
    if found is None:
        raise TypeError(f"arms is {kind_of(arms)}: must be a list of Arm, or what vary(arm, ...) gives")
    if not found:
        raise ValueError("arms has none in it: must be at least one Arm")
    for k, arm in enumerate(found):
        if not isinstance(arm, Arm):
            raise TypeError(f"arms[{k}] is {kind_of(arm)}: must be an Arm (see load_arm)")
    return found


def _layout(arm: Arm) -> dict[str, Any]:
    """What arms of one layout have in common, by what a message calls it."""
    sections = arm.sections
    return {
        "number of sections": arm.n,
        "numbers of muscles": [len(s.muscle_map) for s in sections],
        "inertia model": arm.inertia.model,
        "muscles with an area": [s.muscle_area is not None for s in sections],
        "valves that lag": [s.valve_lag > 0 for s in sections],
        "hysteresis": [s.hysteresis is not None and s.hysteresis[0] > 0 for s in sections],
        "branches of creep": [len(s.creep) for s in sections],
        "stops": [bool(s.stops) for s in sections],
        "lines": [(line.muscles, line.delay) for line in arm.lines],
    }


def _require_one_layout(arms: Sequence[Arm]) -> None:
    first = _layout(arms[0])
    for k, arm in enumerate(arms):
        if arm is arms[0]:
            continue
        for what, value in _layout(arm).items():
            if value != first[what]:
                differ = f"{what}: {short(value)} of arms[{k}], {short(first[what])} of arms[0]"
                raise ValueError(f"arms differ in {differ}: must be arms of one layout, which differ in numbers alone")
