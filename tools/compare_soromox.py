"""The same arm in soromox: how well it agrees with this one, and how long it takes.

    pip install soromox==0.5.0
    python tools/compare_soromox.py [--threads one|all] [--quick]

soromox (JAX) has sections of constant strain, with the mass of solid circular discs: its rotary inertia per unit of
mass, r²/4 about a diameter and r²/2 about the normal, is that of `Section`. Its strains e = (κ_y, κ_z, σ_x - 1) are
linear in the muscle lengths, e = T q, so that M, C, G, K_e and D of one model are those of the other through T:

    e_i = Λ R_Z(Γ_i) B q_i,    Λ = [[0, -1, 0], [1, 0, 0], [0, 0, 1]] / L,    Γ_i = γ_1 + ... + γ_{i-1}

Its x axis runs along the arm: its (x, y, z) is (z, x, y) here. It has no joints between sections, but a section is
round: a twist γ turns only where the muscles of the sections after it are, and is a part of T. Offsets and payloads
have no counterpart. It integrates along a section by Gauss-Legendre quadrature.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import block_diag

from continuarm.arms.arm import Arm
from continuarm.arms.inertia_models import Integral
from continuarm.benchmarks.groups import bent_states, native_batch, native_loop, prototype
from continuarm.benchmarks.timing import Group, Repeats, best, calls
from continuarm.common.number_checks import Floats
from continuarm.engine.compiled import PROCESSORS
from continuarm.engine.quantities import forward_dynamics

__all__ = ["Peer", "agreement", "measure", "soromox_arm"]


ARMS = 1_000  # in a batch
STEPS = 5_000  # evaluations in one loop of soromox's
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
    jax = _jax()
    systems, components, pcs = (
        importlib.import_module(f"soromox.{name}") for name in ("systems", "systems.components", "systems.pcs")
    )
    length, radius, mass = (
        np.array([getattr(section, name) for section in arm.sections]) for name in ("length", "radius", "mass")
    )
    maps = _strain_maps(arm)
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


def _jax() -> Any:
    os.environ.setdefault("JAX_PLATFORMS", "cpu")  # read when it is loaded
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    return jax


def _strain_maps(arm: Arm) -> list[Floats]:
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


def agreement(arm: Arm, count: int = 20, points: int = POINTS) -> float:
    """The greatest difference of the accelerations in moderate random states, over the greatest acceleration of each.

    What is left is soromox's quadrature: its points and weights are iterated to single precision.
    """
    jax, peer = _jax(), soromox_arm(arm, points)
    q, qd, tau = bent_states(arm, count, reach=MODERATE)
    theirs = peer.accelerations(jax.jit(jax.vmap(peer.rates))(peer.state(q, qd), peer.force(tau)))
    ours = forward_dynamics(arm, q, qd, tau)
    return float(np.max(np.abs(theirs - ours).max(axis=-1) / np.abs(ours).max(axis=-1)))


def measure(often: Repeats, threads: str, steps: int = STEPS, arms: int = ARMS) -> Group:
    """Agreement, and times of both: one evaluation in a loop, in a call, and in a batch."""
    jax, arm = _jax(), prototype(3)
    peer = soromox_arm(arm)
    state, states = bent_states(arm, reach=MODERATE), bent_states(arm, arms, reach=MODERATE)
    theirs, them = _given(jax, peer, *state), _given(jax, peer, *states)
    force = theirs[1]

    @jax.jit
    def scan(start: Any) -> Any:
        # A step so small that the state stays: each evaluation waits for the one before, and none is the same.
        return jax.lax.scan(lambda y, _: (y + 1e-12 * peer.rates(y, force), None), start, None, steps)[0]

    call, batch = jax.jit(peer.rates), jax.jit(jax.vmap(peer.rates))
    compile_seconds = calls(lambda: scan(theirs[0]).block_until_ready())(1)
    count = 1 if threads == "one" else PROCESSORS
    tasks = {
        "soromox, loop": calls(lambda: scan(theirs[0]).block_until_ready()),
        "continuarm, loop": native_loop(arm, state),
        "soromox, call": calls(lambda: call(*theirs).block_until_ready()),
        "continuarm, call": calls(lambda: forward_dynamics(arm, *state)),
        "soromox, batch": calls(lambda: batch(*them).block_until_ready()),
        "continuarm, batch": native_batch(arm, states, count),
    }
    found = best(tasks, often)
    found["soromox, loop"] /= steps
    for name in ("soromox, batch", "continuarm, batch"):
        found[name] /= arms

    where = f"{threads} thread" if threads == "one" else "all threads"
    group = Group(f"The same arm, n = 3, in soromox (JAX); batch of {arms:,}, µs per arm")
    group.add(f"relative difference, {where}", agreement(arm), "1", f"{POINTS} points")
    group.add(f"soromox, first call of the loop, {where}", compile_seconds, "s", "compiles")
    group.times({f"{name}, {where}": value for name, value in found.items()})
    for way in ("loop", "call", "batch"):
        group.ratio(f"soromox / continuarm, {way}, {where}", f"soromox, {way}, {where}", f"continuarm, {way}, {where}")
    group.add(f"soromox, busy in its loop, {where}", _busy(tasks["soromox, loop"]), "processors")
    return group


def _given(jax: Any, peer: Peer, q: Floats, qd: Floats, tau: Floats) -> tuple[Any, Any]:
    return jax.numpy.asarray(peer.state(q, qd)), jax.numpy.asarray(peer.force(tau))


def _busy(task: Any) -> float:
    start, used = time.perf_counter(), time.process_time()
    task(3)
    return (time.process_time() - used) / (time.perf_counter() - start)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measures and prints a line for each row."""
    parser = argparse.ArgumentParser(description="The same arm in soromox: agreement and times.")
    parser.add_argument("--threads", choices=("one", "all"), default="one", help="one: held to one processor")
    parser.add_argument("--quick", action="store_true", help="fewer repeats: a look, not a measurement")
    chosen = parser.parse_args(arguments)
    if importlib.util.find_spec("soromox") is None:
        parser.error("soromox is not installed: pip install soromox==0.5.0")
    if chosen.threads == "one":  # before JAX is loaded, which then starts its threads
        os.sched_setaffinity(0, [min(os.sched_getaffinity(0))])
    group = measure(Repeats(3, 0.01), chosen.threads, steps=500) if chosen.quick else measure(Repeats(), chosen.threads)
    print(group.title)
    for row in group.rows:
        print(f"{row['name']:<50} {row['value']:>12.4g} {row['unit']}  {row['note']}".rstrip())


if __name__ == "__main__":
    main()
