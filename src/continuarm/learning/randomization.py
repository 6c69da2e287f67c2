"""Arms that a policy meets: drawn about the nominal one, as far apart as its numbers are uncertain."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.parameters import number_of, parameter_names
from continuarm.arms.variations import Arms, vary
from continuarm.common.argument_checks import kind_of
from continuarm.common.number_checks import Floats, as_float, seed_number, whole_number
from continuarm.common.text import short
from continuarm.identification.fitted_parameters import read_errors
from continuarm.identification.result import Identification

Randomize = Mapping[str, float] | Identification | Arms | str

ERROR_BARS = "error bars"
"""What `randomize` takes for the standard errors in the description of an arm."""
FARTHEST = 3.0
"""Standard deviations within which numbers are drawn."""
ALLOWED = (
    "standard deviations by name, {'stiffness': 50.0}, an Identification, arms as vary(...) makes them, "
    f"or {ERROR_BARS!r} for those in the description of the arm"
)
NOT_OF_THE_ARM = ("delay", "line_delay", "sensor_frame", "gauge_offset", "gauge_gain")
"""Fitted numbers that do not change how an arm moves under pressures."""

_SIGNED = re.compile(r"twist|offset|preload|gravity|base_rotation|length_range|hysteresis\[2\]|\[(\d)\]\[(?!\1)\d\]")
"""Names of numbers that may have either sign; the last are entries of a matrix beside its diagonal."""


def randomized_arms(arm: Arm, randomize: Randomize | None, count: int = 256, seed: int = 0) -> Arms:
    """The nominal arm first, and others about it.

    Numbers are normal about those of the arm, within three standard deviations, and those that are positive by their
    meaning, such as stiffness, log-normal; those of an Identification are correlated as it found them.

    Parameters
    ----------
    arm : Arm
    randomize : optional
        Standard deviations in SI units by the names that `vary` takes; or an Identification, whose standard errors they
        are; or "error bars", for the standard errors that the description of a fitted arm has; or arms.
    count : int, optional
        How many arms there are, at least 2.
    seed : int, optional

    Returns
    -------
    Arms
        One where nothing is randomized.

    Examples
    --------
    >>> import continuarm.learning
    >>> arms = continuarm.learning.randomized_arms(ca.load_arm("asu-two-section"), "error bars", count=50)
    >>> len(arms), sorted(arms.values)[:3]
    (50, ['hysteresis[0]', 'hysteresis[1]', 'muscle_area'])
    """
    if randomize is None:
        return Arms([arm])
    count, seed = whole_number("pool", count, least=2), seed_number("seed", seed)
    if isinstance(randomize, Arms):
        return Arms([arm, *randomize])
    names, errors, root = _deviations(arm, randomize)
    rng = np.random.default_rng(seed)
    drawn = rng.standard_normal((count, len(names)))
    while (far := np.abs(drawn) > FARTHEST).any():
        drawn[far] = rng.standard_normal(int(far.sum()))
    drawn[0] = 0.0
    nominal = np.array([number_of(arm, name, "randomize") for name in names])
    steps = (drawn @ root.T) * errors
    positive = np.array([nominal[k] > 0 and not _SIGNED.search(name) for k, name in enumerate(names)])
    relative = steps / np.where(positive, nominal, 1.0)
    values = np.where(positive, nominal * np.exp(relative), nominal + steps)
    return vary(arm, {name: values[:, k] for k, name in enumerate(names)})


def _deviations(arm: Arm, randomize: Any) -> tuple[list[str], Floats, Floats]:
    """Names of numbers, their standard deviations (k,), and a root of their correlation (k, k)."""
    if isinstance(randomize, Identification):
        reported = {each.name: each.standard_error for each in randomize.parameters}
        rows = [k for k, name in enumerate(reported) if _is_of_the_arm(name)]
        sizes, axes = np.linalg.eigh(randomize.correlation[np.ix_(rows, rows)])
        root = axes * np.sqrt(np.maximum(sizes, 0.0))
    elif isinstance(randomize, str) and randomize == ERROR_BARS:
        reported = read_errors(arm.description)
        if not reported:
            raise ValueError(f"randomize = {ERROR_BARS!r}: the description of {arm.name!r} has none: must be {ALLOWED}")
        root = np.eye(sum(map(_is_of_the_arm, reported)))
    elif isinstance(randomize, Mapping) and randomize:
        names = parameter_names("randomize", list(randomize))
        return names, _checked(dict(zip(names, randomize.values(), strict=True))), np.eye(len(names))
    else:
        raise ValueError(f"randomize is {kind_of(randomize)}: must be {ALLOWED}")
    own = {_name_in_arm(name): error for name, error in reported.items() if _is_of_the_arm(name)}
    return list(own), _checked(own), root


def _checked(errors: Mapping[str, Any]) -> Floats:
    found = np.array([as_float(error) for error in errors.values()])
    for name, error, given in zip(errors, found, errors.values(), strict=True):
        if not (np.isfinite(error) and error >= 0):
            raise ValueError(f"randomize: {name} = {short(given)}: must be a standard deviation, 0 or more and finite")
    return found


def _is_of_the_arm(name: str) -> bool:
    return not name.startswith(NOT_OF_THE_ARM)


# stiffness, stiffness of section 2, stiffness of section 2 [1, 3], friction a, preload x of section 1, base_rotation y
_REPORTED = re.compile(
    r"(?P<field>\w+)(?: of section (?P<before>\d+))?(?: (?P<letter>[abgxyz])| \[(?P<i>\d), (?P<j>\d)\])?"
    r"(?: of section (?P<after>\d+))?"
)
_PLACES = {"a": 0, "b": 1, "g": 2, "x": 0, "y": 1, "z": 2}


def _name_in_arm(reported: str) -> str:
    """The name of a number as `vary` takes it, from that under which a fit reports it."""
    found = _REPORTED.fullmatch(reported)
    if found is None or found["field"].startswith(("bending_", "creep")):
        raise ValueError(f"randomize: {short(reported)} is no number of the arm by itself: must be {ALLOWED}")
    section = found["before"] or found["after"]
    field = "hysteresis" if found["field"] == "friction" else found["field"]
    name = f"sections[{int(section) - 1}].{field}" if section else field
    if found["letter"]:
        return f"{name}[{_PLACES[found['letter']]}]"
    return f"{name}[{int(found['i']) - 1}][{int(found['j']) - 1}]" if found["i"] else name
