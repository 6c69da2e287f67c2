"""Damaged arm files, pressure tables, recordings and motions: one sentence, or what was loaded is usable.

In turn one of each kind. Usable: finite, and a short simulation with it ends. A motion file must not show what is in
another file, and no file may take much more memory or time than its size says.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import continuarm as ca
from attack import damage, hdf5_damage
from attack.api_world import a_recording, muscular_arm, use_motion
from attack.attacker import Attacker, Case, Finding, all_finite, refusal, warnings_are_errors
from continuarm.cli.check_command import MOST_SECTIONS_AT_REST
from random_arms import random_arm
from sample_motions import an_arm

MARKER = "SECRET-5309"
"""In a file beside: nothing that is loaded may have it."""


class Originals:
    """Good files of every kind, to be damaged."""

    def __init__(self, folder: Path) -> None:
        rng = np.random.default_rng(0)
        self.folder = folder
        arms = [*map(ca.load_arm, ca.arm_names()), muscular_arm(rng, 2), random_arm(rng, 3), an_arm()]
        self.arm = ca.load_arm("prototype-muscles")
        self.arms, self.motions = [], []
        for k, arm in enumerate(arms):
            ca.save_arm(arm, folder / f"arm{k}.toml")
            self.arms.append((folder / f"arm{k}.toml").read_bytes())
        for arm in (arms[-2], self.arm):
            ca.save_motion(
                ca.simulate(arm, duration=0.05, rate=400, sensitivities=("mass", "radius")), folder / "run.nc"
            )
            self.motions.append((folder / "run.nc").read_bytes())
        ca.write_recording(a_recording(self.arm, rng), self.arm, folder / "run.csv")
        self.recordings = [(folder / "run.csv").read_bytes(), *damage.RECORDINGS]
        self.pressures = [*damage.PRESSURES]
        (folder / "secret.txt").write_text(MARKER + "\n" + "1,2,3\n" * 500)
        np.full(4000, 5309.0).tofile(folder / "secret.bin")


def begin(folder: Path) -> Case:
    """Cases over the same good files."""
    originals = Originals(folder)
    kinds = (_arm, _pressures, _recording, _motion)

    def case(rng: np.random.Generator) -> str:
        kind = kinds[int(rng.integers(len(kinds)))]
        with warnings_are_errors():
            return f"{kind.__name__[1:]} {kind(originals, rng)}"

    return case


def _arm(originals: Originals, rng: np.random.Generator) -> str:
    content = damage.text(rng, damage.one(rng, originals.arms), damage.toml_tokens)
    path = originals.folder / "damaged.toml"
    path.write_bytes(content)
    try:
        arm = ca.load_arm(path)
    except Exception as error:
        return _refused(error, "load_arm", content)
    _use_arm(arm, content)
    return "loaded"


def _use_arm(arm: ca.Arm, content: bytes) -> None:
    """It can be written and read again, and moves."""
    if arm.n > MOST_SECTIONS_AT_REST:
        return
    ca.save_arm(arm, "again.toml")
    if ca.load_arm("again.toml") != arm:
        raise Finding("load_arm of what save_arm wrote is another arm", damage.shown(content))
    try:
        motion = ca.simulate(arm, duration=1e-3, rate=2000, solver=ca.FixedStep(2000))
    except ValueError as error:
        _refused(error, "simulate", content)
    else:
        if not all_finite((motion.q, motion.qd, motion.tau)):
            raise Finding("simulate of a damaged arm is not finite", damage.shown(content))


def _pressures(originals: Originals, rng: np.random.Generator) -> str:
    content = damage.text(rng, damage.one(rng, originals.pressures), damage.csv_tokens)
    path = originals.folder / "pressures.csv"
    path.write_bytes(content)
    try:
        signal = ca.PressureSignal.read(path, originals.arm)
        drive = signal.drive(originals.arm)
    except Exception as error:
        return _refused(error, "PressureSignal.read", content)
    if not all_finite((drive.times, drive.begin, drive.end)):
        raise Finding("PressureSignal.read gives numbers that are not finite", damage.shown(content))
    try:
        motion = ca.simulate(originals.arm, signal, duration=2e-3, solver=ca.FixedStep(1000))
    except Exception as error:
        return _refused(error, "simulate", content)
    if not all_finite((motion.q, motion.qd, motion.tau)):
        raise Finding("simulate of damaged pressures is not finite", damage.shown(content))
    return "loaded"


def _recording(originals: Originals, rng: np.random.Generator) -> str:
    content = damage.text(rng, damage.one(rng, originals.recordings), damage.csv_tokens)
    path = originals.folder / "recording.csv"
    path.write_bytes(content)
    try:
        recording = ca.read_recording(path, originals.arm)
        for sensor in recording.sensors:
            sensor.check(originals.arm)
        drive = recording.drive(originals.arm)
    except Exception as error:
        return _refused(error, "read_recording", content)
    if not all_finite((recording.times, drive.times, drive.begin, drive.end)):
        raise Finding("read_recording gives numbers that are not finite", damage.shown(content))
    if recording.times[-1] < 1.0 and rng.random() < 0.2:
        try:
            ca.simulated_recording(originals.arm, recording)
        except Exception as error:
            return _refused(error, "simulated_recording", content)
    return "loaded"


def _motion(originals: Originals, rng: np.random.Generator) -> str:
    path = originals.folder / "damaged.nc"
    how = hdf5_damage.write(rng, damage.one(rng, originals.motions), path, originals.folder)
    try:
        motion = ca.load_motion(path)
    except Exception as error:
        return _refused(error, f"load_motion ({how})", b"")
    rows = (motion.t, motion.q, motion.qd, motion.tau, motion.pressures, motion.hysteresis, motion.wrench)
    if not all_finite((*rows, motion.supplied, motion.dissipated)):
        raise Finding("load_motion gives numbers that are not finite", how)
    if any((each == 5309.0).any() for each in rows) or MARKER in str((motion.record, motion.stopped, motion.arm)):
        raise Finding("load_motion shows what is in another file", how)
    try:
        use_motion(motion)
    except Exception as error:
        return _refused(error, f"a loaded motion ({how})", b"")
    return "loaded"


def _refused(error: BaseException, where: str, content: bytes) -> str:
    try:
        if refusal(error, where, at_call=False) == "no memory":
            raise Finding(f"MemoryError of {where.split(' (')[0]}", where) from error
    except Finding as finding:
        finding.what += f"\n{damage.shown(content)}"
        raise
    if MARKER in str(error):
        raise Finding(f"{where} shows what is in another file", str(error))
    return "refused"


ATTACKER = Attacker(
    name="files",
    law="a damaged file is refused in one sentence, or what was read from it is finite and can be used",
    begin=begin,
    share=13.0,
    limit=15.0,
    memory=2 << 30,
)
