"""Quantities of an arm in torch: differentiable and batched, for tensors of doubles on the processor.

Autograd, `torch.func` (`grad`, `vmap`, `jvp`, `jacrev`, `jacfwd`) and `torch.compile` work; derivatives are exact and
can be taken once. Tensors are read where they are, without a copy if they are contiguous. Under `torch.compile`
`parameters` leave the compiled graph: their values are needed to describe the arm.

A row of a batch for which the model does not hold (a section bent beyond a full turn, or shortened to nothing), or
whose result is not finite, is NaN, and so are its derivatives: the other rows stay.
A row of which a loss takes nothing has a gradient of zero.

Needs the package torch: pip install 'continuarm[torch]'.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

try:
    import torch
except ImportError:
    raise ImportError("continuarm.torch needs the package torch: pip install 'continuarm[torch]'") from None

from continuarm.arms.arm import Arm
from continuarm.torch.operator import quantity

__all__ = ["forward_dynamics", "implicit_step", "inverse_dynamics", "tip_poses"]


def forward_dynamics(
    arm: Arm,
    q: torch.Tensor,
    qd: torch.Tensor,
    tau: torch.Tensor,
    *,
    parameters: Mapping[str, torch.Tensor | float] | None = None,
) -> torch.Tensor:
    """The accelerations q̈ = M⁻¹ (τ - C q̇ - D q̇ - G - K_e q).

    Parameters
    ----------
    arm : Arm
    q, qd, tau : Tensor, (..., 3n)
        Muscle length changes, m, their velocities, m/s, and muscle forces, N, positive extends.
    parameters : dict, optional
        Numbers of the arm to take in place of its own, by name: "stiffness" of all sections, "sections[0].mass",
        "payload.mass". They are numbers, or tensors without axes.

    Returns
    -------
    Tensor, (..., 3n)
        q̈, m/s².

    Examples
    --------
    >>> import torch
    >>> import continuarm.torch
    >>> arm = ca.load_arm("prototype")
    >>> still, push = torch.zeros(9, dtype=torch.float64), torch.full((9,), 2.0, dtype=torch.float64)
    >>> answer = torch.func.jacrev(continuarm.torch.forward_dynamics, argnums=3)(arm, still, still, push)
    >>> bool(np.allclose(answer, np.linalg.inv(ca.mass_matrix(arm, np.zeros(9)))))
    True
    """
    return cast("torch.Tensor", quantity("forward_dynamics", arm, (q, qd, tau), parameters))


def inverse_dynamics(
    arm: Arm,
    q: torch.Tensor,
    qd: torch.Tensor,
    qdd: torch.Tensor,
    *,
    parameters: Mapping[str, torch.Tensor | float] | None = None,
) -> torch.Tensor:
    """The muscle forces τ = M q̈ + C q̇ + D q̇ + G + K_e q that give an acceleration.

    Parameters
    ----------
    arm : Arm
    q, qd, qdd : Tensor, (..., 3n)
        Muscle length changes, m, their velocities, m/s, and accelerations, m/s².
    parameters : dict, optional
        Numbers of the arm to take in place of its own, by name: "stiffness" of all sections, "sections[0].mass",
        "payload.mass". They are numbers, or tensors without axes.

    Returns
    -------
    Tensor, (..., 3n)
        τ, N.

    Examples
    --------
    >>> import torch
    >>> import continuarm.torch
    >>> arm = ca.load_arm("prototype")
    >>> still = torch.zeros(9, dtype=torch.float64)
    >>> stiffness = torch.func.jacrev(continuarm.torch.inverse_dynamics, argnums=1)(arm, still, still, still)
    >>> bool(np.allclose(stiffness, ca.static_stiffness(arm, np.zeros(9))))
    True
    """
    return cast("torch.Tensor", quantity("inverse_dynamics", arm, (q, qd, qdd), parameters))


def tip_poses(
    arm: Arm, q: torch.Tensor, *, parameters: Mapping[str, torch.Tensor | float] | None = None
) -> torch.Tensor:
    """Where the tip of each section is: homogeneous matrices from the world, the last being that of the arm's tip.

    Parameters
    ----------
    arm : Arm
    q : Tensor, (..., 3n)
        Muscle length changes, m.
    parameters : dict, optional
        Numbers of the arm to take in place of its own, by name: "stiffness" of all sections, "sections[0].mass",
        "payload.mass". They are numbers, or tensors without axes.

    Returns
    -------
    Tensor, (..., n, 4, 4)
        Rotation, and position in m.

    Examples
    --------
    >>> import torch
    >>> import continuarm.torch
    >>> arm = ca.load_arm("prototype")
    >>> q = torch.zeros(9, dtype=torch.float64, requires_grad=True)
    >>> continuarm.torch.tip_poses(arm, q)[-1, 2, 3].backward()  # the height of the tip
    >>> print(q.grad.numpy().round(4))  # a third for each muscle
    [0.3333 0.3333 0.3333 0.3333 0.3333 0.3333 0.3333 0.3333 0.3333]
    """
    return cast("torch.Tensor", quantity("tip_poses", arm, (q,), parameters))


def implicit_step(
    arm: Arm,
    q: torch.Tensor,
    qd: torch.Tensor,
    tau: torch.Tensor,
    step: float,
    *,
    parameters: Mapping[str, torch.Tensor | float] | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The state a step later under forces that are constant meanwhile: order 2, L-stable in springs and dampers.

    Parameters
    ----------
    arm : Arm
    q, qd, tau : Tensor, (..., 3n)
        Muscle length changes, m, their velocities, m/s, and muscle forces, N, positive extends.
    step : float
        h, s: a number, the same in every call of a compiled function.
    parameters : dict, optional
        Numbers of the arm to take in place of its own, by name: "stiffness" of all sections, "sections[0].mass",
        "payload.mass". They are numbers, or tensors without axes.

    Returns
    -------
    q, qd : Tensor, (..., 3n)
        m and m/s, a step later.

    Examples
    --------
    >>> import torch
    >>> import continuarm.torch
    >>> arm = ca.load_arm("prototype")
    >>> tau = torch.full((9,), 2.0, dtype=torch.float64, requires_grad=True)
    >>> q = qd = torch.zeros(9, dtype=torch.float64)
    >>> for _ in range(20):  # 20 ms
    ...     q, qd = continuarm.torch.implicit_step(arm, q, qd, tau, 1e-3)
    >>> continuarm.torch.tip_poses(arm, q)[-1, 2, 3].backward()
    >>> bool((tau.grad > 0).all())
    True
    """
    return cast("tuple[torch.Tensor, torch.Tensor]", quantity("implicit_step", arm, (q, qd, tau), parameters, step))
