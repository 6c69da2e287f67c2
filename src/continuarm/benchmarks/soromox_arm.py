"""An arm as soromox describes it, a JAX library of soft robots, where that is installed.

soromox (JAX) has sections of constant strain, with the mass of solid circular discs: its rotary inertia per unit of
mass, r²/4 about a diameter and r²/2 about the normal, is that of `Section`. Its strains e = (κ_y, κ_z, σ_x - 1) are
linear in the muscle lengths, e = T q, so that M, C, G, K_e and D of one model are those of the other through T:

    e_i = Λ R_Z(Γ_i) B q_i,    Λ = [[0, -1, 0], [1, 0, 0], [0, 0, 1]] / L,    Γ_i = γ_1 + ... + γ_{i-1}

Its x axis runs along the arm: its (x, y, z) is (z, x, y) here. It has no joints between sections, but a section is
round: a twist γ turns only where the muscles of the sections after it are, and is a part of T. Offsets and payloads
have no counterpart. It integrates along a section by Gauss-Legendre quadrature.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.inertia_models import Integral
from continuarm.common.number_checks import Floats

POINTS = 5  # of the quadrature along a section: soromox's own choice
MODERATE = 0.05  # m: muscles up to here bend a section by up to 2.7 rad


@dataclass(frozen=True)
class Peer:
    """An arm as a soromox model; `strain_map` is T of e = T q."""

    model: Any
    strain_map: Floats

    def rates(self, state: Any, force: Any) -> Any:
        """(ė, ë) of one state (e, ė) under one generalized force: JAX in, JAX out."""
        return self.model.forward_dynamics(0.0, state, (None, force))

    def state(self, q: Floats, qd: Floats) -> Floats:
        """(..., 6n): strains and their rates of muscle lengths and theirs."""
        return np.concatenate([q @ self.strain_map.T, qd @ self.strain_map.T], axis=-1)

    def force(self, tau: Floats) -> Floats:
        """(..., 3n): the force on the strains that does the same work as τ does on q."""
        return tau @ np.linalg.inv(self.strain_map)

    def accelerations(self, rates: Any) -> Floats:
        """(..., 3n): q̈ of (ė, ë), m/s²."""
        return np.asarray(rates)[..., len(self.strain_map) :] @ np.linalg.inv(self.strain_map).T


def soromox_arm(arm: Arm, points: int = POINTS) -> Peer:
    """The arm as soromox's model of piecewise constant strain: bending, bending and axial strain of each section."""
    _require_counterpart(arm)
    jax = loaded_jax()
    systems, components, pcs = (
        importlib.import_module(f"soromox.{name}") for name in ("systems", "systems.components", "systems.pcs")
    )
    length, radius, mass = (
        np.array([getattr(section, name) for section in arm.sections]) for name in ("length", "radius", "mass")
    )
    from scipy.linalg import block_diag

    maps = strain_maps(arm)
    link = components.ContinuumLinkParams(
        length=length,
        density=mass / (np.pi * radius**2 * length),
        reference_strain=np.tile([0.0, 0.0, 0.0, 1.0, 0.0, 0.0], (arm.n, 1)),
        cross_section=components.CrossSectionParams(coefficients=radius[:, None]),
        stiffness=_over_strains(maps, [section.stiffness_matrix for section in arm.sections]),
        damping=_over_strains(maps, [section.damping_matrix for section in arm.sections]),
    )
    active = [False, True, True, True, False, False] * arm.n
    model = systems.PCS(
        params=pcs.PCSParams(gravity=np.roll(arm.base_gravity, 1), link=link),
        structure=pcs.PCSStructure(num_gauss_points=points, strain_selector=jax.numpy.array(active)),
        base_pose=jax.numpy.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]),
    )
    return Peer(model, block_diag(*maps))


def _require_counterpart(arm: Arm) -> None:
    if not isinstance(arm.inertia, Integral):
        raise ValueError(f"inertia = {arm.inertia.model!r}: soromox has the integral model only")
    if arm.payload is not None or any(section.offset or section.stop_stiffness for section in arm.sections):
        raise ValueError(f"{arm.name!r}: soromox has no offsets, end stops and payloads")


def loaded_jax() -> Any:
    """JAX in double precision, on processors."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")  # read when it is loaded
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    return jax


def strain_maps(arm: Arm) -> list[Floats]:
    """The blocks of T, (3, 3) of each section."""
    maps, twist = [], 0.0
    for section in arm.sections:
        c, s = np.cos(twist), np.sin(twist)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        maps.append(np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]]) / section.length @ turn @ section.shape_map)
        twist += section.twist
    return maps


def _over_strains(maps: Sequence[Floats], matrices: Sequence[Floats]) -> Floats:
    """T⁻ᵀ K T⁻¹ in rows and columns κ_y, κ_z, σ_x of soromox's six strains: (n, 6, 6)."""
    found = np.zeros((len(maps), 6, 6))
    for each, strain_map, matrix in zip(found, maps, matrices, strict=True):
        inverse = np.linalg.inv(strain_map)
        over = inverse.T @ matrix @ inverse
        each[1:4, 1:4] = (over + over.T) / 2
    return found
