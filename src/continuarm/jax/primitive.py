"""Quantities of an arm in JAX: a primitive whose derivatives, transposes and batches are calls of itself.

JAX does not differentiate foreign functions, and `jax.custom_jvp` with `jax.custom_derivatives.linear_call` gives both
modes but no batches of derivatives. A primitive of our own has all of it: its derivative along tangents is linear in
them, and the transpose of that is the derivative of a weighted sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from continuarm.arms.arm import Arm, require_arm
from continuarm.common.number_checks import Floats, real_numbers
from continuarm.common.text import short
from continuarm.engine import compiled
from continuarm.engine.array_call import (
    GRADIENT,
    SECOND_DERIVATIVES,
    TANGENT,
    VALUE,
    ArrayCall,
    call_of,
    unused_axes,
)
from continuarm.engine.native_arm import number_row
from continuarm.engine.parameter_slopes import numbers_with, parameter_names, slopes_with
from continuarm.engine.state_checks import batch_of
from continuarm.engine.table import CHECKS, QUANTITIES

TARGET = "continuarm_array_call"
NOT_DOUBLE = (
    "continuarm.jax computes in double precision: switch it on with jax.config.update('jax_enable_x64', True) at the "
    "start of the program"
)


def quantity(name: str, arm: Arm, inputs: Sequence[Any], parameters: Mapping[str, Any] | None, step: Any = None) -> Any:
    """A quantity of an arm for arrays of JAX, or what becomes one, checked."""
    require_arm(arm)
    if not jax.config.jax_enable_x64:
        raise ValueError(NOT_DOUBLE)
    call = call_of(arm, name, _step(step) if QUANTITIES[name].argument == "step" else 1.0)
    arrays = [_array(each, value) for each, value in zip(call.quantity.inputs, inputs, strict=True)]
    batch = batch_of(arm, dict(zip(call.quantity.inputs, (array.shape for array in arrays), strict=True)))
    found = _evaluated(call, batch, _numbers(arm, parameters), *arrays)
    return found if len(found) > 1 else found[0]


def _step(step: Any) -> float:
    if isinstance(step, jax.core.Tracer):
        raise ValueError("step is traced: must be a number, the same in every call of a compiled function")
    return float(CHECKS["step"]("step", step))


def _array(name: str, value: Any) -> Any:
    if not _holds_arrays(value):  # numbers of Python or NumPy
        return jnp.asarray(real_numbers(name, value, "an array of doubles"))
    try:
        array = jnp.asarray(value)
    except (TypeError, ValueError):
        raise ValueError(f"{name} = {short(value)}: must be an array of doubles") from None
    if array.dtype != jnp.float64:
        raise ValueError(f"{name} has dtype {array.dtype}: must be float64")
    return array


def _holds_arrays(value: Any) -> bool:
    """Whether it is an array of JAX, which may be traced, or a list with such in it."""
    return isinstance(value, jax.Array) or (isinstance(value, (list, tuple)) and any(map(_holds_arrays, value)))


def _numbers(arm: Arm, parameters: Mapping[str, Any] | None) -> Any:
    """The numbers of the arm, (numbers,), as functions of parameters where there are any."""
    names = parameter_names(arm, parameters)
    if not names or parameters is None:
        return number_row(arm)
    return _numbers_with(arm, names, jnp.stack([_scalar(name, parameters[name]) for name in names]))


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _numbers_with(arm: Arm, names: tuple[str, ...], values: Any) -> Any:
    return _by_python(numbers_with, arm, names, values, ())


@_numbers_with.defjvp
def _numbers_along(arm: Arm, names: tuple[str, ...], primals: Any, tangents: Any) -> tuple[Any, Any]:
    return _numbers_with(arm, names, *primals), _slopes_with(arm, names, primals[0]) @ tangents[0]


@partial(jax.custom_jvp, nondiff_argnums=(0, 1))
def _slopes_with(arm: Arm, names: tuple[str, ...], values: Any) -> Any:
    return _by_python(slopes_with, arm, names, values, (len(names),))


@_slopes_with.defjvp
def _slopes_along(arm: Arm, names: tuple[str, ...], primals: Any, tangents: Any) -> tuple[Any, Any]:
    raise NotImplementedError(SECOND_DERIVATIVES)


def _by_python(function: Callable[..., Floats], arm: Arm, names: tuple[str, ...], values: Any, more: Any) -> Any:
    """A function of the values of parameters, which describe an arm: called at once, or by the compiled program."""
    if not isinstance(values, jax.core.Tracer):
        return jnp.asarray(function(arm, names, tuple(np.asarray(values).tolist())))
    shape = jax.ShapeDtypeStruct((len(number_row(arm)), *more), jnp.float64)
    return jax.pure_callback(
        lambda now: function(arm, names, tuple(np.asarray(now).tolist())), shape, values, vmap_method="sequential"
    )


def _scalar(name: str, value: Any) -> Any:
    array = _array(f"parameters[{name!r}]", value)
    if array.shape:
        raise ValueError(f"parameters[{name!r}] has shape {array.shape}: must be one number")
    return array


@partial(jax.jit, static_argnums=(0, 1))
def _evaluated(call: ArrayCall, batch: tuple[int, ...], numbers: Any, *inputs: Any) -> tuple[Any, ...]:
    """The results, each in its shape. Compiled once for all arms with as many sections and stops."""
    rows = [jnp.broadcast_to(each, (*batch, each.shape[-1])) for each in inputs]
    both = array_call_p.bind(jnp.reshape(numbers, (1,) * len(batch) + (-1,)), *rows, call=call)
    return tuple(
        part.reshape(*batch, *shape)
        for part, shape in zip(_split(both, [int(np.prod(shape)) for shape in call.shapes]), call.shapes, strict=True)
    )


def _split(both: Any, widths: Sequence[int]) -> list[Any]:
    return jnp.split(both, np.cumsum(widths)[:-1].tolist(), axis=-1) if len(widths) > 1 else [both]


# ---- The primitive -------------------------------------------------------------------------------------------------

array_call_p = Primitive("continuarm_array_call")


def _foreign(*operands: Any, call: ArrayCall) -> Any:
    result = jax.ShapeDtypeStruct((*call.batch([each.shape for each in operands]), call.width), jnp.float64)
    given = {
        name: np.array(value, dtype=np.int64)
        if name == "stops"
        else np.float64(value)
        if name == "step"
        else np.int64(value)
        for name, value in call.attributes().items()
    }
    return jax.ffi.ffi_call(TARGET, result)(*operands, **given)


@array_call_p.def_impl
def _at_once(*operands: Any, call: ArrayCall) -> Any:
    return jax.jit(partial(_foreign, call=call))(*operands)


@array_call_p.def_abstract_eval
def _shape(*operands: Any, call: ArrayCall) -> Any:
    return ShapedArray((*call.batch([each.shape for each in operands]), call.width), jnp.float64)


def _batched(operands: Sequence[Any], axes: Sequence[int | None], *, call: ArrayCall) -> tuple[Any, int]:
    """One more batch axis, of length 1 for what is the same in all of the batch: rows are shared, not copied."""
    moved = [
        jnp.expand_dims(each, 0) if axis is None else jnp.moveaxis(each, axis, 0)
        for each, axis in zip(operands, axes, strict=True)
    ]
    return array_call_p.bind(*moved, call=call), 0


def _along_tangents(primals: Sequence[Any], tangents: Sequence[Any], *, call: ArrayCall) -> tuple[Any, Any]:
    found = array_call_p.bind(*primals, call=call)
    zero = [type(each) is ad.Zero for each in tangents]
    if all(zero):
        return found, ad.Zero.from_primal_value(found)
    whole = [ad.instantiate_zeros(each) for each in tangents]
    if call.mode == VALUE:
        constants = not zero[0]
        return found, array_call_p.bind(
            *primals, *whole[1:], *(whole[:1] if constants else []), call=call.of(TANGENT, constants)
        )
    if not all(zero[: call.fixed]):
        raise NotImplementedError(SECOND_DERIVATIVES)
    return found, array_call_p.bind(*primals[: call.fixed], *whole[call.fixed :], call=call)


def _transposed(weights: Any, *operands: Any, call: ArrayCall) -> list[Any]:
    """Of a derivative, which is linear in its last operands: that along tangents and that of sums are each other's."""
    fixed, linear = operands[: call.fixed], operands[call.fixed :]
    shapes = [each.aval.shape if ad.is_undefined_primal(each) else each.shape for each in linear]
    nothing: list[Any] = [None] * call.fixed
    if type(weights) is ad.Zero:
        return nothing + [None] * len(linear)
    if call.mode == TANGENT:
        both = array_call_p.bind(*fixed, weights, call=call.of(GRADIENT, call.constants))
        parts = _split(both, call.linear_widths)
    else:
        parts = [array_call_p.bind(*fixed, *_split(weights, call.linear_widths), call=call.of(TANGENT, call.constants))]
    found = [
        part.sum(unused_axes(shape, part.shape[:-1]), keepdims=True) for part, shape in zip(parts, shapes, strict=True)
    ]
    wanted = [ad.is_undefined_primal(each) for each in linear]
    return nothing + [part if asked else None for part, asked in zip(found, wanted, strict=True)]


def _elsewhere(context: Any, *operands: Any, call: ArrayCall) -> Any:
    raise NotImplementedError(
        "continuarm.jax computes on processors, not on accelerators: run it there with "
        "jax.default_device(jax.devices('cpu')[0]) or jax.config.update('jax_platforms', 'cpu')"
    )


ad.primitive_jvps[array_call_p] = _along_tangents
ad.primitive_transposes[array_call_p] = _transposed
batching.primitive_batchers[array_call_p] = _batched
mlir.register_lowering(array_call_p, _elsewhere)
mlir.register_lowering(array_call_p, mlir.lower_fun(_foreign, multiple_results=False), platform="cpu")
jax.tree_util.register_static(Arm)  # so that an arm can be an argument of compiled functions
if compiled.native is not None:
    jax.ffi.register_ffi_target(TARGET, compiled.native.xla_handler(), platform="cpu")
