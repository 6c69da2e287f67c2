"""Section V of the paper, by proxy: arms of other laboratories, fitted to public recordings, against these recordings.

The paper's claim is that both models follow a measured arm; its own measurements are not public. Recordings of two
other arms are, and come with the source of this library, in examples/recordings, not with an installed package.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from continuarm.arms.arm import Arm
from continuarm.arms.arm_file import load_arm
from continuarm.arms.inertia_models import CentreOfGravity, Integral
from continuarm.common.text import shown
from continuarm.identification.recording_file import read_recording
from continuarm.identification.validation import Validation, validate
from continuarm.reproduction.number_text import digits
from continuarm.reproduction.study import Extent, Findings, Study, Tell, WordTable
from continuarm.reproduction.tables import Table

__all__ = ["FOLLOWS", "REAL_ARMS", "WHERE", "recordings_folder"]

WHERE = "examples/recordings of the library's source"
"""Where the recordings are."""
PLACES = (Path(__file__).parents[3] / "examples" / "recordings", Path("examples") / "recordings")
"""Where they are looked for if no folder is given: beside the source that runs, and in the current folder."""
FOLLOWS = 0.25
"""Of the motion's standard deviation: a prediction within this, rms, is said to follow a motion; nothing moves: 1."""
MODELS = {"integral": Integral(), "centre of gravity": CentreOfGravity()}


class Group(NamedTuple):
    """Recordings of one arm under one load."""

    arm: str
    pattern: str
    what: str
    fitted: bool
    """Whether the arm was fitted to them; else they are predicted."""
    payload: float = 0.0
    """kg at the tip beyond the arm's own."""


GROUPS = (
    Group("asu-two-section", "oct2_*.csv.gz", "October", fitted=True),
    Group("asu-two-section", "uiuc_noload_*.csv.gz", "another series, no load", fitted=False),
    Group(
        "asu-two-section",
        "uiuc_400g_*.csv.gz",
        "another series, 400 g taken as there from the start",
        fitted=False,
        payload=0.4,
    ),
    Group("asu-two-section", "jan_*.csv.gz", "January", fitted=False),
    Group("asu-two-section", "apr_*.csv.gz", "April", fitted=False),
    Group("stanford-trunk", "*_200g*.csv.gz", "swings with 200 g", fitted=True),
    Group("stanford-trunk", "*_400g*.csv.gz", "swings with 400 g", fitted=True, payload=0.2),
)


def recordings_folder(given: str | os.PathLike[str] | None) -> str:
    """The folder that was given, or one of the usual places; empty if there is none."""
    if given is None:
        return next((str(place.resolve()) for place in PLACES if any(_files(place).values())), "")
    if not any(_files(Path(given)).values()):
        names = " and ".join(dict.fromkeys(group.arm for group in GROUPS))
        raise ValueError(f"recordings = {shown(given)}: must be a folder with {names} in it, as {WHERE}")
    return str(Path(given).resolve())


def _files(folder: Path) -> dict[Group, list[Path]]:
    try:
        return {group: sorted((folder / group.arm).glob(group.pattern)) for group in GROUPS}
    except (OSError, ValueError):  # a name that no folder can have
        return {group: [] for group in GROUPS}


def real_arms_parameters(extent: Extent, seed: int, earlier: Mapping[str, Findings]) -> dict[str, Any]:
    """Where the recordings are, how many, and a hash of what is in them; nothing is random."""
    files = [path for paths in _files(Path(extent.recordings)).values() for path in paths] if extent.recordings else []
    hashed = hashlib.sha256(b"".join(path.name.encode() + b"\0" + path.read_bytes() for path in files))
    content = hashed.hexdigest()[:16] if files else "none"
    return {"recordings": len(files), "folder": extent.recordings, "content": content}


def find_real_arms(given: Mapping[str, Any], tell: Tell) -> Findings:
    """Every recording predicted with both models: distances of the last tip."""
    groups = _files(Path(given["folder"])) if given["folder"] else {}
    rows: list[dict[str, Any]] = []
    for k, (group, paths) in enumerate(groups.items()):
        rows += _predicted(group, paths) if paths else []
        tell((k + 1) / len(groups))
    if not rows:
        return Findings({"groups": []})
    words = [(name, "", [row[name] for row in rows]) for name in ("arm", "recording")]
    columns = [(name, unit, [row[name] for row in rows]) for name, unit in _units().items()]
    present = [group for group in GROUPS if groups[group]]
    numbers = {"groups": [_together(group, [row for row in rows if row["group"] == group]) for group in present]}
    return Findings(numbers, {"real-arms": Table.of(*words, *columns)})


def _units() -> dict[str, str]:
    named = {"fitted": "1", "motion": "mm", "models apart": "mm"}
    return named | {f"{what}, {model}": unit for model in MODELS for what, unit in _NUMBERS.items()}


_NUMBERS = {"rms": "mm", "worst": "mm", "compared": "1"}


def _predicted(group: Group, paths: Sequence[Path]) -> list[dict[str, Any]]:
    """One row for each recording of a group."""
    arm = load_arm(group.arm)
    runs = [replace(read_recording(path, arm), payload=group.payload) for path in paths]
    found = {name: validate(arm.replace(inertia=model), runs) for name, model in MODELS.items()}
    reached = [run for run in runs if all(each[run.name][f"tip {arm.n}"].compared for each in found.values())]
    return [_row(group, arm, run.name, found) for run in reached]


def _row(group: Group, arm: Arm, name: str, found: Mapping[str, Validation]) -> dict[str, Any]:
    tips = {model: each[name][f"tip {arm.n}"] for model, each in found.items()}
    apart = np.subtract(*(tip.predicted for tip in tips.values()))
    row: dict[str, Any] = {"group": group, "arm": group.arm, "recording": name, "fitted": int(group.fitted)}
    row["motion"] = 1e3 * tips["integral"].motion
    row["models apart"] = 1e3 * float(np.nanmax(np.linalg.norm(apart, axis=1)))
    for model, tip in tips.items():
        numbers = (1e3 * tip.rms, 1e3 * tip.worst, tip.share)
        row |= {f"{what}, {model}": value for what, value in zip(_NUMBERS, numbers, strict=True)}
    return row


def _together(group: Group, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The recordings of a group, each with the same weight."""

    def rms(name: str) -> float:
        return float(np.sqrt(np.mean([row[name] ** 2 for row in rows])))

    motion = rms("motion")
    return {
        **{name: getattr(group, name) for name in ("arm", "what", "fitted", "payload")},
        "recordings": len(rows),
        "motion_mm": motion,
        "models_apart_mm": max(row["models apart"] for row in rows),
        "following": sum(all(_follows(row, model) for model in MODELS) for row in rows),
        "models": {
            model: {
                "rms_mm": rms(f"rms, {model}"),
                "worst_mm": max(row[f"worst, {model}"] for row in rows),
                "of_motion": rms(f"rms, {model}") / motion,
                "compared": min(row[f"compared, {model}"] for row in rows),
            }
            for model in MODELS
        },
    }


def _follows(row: Mapping[str, Any], model: str) -> bool:
    """Simulated to the end, and near what was measured."""
    return bool(row[f"compared, {model}"] == 1 and row[f"rms, {model}"] <= FOLLOWS * row["motion"])


def real_arms_tables(found: Findings) -> list[WordTable]:
    """Distances by arm and series; where there are no recordings, a sentence that says where they are."""
    heading = "Distance of the last tip, predicted from measured, mm"
    columns = (
        *("arm, recordings", "how many", "the arm was fitted to them", "the tip's own motion, standard deviation"),
        *(f"{model}: rms; worst" for model in MODELS),
        *(
            "rms of the motion, integral",
            f"both models within {100 * FOLLOWS:.0f} %",
            "largest distance between both models",
        ),
    )
    rows = []
    for each in found.numbers["groups"]:
        models = each["models"]
        rows.append(
            (
                f"{each['arm']}, {each['what']}",
                str(each["recordings"]),
                "yes" if each["fitted"] else "no",
                digits(each["motion_mm"], 2),
                *(f"{digits(one['rms_mm'], 2)}; {digits(one['worst_mm'], 2)}" for one in models.values()),
                f"{digits(100 * models['integral']['of_motion'], 2)} %",
                f"{each['following']} of {each['recordings']}",
                digits(each["models_apart_mm"], 2),
            )
        )
    note = (
        f"Of several recordings rms is over all, worst the largest, each recording with the same weight. “Within "
        f"{100 * FOLLOWS:.0f} %”: recordings whose rms distance is at most that part of the tip's own motion; whoever "
        "predicts that nothing moves is off by 100 %. Between runs of one series, with arms fitted to the others, "
        "predictions are better: the page “A real arm” of the documentation has them. Every recording by itself: "
        "figures/real-arms.csv."
    )
    missing = (
        f"Not computed, as there are no recordings here: they are in {WHERE}, not in an installed package. Give their "
        "folder: continuarm reproduce --only real-arms --recordings FOLDER."
    )
    return [WordTable(heading, columns, tuple(rows), note if rows else missing)]


REAL_ARMS = Study(
    name="real-arms",
    title="Real arms",
    method=(
        "The paper shows its model on curves measured on its own arm; these measurements are not public. A stand-in: "
        "two arms of other laboratories whose recordings are, the hanging arm of two pneumatic sections of the RISE "
        "Lab, Arizona State University (asu-two-section), and the hanging trunk of the Autonomous Systems Lab, "
        "Stanford, bent by hand and let go (stanford-trunk). Each recording is simulated from where its first samples "
        "show the arm; from then on the simulation sees pressures only, or nothing. Nothing is fitted here.",
        "What differs from the paper: these are other arms with other muscles, soft fabric pillows and a hose instead "
        "of long braided muscles. Their models have friction, which the paper's has not, and the pneumatic one an area "
        "that falls with the length and the lag of valves. Their numbers were fitted to recordings, where the paper "
        "took its from elsewhere: where the table says so, a distance shows what the model can be fitted to, not what "
        "it foretells. The other recordings of the pneumatic arm are of other months, with gauges of other offsets.",
    ),
    parameters=real_arms_parameters,
    find=find_real_arms,
    drawings=(),
    word_tables=real_arms_tables,
)
