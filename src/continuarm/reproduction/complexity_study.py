"""Section IV-D of the paper: time over the number of sections, and the rate for three of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from continuarm.benchmarks import groups as bench_groups
from continuarm.benchmarks.groups import MODELS, measure_growth, measure_paper, native_loop, prototype
from continuarm.benchmarks.timing import best, calls, fitted_exponent
from continuarm.engine import compiled
from continuarm.engine.quantities import forward_dynamics
from continuarm.paper.algorithm1 import paper_forward_dynamics
from continuarm.reproduction.figures import draw_complexity
from continuarm.reproduction.number_text import digits, seconds
from continuarm.reproduction.study import Drawing, Extent, Findings, Study, Tell, WordTable
from continuarm.reproduction.tables import Table

__all__ = ["COMPLEXITY"]

ALGORITHM = {"centre of gravity": "paper, centre of gravity", "integral": "paper, integral"}
"""Rows of the benchmark, by inertia model."""
MOST_COMPARED = 10
STATES = 5


def complexity_parameters(extent: Extent, seed: int, earlier: Mapping[str, Findings]) -> dict[str, Any]:
    """How long is measured, and up to how many sections."""
    return {
        "seed": seed,
        "repeats": extent.repeats,
        "seconds": extent.seconds,
        "paper_sections": extent.paper_sections,
        "engine_sections": list(extent.engine_sections),
    }


def find_complexity(given: Mapping[str, Any], tell: Tell) -> Findings:
    """Agreement of both algorithms, times over the number of sections, and rates for three."""
    numbers = {
        "agreement": {model: _disagreement(model, given["seed"]) for model in MODELS},
        "agreement_sections": MOST_COMPARED,
        "derivatives_formed": {n: sum((3 * i) ** 3 for i in range(1, n + 1)) for n in (1, 3, 10, 100)},
    }
    tell(0.05)
    effort = bench_groups.Workload(
        repeats=given["repeats"],
        seconds=given["seconds"],
        paper_sections=given["paper_sections"],
        engine_sections=tuple(given["engine_sections"]),
    )
    group = measure_paper(effort)
    if group.rows[0]["value"] is None:  # no other process could be had
        group = measure_growth(effort)
    rows = {row["name"]: row["value"] for row in group.rows}
    tell(0.9)
    table = _over_sections(rows, given["paper_sections"], given["engine_sections"])
    times = {
        "rates": _rates(effort),
        "exponents": _exponents(table),
        "gain": {str(int(n)): gain for n, gain in zip(table["sections"], table["gain"], strict=True) if gain == gain},
    }
    tell(1.0)
    return Findings(numbers, {}, times, {"complexity": table})


def _disagreement(model: str, seed: int) -> float:
    """The largest difference of accelerations between Algorithm 1 and the engine, over the largest acceleration."""
    worst = 0.0
    for n in range(1, MOST_COMPARED + 1):
        arm = prototype(n, model)
        for q, qd, tau in zip(*bench_groups.bent_states(arm, STATES, seed=seed), strict=True):
            exact = paper_forward_dynamics(arm, q, qd, tau)
            worst = max(worst, float(np.abs(forward_dynamics(arm, q, qd, tau) - exact).max() / np.abs(exact).max()))
    return worst


def _over_sections(rows: Mapping[str, float | None], largest: int, longer: Sequence[int]) -> Table:
    """Microseconds of one forward dynamics; the gain is integral over centre of gravity, as in the paper."""
    sections = sorted({*range(1, largest + 1), *longer})
    algorithm = {model: [rows.get(f"{row}, n = {n}") for n in sections] for model, row in ALGORITHM.items()}
    gain = [
        slow / quick if slow and quick else None
        for quick, slow in zip(algorithm["centre of gravity"], algorithm["integral"], strict=True)
    ]
    return Table.of(
        ("sections", "1", sections),
        *((f"Algorithm 1, {model}", "µs", values) for model, values in algorithm.items()),
        ("O(n) engine, integral", "µs", [rows.get(f"engine, integral, n = {n}") for n in sections]),
        ("gain", "1", gain),
    )


def _exponents(table: Table) -> dict[str, list[dict[str, float]]]:
    """p of time ~ nᵖ, for four to ten sections, for the longest arms, and for the engine from ten sections on."""
    largest = max(n for n, time in zip(table["sections"], table["Algorithm 1, integral"], strict=True) if time == time)
    found: dict[str, list[dict[str, float]]] = {}
    for column in table.columns[1:4]:
        ranges = [(4, 10), (11, largest)] if column.name.startswith("Algorithm") else [(10, 1000)]
        for least, most in ranges:
            n, time = table["sections"], table[column.name]
            chosen = (n >= least) & (n <= most) & np.isfinite(time)
            if chosen.sum() > 2:
                fit = fitted_exponent(n[chosen].tolist(), time[chosen].tolist())
                entry = {"from": int(n[chosen].min()), "to": int(n[chosen].max()), "exponent": fit}
                found.setdefault(column.name, []).append(entry)
    return found


def _rates(effort: bench_groups.Workload) -> dict[str, float | None]:
    """Seconds of one forward dynamics of three sections, by the way it is called."""
    tasks, shaped, exact = {}, prototype(3, "centre of gravity"), prototype(3)
    state = bench_groups.bent_states(exact)
    if compiled.native:
        tasks["native loop, integral"] = native_loop(exact, state)
        tasks["native loop, centre of gravity"] = native_loop(shaped, state)
    tasks["call from Python, integral"] = calls(lambda: forward_dynamics(exact, *state))
    tasks["Algorithm 1 in NumPy, centre of gravity"] = calls(lambda: paper_forward_dynamics(shaped, *state))
    tasks["Algorithm 1 in NumPy, integral"] = calls(lambda: paper_forward_dynamics(exact, *state))
    return dict(best(tasks, effort))


def complexity_tables(found: Findings) -> list[WordTable]:
    """Rates for three sections, and exponents."""
    rates = [
        (name, seconds(value), f"{digits(1e-3 / value)} kHz", f"{digits(1 / value / 9500)}")
        for name, value in found.times["rates"].items()
        if value
    ]
    rates.append(("the paper, MATLAB, another machine", seconds(1 / 9500), "9.50 kHz", "1"))
    exponents = []
    for name, fits in found.times["exponents"].items():
        exponents += [(name, f"{each['from']} to {each['to']}", digits(each["exponent"])) for each in fits]
    agreement = ", ".join(f"{digits(value, 2)} ({model})" for model, value in found.numbers["agreement"].items())
    return [
        WordTable(
            "Forward dynamics of three sections",
            ("way", "time", "rate", "times the paper's 9.5 kHz"),
            tuple(rates),
            "Machines and languages differ: the last column says what can be had today, not whose algorithm is better.",
        ),
        WordTable(
            "Exponent p of time ~ n^{p}",
            ("algorithm", "sections", "p"),
            tuple(exponents),
            f"Algorithm 1 and the O(n) engine give the same accelerations for 1 to {MOST_COMPARED} sections: largest "
            f"difference over largest acceleration {agreement}.",
        ),
    ]


COMPLEXITY = Study(
    name="complexity",
    title="Time over the number of sections",
    method=(
        "The paper's Algorithm 1 is programmed line by line in NumPy, for the centre of gravity and, with 24 Gauss "
        "points along each section, for the integral model. One forward dynamics is timed for every number of "
        "sections: the least of several repeats, taken in turns, with one thread. Beside it stands this library's O(n) "
        "recursion in native code, exact integral model. Exponents are straight lines through log time over log n.",
        "Algorithm 1 forms all derivatives M_{,h}: 27 n^{3} numbers, and every section adds to them. So its arithmetic "
        "grows at least with n^{3}, as written with n^{4}. Up to ten sections the time is dominated by the number of "
        "calls, which grows with n, and exponents below that are seen.",
    ),
    parameters=complexity_parameters,
    find=find_complexity,
    drawings=(
        Drawing(
            "complexity",
            "Left: time of one forward dynamics (the paper's Fig. 5a). Right: how many times longer the integral model "
            "takes than the centre of gravity in Algorithm 1 (the paper's Fig. 5b). In the O(n) engine both models "
            "cost the same.",
            draw_complexity,
        ),
    ),
    word_tables=complexity_tables,
)
