"""Derivatives of quantities: along tangents of their inputs (jvp), and of their weighted sums (vjp).

Both are exact, not differences, and cost a few evaluations of the quantity, however many sections there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm, require_arm
from continuarm.arms.parameters import parameter_names
from continuarm.common.argument_checks import kind_of
from continuarm.common.number_checks import Floats, finite, real_numbers, require_finite
from continuarm.common.text import short
from continuarm.dynamics.mass_and_coriolis import COMPLEX_STEP
from continuarm.engine import compiled, quantities
from continuarm.engine.array_call import GRADIENT, TANGENT, call_of
from continuarm.engine.compiled import NOT_BUILT
from continuarm.engine.directions import Directions
from continuarm.engine.evaluation import Engine, is_by_reference, thread_count
from continuarm.engine.native_arm import number_row
from continuarm.engine.state_checks import checked
from continuarm.engine.table import CHECKS, QUANTITIES, Quantity, size

DIFFERENTIABLE = ("forward_dynamics", "inverse_dynamics", "tip_poses", "implicit_step")
"""Quantities that have derivatives here."""

Result = TypeVar("Result")
"""What a quantity gives: an array, or several."""


def jvp(
    quantity: Callable[..., Result],
    arm: Arm,
    inputs: Sequence[ArrayLike],
    tangents: Sequence[ArrayLike],
    *,
    step: float | None = None,
    engine: Engine | None = None,
    threads: int | None = None,
) -> Result:
    """How a quantity changes along tangents of its inputs: J (tangents), exact, without forming J.

    Parameters
    ----------
    quantity : callable
        `forward_dynamics`, `inverse_dynamics`, `tip_poses` or `implicit_step`.
    arm : Arm
    inputs : tuple of array_like, (..., 3n) each
        What the quantity takes after the arm: (q, qd, tau), (q, qd, qdd) or (q,).
    tangents : tuple of array_like, (..., 3n) each
        A direction for each input, of its unit.
    step : float, optional
        s, of `implicit_step`.
    engine : {"native", "reference"}, optional
        Compiled code, the default where it is built, or complex steps of the NumPy form.
    threads : int, optional
        How many threads a batch may use; all processors if left out.

    Returns
    -------
    ndarray, (..., 3n) or (..., n, 4, 4), or a pair of them
        As the quantity gives it.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> still, push = np.zeros(9), np.full(9, 2.0)
    >>> more = ca.jvp(ca.forward_dynamics, arm, (still, still, push), (still, still, np.eye(9)[0]))
    >>> bool(np.allclose(more, ca.forward_dynamics(arm, still, still, push + np.eye(9)[0])
    ...                  - ca.forward_dynamics(arm, still, still, push)))
    True
    """
    row = _differentiable(quantity)
    arrays, extra = _inputs(row, arm, inputs, step)
    along = [
        _of_shape(f"tangents[{k}]", tangent, array.shape)
        for k, (tangent, array) in enumerate(zip(_as_many("tangents", tangents, arrays), arrays, strict=True))
    ]
    if is_by_reference(engine):
        moved = [array + 1j * COMPLEX_STEP * tangent for array, tangent in zip(arrays, along, strict=True)]
        found = row.reference(arm, *moved, *extra)
        parts = tuple(part.imag / COMPLEX_STEP for part in (found if isinstance(found, tuple) else (found,)))
        return cast(Result, parts if len(parts) > 1 else parts[0])
    out = _run(arm, row, extra, TANGENT, False, [*arrays, *along], threads)
    parts = row.split(arm.n, _finite(f"jvp of {row.name}", out))
    return cast(Result, parts if len(parts) > 1 else parts[0])


def vjp(
    quantity: Callable[..., object],
    arm: Arm,
    inputs: Sequence[ArrayLike],
    weights: ArrayLike | tuple[ArrayLike, ...],
    *,
    step: float | None = None,
    engine: Engine | None = None,
    threads: int | None = None,
) -> tuple[Floats, ...]:
    """The gradient of a weighted sum of a quantity by its inputs: (weights)ᵀ J, exact, in O(n).

    One pass backward through the recursion. For `forward_dynamics` with weights λ the gradient by τ is M⁻¹ λ.

    Parameters
    ----------
    quantity : callable
        `forward_dynamics`, `inverse_dynamics`, `tip_poses` or `implicit_step`.
    arm : Arm
    inputs : tuple of array_like, (..., 3n) each
        What the quantity takes after the arm: (q, qd, tau), (q, qd, qdd) or (q,).
    weights : array_like, (..., 3n) or (..., n, 4, 4), or a pair of them
        Of the shape of what the quantity gives.
    step : float, optional
        s, of `implicit_step`.
    engine : {"native", "reference"}, optional
        Compiled code, the default where it is built, or complex steps of the NumPy form.
    threads : int, optional
        How many threads a batch may use; all processors if left out.

    Returns
    -------
    tuple of ndarray, (..., 3n) each
        One for each input.

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> q, still = np.full(9, 0.01), np.zeros(9)
    >>> weights = np.eye(9)[8]
    >>> by_q, by_qd, by_tau = ca.vjp(ca.forward_dynamics, arm, (q, still, still), weights)
    >>> bool(np.allclose(by_tau, np.linalg.inv(ca.mass_matrix(arm, q))[8]))
    True
    """
    row = _differentiable(quantity)
    arrays, extra = _inputs(row, arm, inputs, step)
    batch = arrays[0].shape[:-1]
    weighted = _weights(row, arm, weights, batch)
    if is_by_reference(engine):
        return _reference_gradient(row, arm, arrays, extra, weighted)
    out = _run(arm, row, extra, GRADIENT, False, [*arrays, weighted], threads)
    found = np.split(_finite(f"vjp of {row.name}", out), len(arrays), axis=-1)
    return tuple(map(np.ascontiguousarray, found))


def parameter_gradient(
    quantity: Callable[..., object],
    arm: Arm,
    inputs: Sequence[ArrayLike],
    weights: ArrayLike | tuple[ArrayLike, ...],
    parameters: str | Iterable[str],
    *,
    step: float | None = None,
    threads: int | None = None,
) -> dict[str, Floats]:
    """The gradient of a weighted sum of a quantity by numbers of the arm, exact, in O(n) for all of them together.

    Parameters
    ----------
    quantity : callable
        `forward_dynamics`, `inverse_dynamics`, `tip_poses` or `implicit_step`.
    arm : Arm
    inputs : tuple of array_like, (..., 3n) each
        What the quantity takes after the arm: (q, qd, tau), (q, qd, qdd) or (q,).
    weights : array_like, (..., 3n) or (..., n, 4, 4), or a pair of them
        Of the shape of what the quantity gives.
    parameters : str or iterable of str
        Fields of all sections ("stiffness"), of one ("sections[0].mass"), "payload.mass", "gravity[2]", as
        `Arm.replace` names them.
    step : float, optional
        s, of `implicit_step`.
    threads : int, optional
        How many threads a batch may use; all processors if left out.

    Returns
    -------
    dict of str to ndarray, (...,)
        For every parameter, one number for every row of the batch.

    Examples
    --------
    All accelerations by a mass, with the rows of a unit matrix as weights:

    >>> arm = ca.load_arm("prototype")
    >>> still = np.zeros((9, 9))
    >>> found = ca.parameter_gradient(ca.forward_dynamics, arm, (still, still, still + 2.0), np.eye(9), ["mass"])
    >>> found["mass"].shape
    (9,)
    """
    row = _differentiable(quantity)
    arrays, extra = _inputs(row, arm, inputs, step)
    batch = arrays[0].shape[:-1]
    weighted = _weights(row, arm, weights, batch)
    names = parameter_names("parameters", parameters)
    if compiled.native is None:
        raise ValueError(f"parameter_gradient: {NOT_BUILT}")
    slopes = Directions.by_name(arm, names, "parameters").number_slopes()
    out = _run(arm, row, extra, GRADIENT, True, [*arrays, weighted], threads)
    by_numbers = _finite(f"parameter_gradient of {row.name}", out)[..., -len(slopes) :] if names else out
    return {name: by_numbers @ slopes[:, k] for k, name in enumerate(names)}


def _run(
    arm: Arm,
    row: Quantity,
    extra: list[float],
    mode: int,
    constants: bool,
    operands: list[Floats],
    threads: int | None,
) -> Floats:
    """A derivative by native code, for arrays with the same batch axes."""
    numbers = number_row(arm).reshape(*(1,) * (operands[0].ndim - 1), -1)
    call = call_of(arm, row.name, *extra).of(mode, constants)
    return call.run([numbers, *operands], thread_count(threads))


def _finite(name: str, found: Floats) -> Floats:
    return require_finite(name, found, found.ndim - 1)


def _differentiable(quantity: Any) -> Quantity:
    name = getattr(quantity, "__name__", None)
    if not isinstance(name, str) or name not in DIFFERENTIABLE or quantity is not getattr(quantities, name):
        given = name if isinstance(name, str) else kind_of(quantity)
        allowed = f"must be one of this library's functions {', '.join(DIFFERENTIABLE)}"
        raise ValueError(f"quantity = {given}: {allowed}")
    return QUANTITIES[name]


def _inputs(row: Quantity, arm: Arm, inputs: Any, step: float | None) -> tuple[list[Floats], list[float]]:
    require_arm(arm)
    given = _as_many("inputs", inputs, row.inputs)
    called = {name: f"inputs[{k}]" for k, name in enumerate(row.inputs)}
    arrays = list(checked(arm, called, **dict(zip(row.inputs, given, strict=True))))
    if row.argument == "step":
        return arrays, [CHECKS["step"]("step", step)]
    if step is not None:
        raise ValueError(f"step = {short(step)}: {row.name} takes none")
    return arrays, []


def _as_many(name: str, given: Any, wanted: Sequence[Any]) -> Sequence[Any]:
    if not isinstance(given, (tuple, list)) or len(given) != len(wanted):
        kind = len(given) if isinstance(given, (tuple, list)) else type(given).__name__
        raise ValueError(f"{name} = {kind}: must be a tuple of {len(wanted)} arrays")
    return given


def _of_shape(name: str, value: ArrayLike, shape: tuple[int, ...], own: int = 1) -> Floats:
    """Numbers of a shape; batch axes, all but the last `own`, are broadcast."""
    array = finite(name, real_numbers(name, value, f"real numbers of shape {shape}"))
    try:
        if array.shape[-own:] == shape[-own:]:
            return np.broadcast_to(array, shape)
    except ValueError:
        pass
    raise ValueError(f"{name} has shape {array.shape}: must be {shape}")


def _weights(row: Quantity, arm: Arm, weights: Any, batch: tuple[int, ...]) -> Floats:
    """Weights (..., numbers of the result), those of several results one after the other."""
    shapes = [tuple(size(each, arm.n, 1) for each in shape) for shape in row.shapes]
    given = (weights,) if len(shapes) == 1 else _as_many("weights", weights, shapes)
    names = ["weights"] if len(shapes) == 1 else [f"weights[{k}]" for k in range(len(shapes))]
    parts = [
        _of_shape(name, part, (*batch, *shape), len(shape)).reshape(*batch, math.prod(shape))
        for name, part, shape in zip(names, given, shapes, strict=True)
    ]
    return np.concatenate(parts, axis=-1)


def _reference_gradient(
    row: Quantity, arm: Arm, arrays: list[Floats], extra: list[float], weights: Floats
) -> tuple[Floats, ...]:
    """By complex steps, one for every number of the inputs."""
    batch, found = arrays[0].shape[:-1], []
    for k, array in enumerate(arrays):
        units = (1j * COMPLEX_STEP * np.eye(array.shape[-1])).reshape(-1, *(1,) * len(batch), array.shape[-1])
        moved = row.reference(arm, *(each + units if k == j else each for j, each in enumerate(arrays)), *extra)
        parts = moved if isinstance(moved, tuple) else (moved,)
        slopes = [
            np.broadcast_to(part.imag / COMPLEX_STEP, (len(units), *batch, *part.shape[1 + len(batch) :])).reshape(
                len(units), math.prod(batch), math.prod(part.shape[1 + len(batch) :])
            )
            for part in parts
        ]
        rows = weights.reshape(math.prod(batch), weights.shape[-1])
        gradient = np.einsum("jbr,br->bj", np.concatenate(slopes, axis=-1), rows)
        found.append(gradient.reshape(array.shape))
    return tuple(found)
