"""How an arm swings about a static state: natural frequencies, and vibrations that die away."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats, first
from continuarm.engine.muscle_springs import springs_over_q
from continuarm.engine.quantities import damping_forces, mass_matrix, static_stiffness
from continuarm.engine.state_checks import checked, common_batch
from continuarm.statics.equilibrium_search import UNSTABLE, root_of_stiffness
from continuarm.statics.rest import place_of_rest


class Vibrations(NamedTuple):
    """Small motions about a static state, each e^(λt), the slowest to die away first; pairs of λ are listed twice.

    Attributes
    ----------
    time_constants : ndarray, (..., 6n)
        -1 / Re λ, s; infinite without damping.
    frequencies : ndarray, (..., 6n)
        abs(Im λ) / 2π, Hz; 0 for what creeps back without swinging.
    damping_ratios : ndarray, (..., 6n)
        -Re λ / abs(λ); 1 for what creeps back.

    Examples
    --------
    >>> slow = ca.vibrations(ca.load_arm("prototype"))
    >>> round(float(slow.time_constants[0]), 2), round(float(slow.frequencies[0]), 2)  # s, Hz
    (1.1, 1.25)
    """

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

    H = ∂(G + K_e q + Wᵀ k W q - Jᵀ w)/∂q.

    Parameters
    ----------
    arm : Arm
    q : array_like, (..., 3n), optional
        A state, m, held by constant muscle forces and the wrench; if left out, where the arm rests under the wrench.
    wrench : array_like, (..., 6), optional
        Moment, N m, and force, N, on the last tip, world axes; none if left out.
    muscle_stiffness : array_like, (..., muscles), optional
        Springs along the muscles beside K_e, N/m; `muscle_stiffness(arm, q, pressures)` are those of the arm's own law.

    Returns
    -------
    ndarray, (..., 3n)
        Hz.

    Raises
    ------
    ValueError
        Where the state is unstable.

    Examples
    --------
    >>> print(ca.natural_frequencies(ca.load_arm("prototype")).round(2))
    [  1.26   1.26   6.5    6.5   19.03  24.96  24.96  62.25 112.94]
    """
    squares = _eigenvalues(_over_inertia(arm, q, wrench, muscle_stiffness)[0])
    return np.sqrt(np.maximum(squares, 0.0)) / (2 * np.pi)


def mode_shapes(arm: Arm, q: Floats, wrench: Any = None, muscle_stiffness: Any = None) -> tuple[Floats, Floats]:
    """Natural frequencies (3n,), Hz, ascending, and x of H x = ω² M x as columns (3n, 3n) with xᵀ M x = 1; q: (3n,)."""
    H, _, root = _over_inertia(arm, q, wrench, muscle_stiffness)
    if _lopsided(H):  # a moment at the tip: no modes that are square to each other
        raise ValueError("wrench has a moment: must be a force alone, as a moment has no energy and no modes")
    squares, vectors = np.linalg.eigh((H + H.T) / 2)
    return np.sqrt(np.maximum(squares, 0.0)) / (2 * np.pi), root.T @ vectors


def vibrations(
    arm: Arm, q: ArrayLike | None = None, *, wrench: ArrayLike | None = None, muscle_stiffness: ArrayLike | None = None
) -> Vibrations:
    """How small motions about a static state die away, damping included: eigenvalues λ of the linearization.

    Without damping the frequencies are those of `natural_frequencies`, each twice.

    Parameters
    ----------
    arm : Arm
    q, wrench, muscle_stiffness : optional
        As for `natural_frequencies`, with the same errors.

    Returns
    -------
    Vibrations

    Examples
    --------
    >>> arm = ca.load_arm("prototype")
    >>> found = ca.vibrations(arm)
    >>> print(found.frequencies[:4].round(2), found.damping_ratios[:4].round(2))  # Hz, shares of critical damping
    [1.25 1.25 1.25 1.25] [0.11 0.11 0.11 0.11]
    """
    H, D, _ = _over_inertia(arm, q, wrench, muscle_stiffness)
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
    if _lopsided(matrices):
        return np.sort(np.linalg.eigvals(matrices).real, axis=-1)
    return np.asarray(np.linalg.eigvalsh((matrices + matrices.swapaxes(-1, -2)) / 2))


def _lopsided(matrices: Floats) -> bool:
    """Whether matrices (..., m, m) are not symmetric by more than rounding."""
    apart = np.abs(matrices - matrices.swapaxes(-1, -2)).max(initial=0.0)
    return bool(apart > 1e-9 * np.abs(matrices).max(initial=0.0))


def _over_inertia(arm: Arm, q: Any, wrench: Any, muscle_stiffness: Any) -> tuple[Floats, Floats, Floats]:
    """L⁻¹ H L⁻ᵀ, L⁻¹ D L⁻ᵀ and L⁻¹ at a static state, M = L Lᵀ: (..., 3n, 3n); H is checked to be stable."""
    checked(arm)
    size = 3 * arm.n
    (q,) = checked(arm, q=place_of_rest(arm, wrench, muscle_stiffness) if q is None else q)
    (wrench,) = checked(arm, wrench=np.zeros(6) if wrench is None else wrench)
    springs = np.zeros((size, size)) if muscle_stiffness is None else springs_over_q(arm, muscle_stiffness)
    common_batch(
        {"q": q.shape, "wrench": wrench.shape, "muscle_stiffness": (*springs.shape[:-2], len(arm.muscle_names))}
    )
    H = springs + static_stiffness(arm, q, wrench)
    if not np.any(wrench[..., :3]):  # a moment has no energy: its part has no symmetry
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
    return H, np.broadcast_to(D, H.shape), root
