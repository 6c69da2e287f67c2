"""Quantities of an arm in JAX: differentiable, batched, compiled with what is around them.

`jax.jit`, `jax.vmap`, `jax.grad`, `jax.jvp`, `jax.vjp`, `jax.jacfwd` and `jax.jacrev` work as for functions of
`jax.numpy`; derivatives are exact and can be taken once. The arm is a constant: a compiled function belongs to it, and
what is to be traced of it goes through `parameters`. Double precision (`jax_enable_x64`), on processors; native code
does the work, called by JAX without Python in between.

A row of a batch for which the model does not hold (a section bent beyond a full turn, or shortened to nothing), or
whose result is not finite, is NaN, and so are its derivatives: compiled code does not raise, and the other rows stay.
A row of which a loss takes nothing has a gradient of zero.

Needs the package jax: pip install 'continuarm[jax]'.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

try:
    import jax
except ImportError:
    raise ImportError("continuarm.jax needs the package jax: pip install 'continuarm[jax]'") from None

from jax.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.jax.primitive import quantity

__all__ = ["forward_dynamics", "implicit_step", "inverse_dynamics", "tip_poses"]


def forward_dynamics(
    arm: Arm, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, *, parameters: Mapping[str, ArrayLike] | None = None
) -> jax.Array:
    """The accelerations q̈ = M⁻¹ (τ - C q̇ - D q̇ - G - K_e q).

    Parameters
    ----------
    arm : Arm
    q, qd, tau : array_like, (..., 3n)
        Muscle length changes, m, their velocities, m/s, and muscle forces, N, positive extends.
    parameters : dict, optional
        Numbers of the arm to take in place of its own, by name: "stiffness" of all sections, "sections[0].mass",
        "payload.mass". They are numbers, or arrays without axes, which may be traced.

    Returns
    -------
    Array, (..., 3n)
        q̈, m/s².

    Examples
    --------
    >>> import jax
    >>> import jax.numpy as jnp
    >>> import continuarm.jax
    >>> jax.config.update("jax_enable_x64", True)
    >>> arm = ca.load_arm("prototype")
    >>> still, push = jnp.zeros(9), jnp.full(9, 2.0)
    >>> print(continuarm.jax.forward_dynamics(arm, still, still, push).round(2))
    [ 26.3   26.3   26.3  -72.63 -72.63 -72.63 264.21 264.21 264.21]
    >>> answer = jax.jacfwd(continuarm.jax.forward_dynamics, argnums=3)(arm, still, still, push)
    >>> bool(jnp.allclose(answer, jnp.linalg.inv(ca.mass_matrix(arm, still))))
    True
    """
    return cast("jax.Array", quantity("forward_dynamics", arm, (q, qd, tau), parameters))


def inverse_dynamics(
    arm: Arm, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, parameters: Mapping[str, ArrayLike] | None = None
) -> jax.Array:
    """The muscle forces τ = M q̈ + C q̇ + D q̇ + G + K_e q that give an acceleration.

    Parameters
    ----------
    arm : Arm
    q, qd, qdd : array_like, (..., 3n)
        Muscle length changes, m, their velocities, m/s, and accelerations, m/s².
    parameters : dict, optional
        Numbers of the arm to take in place of its own, by name: "stiffness" of all sections, "sections[0].mass",
        "payload.mass". They are numbers, or arrays without axes, which may be traced.

    Returns
    -------
    Array, (..., 3n)
        τ, N.

    Examples
    --------
    >>> import jax
    >>> import jax.numpy as jnp
    >>> import continuarm.jax
    >>> jax.config.update("jax_enable_x64", True)
    >>> arm = ca.load_arm("prototype")
    >>> still = jnp.zeros(9)
    >>> stiffness = jax.jacrev(continuarm.jax.inverse_dynamics, argnums=1)(arm, still, still, still)
    >>> bool(jnp.allclose(stiffness, ca.static_stiffness(arm, still)))
    True
    """
    return cast("jax.Array", quantity("inverse_dynamics", arm, (q, qd, qdd), parameters))


def tip_poses(arm: Arm, q: ArrayLike, *, parameters: Mapping[str, ArrayLike] | None = None) -> jax.Array:
    """Where the tip of each section is: homogeneous matrices from the world, the last being that of the arm's tip.

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n)
        Muscle length changes, m.
    parameters : dict, optional
        Numbers of the arm to take in place of its own, by name: "stiffness" of all sections, "sections[0].mass",
        "payload.mass". They are numbers, or arrays without axes, which may be traced.

    Returns
    -------
    Array, (..., n, 4, 4)
        Rotation, and position in m.

    Examples
    --------
    >>> import jax
    >>> import jax.numpy as jnp
    >>> import continuarm.jax
    >>> jax.config.update("jax_enable_x64", True)
    >>> arm = ca.load_arm("prototype")
    >>> def height(q):
    ...     return continuarm.jax.tip_poses(arm, q)[-1, 2, 3]
    >>> print(jax.grad(height)(jnp.zeros(9)).round(4))  # a third for each muscle
    [0.3333 0.3333 0.3333 0.3333 0.3333 0.3333 0.3333 0.3333 0.3333]
    """
    return cast("jax.Array", quantity("tip_poses", arm, (q,), parameters))


def implicit_step(
    arm: Arm,
    q: ArrayLike,
    qd: ArrayLike,
    tau: ArrayLike,
    step: float,
    *,
    parameters: Mapping[str, ArrayLike] | None = None,
) -> tuple[jax.Array, jax.Array]:
    """The state a step later under forces that are constant meanwhile: order 2, L-stable in springs and dampers.

    Parameters
    ----------
    arm : Arm
    q, qd, tau : array_like, (..., 3n)
        Muscle length changes, m, their velocities, m/s, and muscle forces, N, positive extends.
    step : float
        h, s: a number, the same in every call of a compiled function.
    parameters : dict, optional
        Numbers of the arm to take in place of its own, by name: "stiffness" of all sections, "sections[0].mass",
        "payload.mass". They are numbers, or arrays without axes, which may be traced.

    Returns
    -------
    q, qd : Array, (..., 3n)
        m and m/s, a step later.

    Examples
    --------
    >>> import jax
    >>> import jax.numpy as jnp
    >>> import continuarm.jax
    >>> jax.config.update("jax_enable_x64", True)
    >>> arm = ca.load_arm("prototype")
    >>> def height(tau):  # of the tip, 20 ms later
    ...     q, qd = jnp.zeros(9), jnp.zeros(9)
    ...     for _ in range(20):
    ...         q, qd = continuarm.jax.implicit_step(arm, q, qd, tau, 1e-3)
    ...     return continuarm.jax.tip_poses(arm, q)[-1, 2, 3]
    >>> bool((jax.jit(jax.grad(height))(jnp.full(9, 2.0)) > 0).all())
    True
    """
    return cast("tuple[jax.Array, jax.Array]", quantity("implicit_step", arm, (q, qd, tau), parameters, step))
