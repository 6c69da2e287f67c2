"""How an arm swings about a static state: natural frequencies, and vibrations that die away."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats, first
from continuarm.engine.quantities import damping_forces, mass_matrix, static_stiffness
from continuarm.engine.state_checks import checked
from continuarm.statics.equilibrium_search import UNSTABLE, equilibrium, root_of_stiffness, springs_over_q


class Vibrations(NamedTuple):
    """Small motions about a static state, each e^(λt), the slowest to die away first; pairs of λ are listed twice."""

    time_constants: Floats  # (..., 6n), s, -1 / Re λ; infinite without damping
    frequencies: Floats  # (..., 6n), Hz, |Im λ| / 2π; 0 for what creeps back without swinging
    damping_ratios: Floats  # (..., 6n), -Re λ / |λ|; 1 for what creeps back

    def __repr__(self) -> str:
        times, frequencies = np.asarray(self.time_constants), np.asarray(self.frequencies)
        if not times.size:
            return f"Vibrations(shape {times.shape})"
        batch = f"shape {times.shape}, " if times.ndim > 1 else f"{times.size}, "
        words = (f"{frequencies.min():.3g} to {frequencies.max():.3g} Hz", f"{times.min():.3g} to {times.max():.3g} s")
        return f"Vibrations({batch}frequencies {words[0]}, time constants {words[1]})"

    def _repr_html_(self) -> str:
        """What a notebook shows: each vibration as it dies away."""
        from continuarm.statics.notebook import vibrations_card

        return vibrations_card(self)


def natural_frequencies(
    arm: Arm, q: ArrayLike | None = None, *, wrench: ArrayLike | None = None, muscle_stiffness: ArrayLike | None = None
) -> Floats:
    """ω / 2π of H x = ω² M x, ascending: small undamped motions about a static state.

    H = ∂(G + K_e q + Wᵀ k W q - Jᵀ w)/∂q. q: (..., 3n), m, a state held by constant muscle forces and the wrench w; if
    left out, where the arm rests under that wrench alone. wrench, muscle_stiffness: as in `equilibrium`.
    Returns (..., 3n) in Hz. Raises ValueError where the state is unstable.
    """
    squares = _eigenvalues(_over_inertia(arm, q, wrench, muscle_stiffness)[0])
    return np.sqrt(np.maximum(squares, 0.0)) / (2 * np.pi)


def vibrations(
    arm: Arm, q: ArrayLike | None = None, *, wrench: ArrayLike | None = None, muscle_stiffness: ArrayLike | None = None
) -> Vibrations:
    """How small motions about a static state die away, damping included: eigenvalues λ of the linearization.

    Arguments and errors as in `natural_frequencies`. Without damping the frequencies are those, each twice.
    """
    H, D = _over_inertia(arm, q, wrench, muscle_stiffness)
    unit = np.broadcast_to(np.eye(3 * arm.n), H.shape)
    values = np.linalg.eigvals(np.block([[0 * unit, unit], [-H, -D]]))
    size = np.abs(values)
    # what decays by less than the rounding of the eigenvalues does not decay
    decay = np.where(-values.real > 1e-10 * size.max(axis=-1, keepdims=True), -values.real, 0.0)
    frequency = np.abs(values.imag) / (2 * np.pi)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(size > 0, decay / size, 0.0)
        each = 1 / decay, frequency, ratio
    order = np.lexsort((frequency, decay), axis=-1)
    return Vibrations(*(np.take_along_axis(one, order, axis=-1) for one in each))


def _eigenvalues(matrices: Floats) -> Floats:
    """Real parts of the eigenvalues, ascending: (..., m, m) -> (..., m)."""
    turned = matrices.swapaxes(-1, -2)
    if np.abs(matrices - turned).max(initial=0.0) <= 1e-9 * np.abs(matrices).max(initial=0.0):
        return np.asarray(np.linalg.eigvalsh((matrices + turned) / 2))
    return np.sort(np.linalg.eigvals(matrices).real, axis=-1)


def _over_inertia(arm: Arm, q: Any, wrench: Any, muscle_stiffness: Any) -> tuple[Floats, Floats]:
    """L⁻¹ H L⁻ᵀ and L⁻¹ D L⁻ᵀ at a static state, M = L Lᵀ: (..., 3n, 3n), 1/s² and 1/s; H is checked to be stable."""
    checked(arm)
    size = 3 * arm.n
    (q,) = checked(arm, q=equilibrium(arm, wrench=wrench, muscle_stiffness=muscle_stiffness) if q is None else q)
    springs = np.zeros((size, size)) if muscle_stiffness is None else springs_over_q(arm, muscle_stiffness)
    H = springs + static_stiffness(arm, q, wrench)
    if wrench is None or not np.any(np.asarray(wrench)[..., :3]):  # a moment has no energy: its part has no symmetry
        H = (H + H.swapaxes(-1, -2)) / 2
    root = root_of_stiffness(arm)
    unstable = _eigenvalues(root @ H @ root.T)[..., 0] < UNSTABLE
    if unstable.any():
        at = first(unstable)
        where = f" at index {list(at)} of the batch" if at else ""
        raise ValueError(f"the state{where} is unstable: {arm.name!r} moves away from it")
    try:
        root = np.linalg.inv(np.linalg.cholesky(mass_matrix(arm, q)))
    except np.linalg.LinAlgError:
        model = f"{arm.name!r} ({arm.inertia.model} model)"
        raise ValueError(f"no vibrations: the mass matrix of {model} is not positive definite here") from None
    H, D = (root @ each @ root.swapaxes(-1, -2) for each in (H, damping_forces(arm, np.eye(size))))
    return H, np.broadcast_to(D, H.shape)
