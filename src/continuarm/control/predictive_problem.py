"""What predictive control minimises: misses, soft limits and pressures over a horizon, as a sum of squares.

Every deviation is divided by the size at which it costs 1. Exact derivatives of all of them come from the slopes of the
steps, A_k and B_k, with the states eliminated: the unknowns are the pressures of all nodes alone.

    cost = Σ_k |p_k - r_k|²/σ_p² + |soft limits of x_k|² + |u_k|²/σ_u² + |u_k - u_(k-1)|²/σ_Δ²
    x_(k+1) = F(x_k, u_k),    δx_(k+1) = A_k δx_k + B_k δu_k
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.common.number_checks import Floats
from continuarm.dynamics.plant import Plant
from continuarm.engine.quantities import tip_jacobian, tip_poses
from continuarm.engine.step_slopes import StepSlopes, Swept

SCALE = 1e5
"""Pa: the unit of pressures inside the quadratic program, in which its numbers are of the size of 1."""

MOST_PIECES = 12
"""Into how many pieces a section is cut at most where obstacles are looked for, at their ends."""


class Sizes(NamedTuple):
    """What costs 1, in the units of each."""

    position: float  # m
    pressure: float  # Pa
    change: float  # Pa, from node to node
    range: float  # m
    obstacle: float  # m
    terminal: float  # by so much the last node counts more


class Targets(NamedTuple):
    """What is asked of one call."""

    positions: Floats  # (nodes, 3) of the tip or (nodes, 3n) of q, m
    muscles: bool  # whether positions are q
    previous: Floats | None  # (inputs,), Pa, the last command


class Terms(NamedTuple):
    """Deviations of states from what is asked, and their slopes by q of each node."""

    node: Any  # (terms,), of which node each is; None: as many of every node, one node after another
    value: Floats  # (terms,)
    slope: Floats  # (terms, 3n)


def hinge(beyond: Floats, softness: float) -> tuple[Floats, Floats]:
    """By how much a limit is passed, rounded where it begins, and its slope: zero from `softness` before it on."""
    inside, curve = beyond <= -softness, (beyond + softness) / (2 * softness)
    value = np.where(inside, 0.0, np.where(beyond >= softness, beyond, curve * curve * softness))
    return value, np.where(inside, 0.0, np.minimum(curve, 1.0))


def divided(arm: Arm, pieces: int) -> Arm:
    """The same arm with every section cut into equal pieces: q of each is q_i / pieces."""
    cut = []
    for section in arm.sections:
        piece = {
            "length": section.length / pieces,
            "mass": section.mass / pieces,
            "length_range": None,
            "stop_stiffness": 0.0,
        }
        cut += [section.replace(**piece, offset=0.0, twist=0.0)] * (pieces - 1) + [section.replace(**piece)]
    return Arm(sections=cut, gravity=arm.gravity, base_rotation=arm.base_rotation)


def in_pieces(arm: Arm, pieces: int) -> Floats:
    """q of such an arm over that of the arm itself: (3 n pieces, 3n)."""
    return np.kron(np.eye(arm.n), np.kron(np.ones((pieces, 1)), np.eye(3) / pieces))


@dataclass(frozen=True)
class PredictiveProblem:
    """The problem of one arm: the same for every call but for the targets."""

    arm: Arm
    nodes: int
    node: float  # s
    substeps: int
    sizes: Sizes
    ranges: bool
    obstacles: tuple[tuple[Floats, float], ...]  # centres and distances to keep from the axis, m
    softness: float  # m, over which soft limits set in

    @cached_property
    def plant(self) -> Plant:
        """The arm with its muscles and valves."""
        return Plant(self.arm)

    @cached_property
    def spread(self) -> Floats:
        """(muscles, inputs): an input feeds one muscle, or those of a line."""
        names, columns = self.arm.muscle_names, []
        seen: set[str] = set()
        for name, line in zip(names, self.arm.muscle_lines, strict=True):
            if name not in seen:
                seen.update(line.muscles)
                columns.append([float(each in line.muscles) for each in names])
        return np.array(columns).T

    @cached_property
    def slopes(self) -> StepSlopes:
        """The step of a node."""
        by_inputs = np.zeros((self.plant.commands.width, self.spread.shape[1]))
        by_inputs[: len(self.spread)] = self.spread
        return StepSlopes(self.plant, self.node, self.substeps, by_inputs)

    def commands(self, inputs: Floats) -> Floats:
        """Rows of commands of the plant, for inputs (nodes, inputs), Pa."""
        rows = np.zeros((len(inputs), self.plant.commands.width))
        rows[:, : len(self.spread)] = inputs @ self.spread.T
        return rows

    @cached_property
    def length_rows(self) -> tuple[Floats, Floats]:
        """Soft limits of muscle lengths: rows over q (limits, 3n), and what they must not exceed, m."""
        rows, most = [np.zeros((0, 3 * self.arm.n))], [np.zeros(0)]
        for i, section in enumerate(self.arm.sections):
            if section.length_range is None or not self.ranges:
                continue
            own = np.zeros((len(section.muscle_map), 3 * self.arm.n))
            own[:, 3 * i : 3 * i + 3] = section.muscle_map
            low, high = section.length_range
            rows += [own, -own]
            most += [np.full(len(own), high), np.full(len(own), -low)]
        return np.concatenate(rows), np.concatenate(most)

    @property
    def pieces(self) -> int:
        """Into how many pieces sections are cut: none longer than the least distance to keep, or one could slip by."""
        longest, least = max(section.length for section in self.arm.sections), min(d for _, d in self.obstacles)
        return int(np.clip(np.ceil(longest / least), 1, MOST_PIECES))

    @cached_property
    def _cut(self) -> tuple[Arm, Floats]:
        """The arm in pieces, and its q over q: (3 n pieces, 3n)."""
        return divided(self.arm, self.pieces), in_pieces(self.arm, self.pieces)

    # ---- Deviations --------------------------------------------------------------------------------------------------

    def terms(self, states: Floats, targets: Targets, slopes: bool = True) -> list[Terms]:
        """All deviations of states (nodes, width) after each node."""
        q = np.ascontiguousarray(states[:, : 3 * self.arm.n])
        found = self._misses(q, targets, slopes)
        rows, most = self.length_rows
        if len(most):
            beyond = q @ rows.T - most
            if beyond.max() > -self.softness:
                value, slope = hinge(beyond, self.softness)
                node, limit = np.nonzero(slope)
                size = self.sizes.range
                found.append(Terms(node, value[node, limit] / size, slope[node, limit, None] * rows[limit] / size))
        if self.obstacles:
            found += self._near_obstacles(q, slopes)
        return found

    def _misses(self, q: Floats, targets: Targets, slopes: bool) -> list[Terms]:
        size = self.sizes
        if targets.muscles:
            places, jacobian = q, np.broadcast_to(np.eye(q.shape[1]), (self.nodes, q.shape[1], q.shape[1]))
        else:
            places = tip_poses(self.arm, q, threads=1)[:, -1, :3, 3]
            jacobian = tip_jacobian(self.arm, q, threads=1)[:, -1, 3:] if slopes else np.zeros((self.nodes, 3, 0))
        weight = np.full(self.nodes, 1 / size.position)
        weight[-1] *= np.sqrt(size.terminal)
        missed = ((places - targets.positions) * weight[:, None]).ravel()
        return [Terms(None, missed, (jacobian * weight[:, None, None]).reshape(len(missed), -1))]

    def _near_obstacles(self, q: Floats, slopes: bool) -> list[Terms]:
        arm, spread = self._cut
        pieces = q @ spread.T
        points = tip_poses(arm, pieces, threads=1)[:, :, :3, 3]
        found, jacobian = [], None
        for centre, distance in self.obstacles:
            away = points - centre
            far = np.sqrt((away * away).sum(axis=-1))
            value, slope = hinge(distance - far, self.softness)
            node, point = np.nonzero(slope)
            if not len(node):
                continue
            if jacobian is None and slopes:
                jacobian = tip_jacobian(arm, pieces, threads=1)[:, :, 3:]
            rows = np.zeros((len(node), 0))
            if jacobian is not None:
                direction = -slope[node, point, None] * away[node, point] / far[node, point, None]
                rows = np.einsum("kc,kcq->kq", direction, jacobian[node, point]) @ spread / self.sizes.obstacle
            found.append(Terms(node, value[node, point] / self.sizes.obstacle, rows))
        return found

    # ---- The cost and its quadratic model ----------------------------------------------------------------------------

    def cost(self, inputs: Floats, targets: Targets, terms: Sequence[Terms]) -> float:
        """The cost of inputs (nodes, inputs), Pa, and of the deviations of the states that they lead to."""
        return self._cost_of_inputs(inputs, targets) + float(sum(each.value @ each.value for each in terms))

    def _cost_of_inputs(self, inputs: Floats, targets: Targets) -> float:
        changes = inputs[1:] - inputs[:-1]
        total = np.vdot(inputs, inputs) / self.sizes.pressure**2 + np.vdot(changes, changes) / self.sizes.change**2
        if targets.previous is not None:
            first = inputs[0] - targets.previous
            total += first @ first / self.sizes.change**2
        return float(total)

    @cached_property
    def _input_weights(self) -> tuple[Floats, Floats]:
        """What pressures and their changes cost, over pressures in units of SCALE: with a previous command or not."""
        count = self.spread.shape[1]
        steps = np.eye(self.nodes) - np.eye(self.nodes, k=-1)
        free = steps.copy()
        free[0] = 0.0
        size = np.eye(self.nodes) * (SCALE / self.sizes.pressure) ** 2
        change = (SCALE / self.sizes.change) ** 2
        with_previous, without = (
            np.asarray(np.kron(size + change * each.T @ each, np.eye(count)), dtype=float) for each in (steps, free)
        )
        return with_previous, without

    def quadratic(
        self,
        inputs: Floats,
        targets: Targets,
        by_inputs: Floats,
        terms: Sequence[Terms],
        moved: Floats | None = None,
    ) -> tuple[Floats, Floats, float]:
        """H, g and c of the model zᵀ H z + 2 gᵀ z + c of the cost, for changes z of all inputs in units of SCALE.

        by_inputs: see `condensed`. moved: the z at which terms were taken, if not at 0.
        """
        weights = self._input_weights[0 if targets.previous is not None else 1]
        g = weights @ (inputs.ravel() / SCALE)
        if targets.previous is not None:
            g[: inputs.shape[1]] -= targets.previous * SCALE / self.sizes.change**2
        rows = np.concatenate([_rows_over_inputs(each, by_inputs) for each in terms])
        H = rows.T @ rows
        H += weights
        values = np.concatenate([each.value for each in terms])
        if moved is not None:
            values = values - rows @ moved
        g += values @ rows
        return H, g, self._cost_of_inputs(inputs, targets) + float(values @ values)

    def condensed(self, swept: Swept) -> Floats:
        """∂q_k/∂(all inputs), per SCALE: (nodes, 3n, nodes · inputs)."""
        count, moving = self.spread.shape[1], swept.A.shape[1]
        every, B = np.zeros((self.nodes, moving, self.nodes * count)), swept.B * SCALE
        for k in range(self.nodes):
            if k:
                np.matmul(swept.A[k], every[k - 1, :, : k * count], out=every[k, :, : k * count])
            every[k, :, k * count : (k + 1) * count] = B[k]
        return every[:, : 3 * self.arm.n]


def _rows_over_inputs(terms: Terms, by_inputs: Floats) -> Floats:
    """Slopes of terms by all inputs: (terms, nodes · inputs)."""
    if terms.node is None:
        nodes, _, width = by_inputs.shape
        return np.matmul(terms.slope.reshape(nodes, -1, terms.slope.shape[1]), by_inputs).reshape(-1, width)
    return np.matmul(terms.slope[:, None], by_inputs[terms.node])[:, 0]


def kept_distances(arm: Arm, spheres: Sequence[tuple[Floats, float]], clearance: float) -> list[tuple[Floats, float]]:
    """Centres of spheres and how far the axis of the arm has to stay from them, m."""
    thickest = max(section.radius for section in arm.sections)
    return [(centre, radius + thickest + clearance) for centre, radius in spheres]
