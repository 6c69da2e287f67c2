"""A motion: what an arm did over time, and how it was computed."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from continuarm.arms.arm import Arm, require_arm
from continuarm.arms.parameters import moved
from continuarm.common.argument_checks import require_kind
from continuarm.common.number_checks import Floats, real_numbers
from continuarm.common.text import printable, short
from continuarm.dynamics import poses
from continuarm.dynamics.mass_and_coriolis import COMPLEX_STEP
from continuarm.dynamics.plant import Plant
from continuarm.engine.quantities import elastic_energy, gravitational_energy, kinetic_energy, tip_poses

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from continuarm.viewer.viewer import Viewer

ROUNDING = 1e-9
"""Share of the largest force by which the same force computed twice may differ, with room for sums that cancel."""


@dataclass(frozen=True, eq=False)
class Motion:
    """States of an arm at output times, what drove it, and where the work went; a row for each time.

    Attributes
    ----------
    arm : Arm
    t : ndarray, (k,)
        In s.
    q : ndarray, (k, 3n)
        Muscle length changes, section by section, m.
    qd : ndarray, (k, 3n)
        m/s.
    tau : ndarray, (k, 3n)
        What all muscles do together over q, N, positive extends.
    pressures : ndarray, (k, muscles)
        In the muscles, Pa: behind the valves, where these are slow.
    hysteresis : ndarray, (k, muscles)
        By which hysteresis and creep hold each muscle back, N.
    wrench : ndarray, (k, 6)
        Moment, N m, and force, N, on the last tip, world axes.
    supplied : ndarray, (k,)
        Work of pressures, forces and wrench since the start, J.
    dissipated : ndarray, (k,)
        Taken by dampers, hysteresis and creep since the start, J.
    record : dict
        What the solver did and how long it took.
    stopped : str
        Empty, or why the motion ends before it was to.
    sensitivities : dict of str to ndarray, (k, 3n)
        ∂q/∂θ by the name of each parameter θ that `simulate` was asked for, m for one SI unit of θ.
    followed : dict of str to ndarray, (k, ...)
        Of a closed loop: "reference" of the tip, (k, 3), or "reference_q", (k, 3n), m; "command", (k, muscles), Pa,
        before the valves; with an observer "estimate", q, (k, 3n), m.

    Examples
    --------
    >>> motion = ca.simulate(ca.load_arm("prototype"), duration=1)  # falls from unbent to where it hangs
    >>> motion.tips.shape, sorted(motion.energies)
    ((201, 3, 3), ['dissipated', 'elastic', 'gravitational', 'kinetic', 'supplied'])
    """

    arm: Arm
    t: Floats  # (k,), s
    q: Floats  # (k, 3n), m: muscle length changes, section by section
    qd: Floats  # (k, 3n), m/s
    tau: Floats  # (k, 3n), N: what all muscles do together over q, positive extends
    pressures: Floats  # (k, muscles), Pa, in the muscles: behind the valves, where these are slow
    hysteresis: Floats  # (k, muscles), N: by which hysteresis and creep hold each muscle back
    wrench: Floats  # (k, 6), N m and N: moment and force on the last tip, world axes
    supplied: Floats  # (k,), J: work of pressures, forces and wrench since the start
    dissipated: Floats  # (k,), J: taken by dampers, hysteresis and creep since the start
    record: dict[str, Any] = field(default_factory=dict)
    stopped: str = ""
    sensitivities: dict[str, Floats] = field(default_factory=dict)  # (k, 3n) each, m for a unit: ∂q/∂θ by name
    followed: dict[str, Floats] = field(default_factory=dict)  # (k, ...) each, of a closed loop, by name

    def __post_init__(self) -> None:
        require_arm(self.arm)
        muscles, size = len(self.arm.muscle_names), 3 * self.arm.n
        widths = {"q": size, "qd": size, "tau": size, "pressures": muscles, "hysteresis": muscles, "wrench": 6}
        count = len(np.atleast_1d(real_numbers("t", self.t, "a list of seconds")))
        for name in ROWS:
            shape = (count, widths[name]) if name in widths else (count,)
            rows = real_numbers(name, getattr(self, name), f"numbers of shape {shape}")
            if rows.shape != shape:
                raise ValueError(f"{name} has shape {rows.shape}: must be {shape}, a row for each time in t")
            object.__setattr__(self, name, rows)
        require_kind("record", self.record, dict, "a dictionary")
        require_kind("stopped", self.stopped, str, "text")
        require_kind("sensitivities", self.sensitivities, dict, "a dictionary")
        slopes = {}
        for name, each in self.sensitivities.items():
            require_kind("the name of a parameter in sensitivities", name, str, "text")
            slopes[name] = real_numbers(f"sensitivities[{name!r}]", each, f"numbers of shape {(count, size)}")
            if slopes[name].shape != (count, size):
                raise ValueError(
                    f"sensitivities[{name!r}] has shape {slopes[name].shape}: must be {(count, size)}, as q has"
                )
        object.__setattr__(self, "sensitivities", slopes)
        require_kind("followed", self.followed, dict, "a dictionary")
        followed, known = {}, {"reference": 3, "reference_q": size, "command": muscles, "estimate": size}
        for name, each in self.followed.items():
            if name not in known:
                raise ValueError(f"followed has {short(name)}: must be of {', '.join(known)}")
            followed[name] = real_numbers(f"followed[{name!r}]", each, f"numbers of shape {(count, known[name])}")
            if followed[name].shape != (count, known[name]):
                raise ValueError(
                    f"followed[{name!r}] has shape {followed[name].shape}: must be {(count, known[name])}, "
                    "a row for each time in t"
                )
        object.__setattr__(self, "followed", followed)

    @cached_property
    def tip_poses(self) -> Floats:
        """Poses of the section tips in the world frame: (k, n, 4, 4)."""
        return np.asarray(tip_poses(self.arm, self.q))

    @property
    def tips(self) -> Floats:
        """Positions of the section tips in the world frame: (k, n, 3), m."""
        return self.tip_poses[..., :3, 3]

    @cached_property
    def reference_tips(self) -> Floats | None:
        """Where the last tip was to be, (k, 3), m; None where nothing says so."""
        if "reference_q" not in self.followed:
            return self.followed.get("reference")
        try:
            return tip_poses(self.arm, self.followed["reference_q"])[:, -1, :3, 3]
        except ValueError:  # a reference may ask for what no arm can be
            return None

    def tip_sensitivities(self, name: str) -> Floats:
        """∂(tips)/∂θ: how the section tips of the motion move with a parameter of the arm.

        Where they are changes with q, and of geometry (length, radius, twist, offset, base_rotation) also with θ
        itself; both are in it.

        Parameters
        ----------
        name : str
            Of the parameter, one of `sensitivities`.

        Returns
        -------
        ndarray, (k, n, 3)
            m for one SI unit of the parameter, world frame.

        Examples
        --------
        >>> arm, solver = ca.load_arm("prototype"), ca.FixedStep()
        >>> motion = ca.simulate(arm, duration=1, solver=solver, sensitivities=["stiffness"])
        >>> slope = motion.tip_sensitivities("stiffness")
        >>> round(1e6 * float(slope[-1, -1, 2]), 2)  # µm along Z, down, for 1 N/m more: it hangs less low
        -0.51
        """
        if not isinstance(name, str) or name not in self.sensitivities:
            known = ", ".join(self.sensitivities) or "none: simulate(..., sensitivities=[...]) computes them"
            raise ValueError(f"name = {short(name)}: must be one of the sensitivities of the motion, {known}")
        return tip_slopes(moved(self.arm, name, 1j * COMPLEX_STEP), self.q, self.sensitivities[name])[..., :3, 3]

    @cached_property
    def forces(self) -> Floats:
        """Forces that were commanded over q, as by a ForceSignal: τ less what the muscles do; (k, 3n), N.

        Zero where no more than rounding is left, as in every motion that is driven by pressures.
        """
        own = Plant(self.arm).muscle_forces(self.pressures, self.hysteresis, self.q)
        commanded = self.tau - own
        largest = max(np.abs(self.tau).max(initial=0.0), np.abs(own).max(initial=0.0))
        return np.where(np.abs(commanded) > ROUNDING * largest, commanded, 0.0)

    @cached_property
    def energies(self) -> dict[str, Floats]:
        """Energies, (k,) each, J: kinetic + gravitational + elastic changes by supplied - dissipated."""
        return energies_of(self.arm, self.q, self.qd, self.supplied, self.dissipated)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the motion as a NetCDF-4 file that `load_motion` reads back bit for bit; as `save_motion` does.

        Parameters
        ----------
        path : str or path
            Ends in .nc, .nc4 or .h5. A file that was there is replaced whole, or stays.
        """
        from continuarm.simulation.motion_file import save_motion

        save_motion(self, path)

    def to_xarray(self) -> xarray.Dataset:
        """The motion as a dataset, with the names, dimensions, coordinates and units of its file.

        Returns
        -------
        xarray.Dataset
            What `xarray.open_dataset` reads from the file that `save` writes. Needs the extra: `continuarm[xarray]`.
        """
        from continuarm.simulation.motion_layout import dataset_of

        return dataset_of(self)

    def plot(self, other: Motion | None = None) -> Figure:
        """A figure of the motion: tips, what drives it, energies, shapes; with another, the distance between them.

        Parameters
        ----------
        other : Motion, optional
            Of the same number of sections, at the same times; one of them may end before the other.

        Returns
        -------
        matplotlib.figure.Figure
            `figure.savefig("run.png")` writes it.
        """
        from continuarm.simulation.plots import plot_motion

        return plot_motion(self, other)

    def video(
        self,
        path: str | os.PathLike[str],
        *,
        fps: float = 30.0,
        speed: float = 1.0,
        size: tuple[int, int] = (640, 480),
        progress: Callable[[float], object] | None = None,
    ) -> None:
        """Writes a moving picture: the arm above the ground, the path of its tip, pressures as colours, and the time.

        Parameters
        ----------
        path : str or path
            Ends in .mp4, which needs the extra `continuarm[video]`, or .gif. A file that was there is replaced whole,
            or stays.
        fps : float, optional
            Frames a second; at most 120 in .mp4, 50 in .gif.
        speed : float, optional
            How many times faster than real time it plays.
        size : two int, optional
            Width and height in pixels; even in .mp4.
        progress : callable, optional
            Called with the share done, from 0 to 1.
        """
        from continuarm.simulation.video import write_video

        write_video(self, path, fps=fps, speed=speed, size=size, progress=progress)

    def page(self, path: str | os.PathLike[str], other: Motion | None = None) -> None:
        """Writes a page that plays the motion in any browser, complete in one file; as `continuarm view --html` does.

        Parameters
        ----------
        path : str or path
            Ends in .html. A file that was there is replaced whole, or stays.
        other : Motion, optional
            A second one to compare it with, drawn translucent.

        Examples
        --------
        >>> motion = ca.simulate(ca.load_arm("prototype"), duration=0.5)
        >>> motion.page("run.html")
        """
        from continuarm.viewer.html import export_html

        export_html([self] if other is None else [self, other], path)

    def view(
        self,
        other: Motion | None = None,
        *,
        host: str = "127.0.0.1",
        port: int | None = None,
        block: bool | None = None,
    ) -> Viewer:
        """Shows the motion in the browser, or two to be compared, the second one translucent.

        Parameters
        ----------
        other : Motion, optional
            The second one.
        host : str, optional
            Where the page is; only for this machine if left out.
        port : int, optional
            Any free one if left out.
        block : bool, optional
            Whether to return only when the viewer is closed, by Ctrl-C; if left out, in scripts, not in notebooks.

        Returns
        -------
        Viewer
            To wait for and to close.
        """
        from continuarm.viewer.viewer import view_motion

        return view_motion(self, *([] if other is None else [other]), host=host, port=port, block=block)

    def rows(self, chosen: slice | NDArray[np.intp], stopped: str | None = None) -> Motion:
        """The motion at some of its times.

        Parameters
        ----------
        chosen : slice or array_like, (m,)
            Of the rows.
        stopped : str, optional
            Why it ends there; as before if left out.

        Returns
        -------
        Motion
        """
        end = self.stopped if stopped is None else stopped
        slopes = {name: each[chosen] for name, each in self.sensitivities.items()}
        rows = {name: getattr(self, name)[chosen] for name in ROWS}
        followed = {name: each[chosen] for name, each in self.followed.items()}
        return replace(self, **rows, stopped=end, sensitivities=slopes, followed=followed)

    @classmethod
    def concatenated(cls, parts: Sequence[Motion], record: dict[str, Any], stopped: str) -> Motion:
        """Parts of one motion, one after the other.

        Parameters
        ----------
        parts : sequence of Motion
        record : dict
        stopped : str
            Of the whole.

        Returns
        -------
        Motion
        """
        if len(parts) == 1:  # checked already
            whole = copy(parts[0])
            vars(whole).update(record=record, stopped=stopped)
            return whole
        rows = {name: np.concatenate([getattr(part, name) for part in parts]) for name in ROWS}
        names = parts[0].sensitivities
        slopes = {name: np.concatenate([part.sensitivities[name] for part in parts]) for name in names}
        both = parts[0].followed
        followed = {name: np.concatenate([part.followed[name] for part in parts]) for name in both}
        return cls(parts[0].arm, **rows, record=record, stopped=stopped, sensitivities=slopes, followed=followed)

    def _repr_html_(self) -> str:
        """What a notebook shows: how the arm ends, what the motion is, and the page that plays it."""
        from continuarm.simulation.notebook import motion_card

        return motion_card(self)

    def __repr__(self) -> str:
        length = f"{self.t[-1] - self.t[0]:g} s" if len(self.t) else "0 s"
        words = [short(self.arm.name), length, f"{len(self.t)} states", f"{self.arm.inertia.model} model"]
        return f"Motion({', '.join(words)}{f', stopped: {printable(self.stopped)}' if self.stopped else ''})"


def tip_slopes(moved_arm: Arm, q: Floats, slopes: Floats) -> Floats:
    """How the poses of the tips change: (..., n, 4, 4), with q, (..., 3n), changing by its slopes.

    moved_arm: moved by i COMPLEX_STEP.
    """
    return np.asarray(poses.tip_poses(moved_arm, q + 1j * COMPLEX_STEP * slopes).imag / COMPLEX_STEP)


def energies_of(arm: Arm, q: Floats, qd: Floats, supplied: Any, dissipated: Any) -> dict[str, Any]:
    """The energies of states (..., 3n) by name, (...) each, J, beside the work that was done until then."""
    return {
        "kinetic": kinetic_energy(arm, q, qd),
        "gravitational": gravitational_energy(arm, q),
        "elastic": elastic_energy(arm, q),
        "supplied": supplied,
        "dissipated": dissipated,
    }


ROWS = ("t", "q", "qd", "tau", "pressures", "hysteresis", "wrench", "supplied", "dissipated")
"""The fields of a motion that have a row for each time."""
