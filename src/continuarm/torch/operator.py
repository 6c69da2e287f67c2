"""Quantities of an arm in torch: one custom operator, whose derivative is the operator in another mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from continuarm.arms.arm import Arm, require_arm
from continuarm.common.argument_checks import kind_of
from continuarm.common.number_checks import real_numbers
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

ONE = "one number, float64"
"""What a parameter must be."""


def quantity(name: str, arm: Arm, inputs: Sequence[Any], parameters: Mapping[str, Any] | None, step: Any = None) -> Any:
    """A quantity of an arm for tensors, checked."""
    require_arm(arm)
    _prepare(arm)
    stepped = QUANTITIES[name].argument == "step"
    call = call_of(arm, name, float(CHECKS["step"]("step", step)) if stepped else 1.0)
    tensors = [_tensor(each, value) for each, value in zip(call.quantity.inputs, inputs, strict=True)]
    shapes = {each: tuple(tensor.shape) for each, tensor in zip(call.quantity.inputs, tensors, strict=True)}
    batch = batch_of(arm, shapes)
    rows = [tensor.expand(*batch, tensor.shape[-1]) for tensor in tensors]
    numbers = _numbers(arm, parameters).reshape(*(1,) * len(batch), -1)
    if torch.compiler.is_compiling():  # looks into operators, not into functions with derivatives along tangents
        both = _array_call([numbers, *rows], *_packed(call))
    else:
        both = _Differentiable.apply(call, numbers, *rows)
    widths = [torch.Size(shape).numel() for shape in call.shapes]
    found = [part.reshape(*batch, *shape) for part, shape in zip(both.split(widths, -1), call.shapes, strict=True)]
    return tuple(found) if len(found) > 1 else found[0]


@torch.compiler.assume_constant_result
def _prepare(arm: Arm) -> bool:
    """Makes what is kept with an arm, so that a compiler finds plain numbers, which it asks for again in every call."""
    call_of(arm, "forward_dynamics")
    number_row(arm)
    return True


def _tensor(name: str, value: Any) -> torch.Tensor:
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"{name} is {kind_of(value)}: must be a tensor")
    if value.dtype != torch.float64:
        raise ValueError(f"{name} has dtype {str(value.dtype).removeprefix('torch.')}: must be float64")
    if value.device.type != "cpu":
        raise ValueError(f"{name} is on {value.device}: must be on the processor, as {name}.cpu() is")
    return value


def _numbers(arm: Arm, parameters: Mapping[str, Any] | None) -> torch.Tensor:
    """The numbers of the arm, (numbers,), as functions of parameters where there are any."""
    names = parameter_names(arm, parameters)
    if not names or parameters is None:
        return torch.from_numpy(np.array(number_row(arm)))
    values = torch.stack([_scalar(name, parameters[name]) for name in names])
    fixed = values.detach()
    known = tuple(float(each) for each in fixed)
    row, slopes = (torch.from_numpy(np.array(made(arm, names, known))) for made in (numbers_with, slopes_with))
    return row + slopes @ (values - fixed)  # the last is 0 and has the derivative 1


def _scalar(name: str, value: Any) -> torch.Tensor:
    called = f"parameters[{name!r}]"
    tensor = value if isinstance(value, torch.Tensor) else torch.from_numpy(np.array(real_numbers(called, value, ONE)))
    if tensor.shape or tensor.dtype != torch.float64:
        kind = str(tensor.dtype).removeprefix("torch.")
        raise ValueError(f"{called} has shape {tuple(tensor.shape)} and dtype {kind}: must be {ONE}")
    if torch._C._functorch.is_batchedtensor(tensor):
        raise ValueError(f"{called} is mapped by vmap: must be {ONE}, as its value describes an arm")
    return tensor


# ---- The operator: all but the operands as plain numbers, which is what an operator of torch takes ------------------

_NAMES = tuple(QUANTITIES)


def _packed(call: ArrayCall) -> tuple[Any, ...]:
    index = _NAMES.index(call.name)
    return index, list(call.stops), call.numbers, call.integral, call.step, call.mode, call.constants


def _call(
    quantity: int, stops: Sequence[int], numbers: int, integral: bool, step: float, mode: int, constants: bool
) -> ArrayCall:
    return ArrayCall(_NAMES[quantity], tuple(stops), numbers, integral, step, mode, constants)


def _array_call_now(
    operands: Sequence[torch.Tensor],
    quantity: int,
    stops: Sequence[int],
    numbers: int,
    integral: bool,
    step: float,
    mode: int,
    constants: bool,
) -> torch.Tensor:
    call = _call(quantity, stops, numbers, integral, step, mode, constants)
    return torch.from_numpy(call.run([each.detach().numpy() for each in operands]))


_array_call_now.__annotations__ = {
    "operands": Sequence[torch.Tensor],
    "quantity": int,
    "stops": Sequence[int],
    "numbers": int,
    "integral": bool,
    "step": float,
    "mode": int,
    "constants": bool,
    "return": torch.Tensor,
}
_array_call = torch.library.custom_op("continuarm::array_call", _array_call_now, mutates_args=())


@_array_call.register_fake
def _shape(operands: Sequence[torch.Tensor], *packed: Any) -> torch.Tensor:
    batch = torch.broadcast_shapes(*(each.shape[:-1] for each in operands))
    return operands[0].new_empty((*batch, _call(*packed).width))


def _batched(info: Any, axes: Any, operands: Sequence[torch.Tensor], *packed: Any) -> tuple[torch.Tensor, int]:
    return _array_call(_axis_first(operands, axes[0]), *packed), 0


def _axis_first(operands: Sequence[torch.Tensor], axes: Sequence[int | None]) -> list[torch.Tensor]:
    """One more batch axis, of length 1 for what is the same in all of the batch: rows are shared, not copied."""
    return [
        each.unsqueeze(0) if axis is None else each.movedim(axis, 0) for each, axis in zip(operands, axes, strict=True)
    ]


def _keep(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
    operands, *packed = inputs
    ctx.call = _call(*packed)
    ctx.save_for_backward(*operands)


def _backward(ctx: Any, weights: torch.Tensor) -> tuple[Any, ...]:
    wanted = ctx.needs_input_grad[0]
    found = _gradients(
        ctx.call, ctx.saved_tensors, wanted, weights, lambda call, *each: _array_call(each, *_packed(call))
    )
    return (found, *[None] * len(_packed(ctx.call)))


_array_call.register_autograd(_backward, setup_context=_keep)
_array_call.register_vmap(_batched)


# ---- Derivatives ---------------------------------------------------------------------------------------------------


def _gradients(
    call: ArrayCall,
    operands: Sequence[torch.Tensor],
    wanted: Sequence[bool],
    weights: torch.Tensor,
    run: Callable[..., torch.Tensor],
) -> list[torch.Tensor | None]:
    """Derivatives of a weighted sum by those operands that are wanted."""
    fixed = operands[: call.fixed]
    if call.mode == VALUE:
        derivative = call.of(GRADIENT, wanted[0])
        parts: list[Any] = list(run(derivative, *fixed, weights).split(derivative.linear_widths, -1))
        found = [parts.pop() if wanted[0] else None, *parts]
    elif any(wanted[: call.fixed]):
        raise NotImplementedError(SECOND_DERIVATIVES)
    elif call.mode == GRADIENT:  # linear in its weights: how the quantity changes along what is now weights
        along = weights.split(call.linear_widths, -1)
        found = [*[None] * call.fixed, run(call.of(TANGENT, call.constants), *fixed, *along)]
    else:
        both = run(call.of(GRADIENT, call.constants), *fixed, weights)
        found = [*[None] * call.fixed, *both.split(call.linear_widths, -1)]
    return [
        _summed(part, operand) if asked and part is not None else None
        for part, operand, asked in zip(found, operands, wanted, strict=True)
    ]


def _summed(part: torch.Tensor, operand: torch.Tensor) -> torch.Tensor:
    """A derivative over the axes along which an operand is broadcast."""
    axes = unused_axes(tuple(operand.shape), tuple(part.shape[:-1]))
    return part.sum(axes, keepdim=True) if axes else part


class _Differentiable(torch.autograd.Function):
    """The operator for torch.func, which does not look into operators: both modes of derivatives, and batches."""

    @staticmethod
    def forward(call: ArrayCall, *operands: torch.Tensor) -> torch.Tensor:
        return _array_call(operands, *_packed(call))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: torch.Tensor) -> None:
        ctx.call, *operands = inputs
        ctx.save_for_backward(*operands)
        ctx.save_for_forward(*operands)

    @staticmethod
    def backward(ctx: Any, weights: torch.Tensor) -> tuple[Any, ...]:
        wanted = ctx.needs_input_grad[1:]
        return (None, *_gradients(ctx.call, ctx.saved_tensors, wanted, weights, _Differentiable.apply))

    @staticmethod
    def jvp(ctx: Any, _: Any, *tangents: torch.Tensor | None) -> torch.Tensor:
        call, operands = ctx.call, ctx.saved_tensors
        along = [torch.zeros_like(each) if t is None else t for each, t in zip(operands, tangents, strict=True)]
        if call.mode == VALUE:
            by_numbers = tangents[0] is not None
            derivative = call.of(TANGENT, by_numbers)
            return _Differentiable.apply(derivative, *operands, *along[1:], *(along[:1] if by_numbers else []))
        if any(each is not None for each in tangents[: call.fixed]):
            raise NotImplementedError(SECOND_DERIVATIVES)
        return _Differentiable.apply(call, *operands[: call.fixed], *along[call.fixed :])

    @staticmethod
    def vmap(info: Any, axes: tuple[Any, ...], call: ArrayCall, *operands: torch.Tensor) -> tuple[torch.Tensor, int]:
        return _Differentiable.apply(call, *_axis_first(operands, axes[1:])), 0
