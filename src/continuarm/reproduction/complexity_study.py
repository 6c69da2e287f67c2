"""Section IV-D of the paper: arithmetic and time over the number of sections, and the rate for three of them.

What grows how is decided by counting operations, which no other program disturbs; times stand beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from continuarm.benchmarks import groups as bench_groups
from continuarm.benchmarks.groups import MODELS, measure_growth, measure_paper, native_loop, prototype
from continuarm.benchmarks.operation_counts import algorithm_operations, engine_operations, polynomial, value_at
from continuarm.benchmarks.run import machine
from continuarm.benchmarks.timing import calls, fitted_exponent, repeated
from continuarm.engine import compiled
from continuarm.engine.quantities import forward_dynamics
from continuarm.paper.algorithm1 import paper_forward_dynamics
from continuarm.reproduction.figures import draw_operations, draw_times
from continuarm.reproduction.number_text import digits, seconds
from continuarm.reproduction.repeated_times import busy, median, with_spread
from continuarm.reproduction.study import Drawing, Extent, Findings, Study, Tell, WordTable
from continuarm.reproduction.tables import Table

__all__ = ["COMPLEXITY", "PAPER_RATE"]

PAPER_RATE = 1e3 * bench_groups.PAPER_RATE
"""Evaluations a second of the paper's model with three sections."""
ALGORITHM = {f"Algorithm 1, {model}": f"paper, {model}" for model in ("centre of gravity", "integral")}
"""Rows of the benchmark, by what the report calls them."""
ENGINE = {f"O(n) engine, {model}": model for model in ("centre of gravity", "integral")}
MOST_COMPARED = 10
STATES = 5
POINTS = 24
"""Gauss points along a section of the integral model in Algorithm 1."""
COUNTED = range(1, 8)
"""Sections for which operations are counted: five give the polynomial, two more confirm it."""
FAR = 100
RANGES = ((1, 4), (4, 10), (10, FAR))
"""Sections between which the exponent of the operations is told."""


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
    """Agreement of both algorithms, their operations, times over the number of sections, and rates for three."""
    sections = sorted({*range(1, given["paper_sections"] + 1), *given["engine_sections"]})
    numbers: dict[str, Any] = {
        "agreement": {model: _disagreement(model, given["seed"]) for model in MODELS},
        "agreement_sections": MOST_COMPARED,
        "points": POINTS,
        "counted_sections": list(COUNTED),
        "operations": counted_operations(),
        "one_section": {name: engine_operations(1, model) for name, model in ENGINE.items()},
    }
    tell(0.15)
    load = [machine()["load_average"]]
    effort = bench_groups.Workload(
        repeats=given["repeats"],
        seconds=given["seconds"],
        paper_sections=given["paper_sections"],
        engine_sections=tuple(given["engine_sections"]),
    )
    group = measure_paper(effort)
    if group.rows[0]["value"] is None:  # no other process could be had
        group = measure_growth(effort)
    taken = {row["name"]: row["repeats"] for row in group.rows if "repeats" in row}
    tell(0.9)
    series = {
        name: _series(taken, row) for name, row in (*ALGORITHM.items(), ("O(n) engine, integral", "engine, integral"))
    }
    gain = _gains(*(series[name] for name in ALGORITHM))
    times = {
        "rates": _rates(effort),
        "exponents": _exponents(series),
        "gain": {str(n): values for n, values in gain.items()},
        "load": [each and each[0] for each in (*load, machine()["load_average"])],
        "processors": machine()["usable_processors"],
    }
    tell(1.0)
    tables = {"operations": _operations_table(numbers["operations"], sections)}
    return Findings(numbers, tables, times, {"times": _times_table(series, gain, sections)})


# ---- Operations -----------------------------------------------------------------------------------------------------


def counted_operations() -> dict[str, dict[str, Any]]:
    """By algorithm: the polynomial in n, its coefficients as fractions in words, its degree, and local exponents."""
    counts: dict[str, tuple[list[int], int]] = {}
    for name in ALGORITHM:
        model = name.partition(", ")[2]
        counts[name] = [algorithm_operations(n, model, POINTS) for n in COUNTED], COUNTED[0]
    for name, model in ENGINE.items():
        counts[name] = [engine_operations(n, model) for n in COUNTED[1:]], COUNTED[1]  # one section takes shorter steps
    found = {}
    for name, (values, first) in counts.items():
        coefficients = polynomial(values, first)
        found[name] = {
            "counts": values,
            "first": first,
            "coefficients": [str(each) for each in coefficients],
            "degree": len(coefficients) - 1,
            "exponents": [_local_exponent(coefficients, max(low, first), high) for low, high in RANGES],
        }
    return found


def operations_of(found: Findings, name: str, n: int) -> int:
    """Operations of one forward dynamics of n sections."""
    return value_at([Fraction(each) for each in found.numbers["operations"][name]["coefficients"]], n)


def written_polynomial(found: Findings, name: str) -> str:
    """For readers: 229.5 n^{4} + 846 n^{3} + ... − 15."""
    text = ""
    for power, each in reversed(list(enumerate(found.numbers["operations"][name]["coefficients"]))):
        value = float(Fraction(each))
        if value:
            letter = "" if power == 0 else " n" if power == 1 else f" n^{{{power}}}"
            sign = (" − " if value < 0 else " + ") if text else ("−" if value < 0 else "")
            text += f"{sign}{abs(value):,g}{letter}"
    return text


def _local_exponent(coefficients: Sequence[Fraction], low: int, high: int) -> float:
    return math.log(value_at(coefficients, high) / value_at(coefficients, low)) / math.log(high / low)


def _operations_table(operations: Mapping[str, Any], sections: Iterable[int]) -> Table:
    wanted = sorted({*sections, FAR})
    columns: dict[str, list[int | None]] = {}
    for name, each in operations.items():
        coefficients = [Fraction(value) for value in each["coefficients"]]
        columns[name] = [value_at(coefficients, n) if n >= each["first"] else None for n in wanted]
    slow, quick = (columns[name] for name in ("Algorithm 1, integral", "Algorithm 1, centre of gravity"))
    return Table.of(
        ("sections", "1", wanted),
        *((name, "operations", values) for name, values in columns.items()),
        ("gain", "1", [above / below for above, below in zip(slow, quick, strict=True) if above and below]),
    )


# ---- Times ----------------------------------------------------------------------------------------------------------


def _disagreement(model: str, seed: int) -> float:
    """The largest difference of accelerations between Algorithm 1 and the engine, over the largest acceleration."""
    worst = 0.0
    for n in range(1, MOST_COMPARED + 1):
        arm = prototype(n, model)
        for q, qd, tau in zip(*bench_groups.bent_states(arm, STATES, seed=seed), strict=True):
            exact = paper_forward_dynamics(arm, q, qd, tau)
            worst = max(worst, float(np.abs(forward_dynamics(arm, q, qd, tau) - exact).max() / np.abs(exact).max()))
    return worst


def _series(taken: Mapping[str, list[float]], row: str) -> dict[int, list[float]]:
    """Microseconds of one forward dynamics, repeat by repeat, by the number of sections."""
    found = {}
    for name, values in taken.items():
        what, _, n = name.rpartition(", n = ")
        if what == row:
            found[int(n)] = values
    return found


def _gains(quick: Mapping[int, list[float]], slow: Mapping[int, list[float]]) -> dict[int, list[float]]:
    """Integral over centre of gravity, of times taken one after the other."""
    return {n: [above / below for below, above in zip(quick[n], slow[n], strict=True)] for n in quick if n in slow}


def _times_table(
    series: Mapping[str, Mapping[int, list[float]]], gain: Mapping[int, list[float]], sections: Sequence[int]
) -> Table:
    columns: list[tuple[str, str, Any]] = [("sections", "1", sections)]
    for name, unit, values in (*((name, "µs", each) for name, each in series.items()), ("gain", "1", gain)):
        for kind, chosen in (("median", median), ("least", min), ("greatest", max)):
            columns.append((f"{name}, {kind}", unit, [chosen(values[n]) if n in values else None for n in sections]))
    return Table.of(*columns)


def _exponents(series: Mapping[str, Mapping[int, list[float]]]) -> dict[str, list[dict[str, Any]]]:
    """p of time ~ nᵖ, repeat by repeat: for four to ten sections, longer arms, and the engine from ten on."""
    found: dict[str, list[dict[str, Any]]] = {}
    for name, each in series.items():
        for least, most in [(4, 10), (11, FAR)] if name.startswith("Algorithm") else [(10, FAR)]:
            chosen = [n for n in each if least <= n <= most]
            if len(chosen) > 2:
                repeats = zip(*(each[n] for n in chosen), strict=True)
                fits = [fitted_exponent(chosen, list(times)) for times in repeats]
                found.setdefault(name, []).append({"from": min(chosen), "to": max(chosen), "exponents": fits})
    return found


def _rates(effort: bench_groups.Workload) -> dict[str, list[float]]:
    """Seconds of one forward dynamics of three sections, repeat by repeat, by the way it is called."""
    tasks, shaped, exact = {}, prototype(3, "centre of gravity"), prototype(3)
    state = bench_groups.bent_states(exact)
    if compiled.native:
        tasks["native loop, integral"] = native_loop(exact, state)
        tasks["native loop, centre of gravity"] = native_loop(shaped, state)
    tasks["call from Python, integral"] = calls(lambda: forward_dynamics(exact, *state))
    tasks["Algorithm 1 in NumPy, centre of gravity"] = calls(lambda: paper_forward_dynamics(shaped, *state))
    tasks["Algorithm 1 in NumPy, integral"] = calls(lambda: paper_forward_dynamics(exact, *state))
    return repeated(tasks, effort)


def complexity_tables(found: Findings) -> list[WordTable]:
    """Operations, rates for three sections, and exponents of times."""
    operations = found.numbers["operations"]
    counted = [
        (
            name,
            written_polynomial(found, name),
            *(f"{operations_of(found, name, n):,}" for n in (3, 10)),
            *(digits(each, 2) for each in operations[name]["exponents"]),
        )
        for name in operations
    ]
    rates = [
        (
            name,
            with_spread(values, seconds),
            f"{digits(1e-3 / median(values))} kHz",
            digits(1 / median(values) / PAPER_RATE),
        )
        for name, values in found.times["rates"].items()
    ]
    rates.append(("the paper, MATLAB, another machine", seconds(1 / PAPER_RATE), "9.50 kHz", "1"))
    exponents = [
        (name, f"{each['from']} to {each['to']}", with_spread(each["exponents"], lambda value: digits(value, 2)))
        for name, fits in found.times["exponents"].items()
        for each in fits
    ]
    agreement = ", ".join(f"{digits(value, 2)} ({model})" for model, value in found.numbers["agreement"].items())
    return [
        WordTable(
            "Operations of one forward dynamics, counted",
            (
                "algorithm",
                "operations for n sections",
                "n = 3",
                "n = 10",
                *(f"exponent from n = {low} to {high}" for low, high in RANGES),
            ),
            tuple(counted),
            f"Exact, not fitted: counts for n = {COUNTED[0]} to {COUNTED[-1]} lie on these polynomials. "
            f"Integral in Algorithm 1: {POINTS} points along a section. The engine's first section is shorter: its "
            "line begins at two sections. "
            f"Algorithm 1 and the O(n) engine give the same accelerations for 1 to {MOST_COMPARED} sections: largest "
            f"difference over largest acceleration {agreement}.",
        ),
        WordTable(
            "Time of forward dynamics of three sections: median (least to greatest)",
            ("way", "time", "median rate", "times the paper's 9.5 kHz"),
            tuple(rates),
            f"Taken at {busy(found.times)}. Machines and languages differ: the last column says what can be had today, "
            "not whose algorithm is better.",
        ),
        WordTable(
            "Exponent p of time ~ n^{p}: median (least to greatest) over the repeats",
            ("algorithm", "sections", "p"),
            tuple(exponents),
            "Not what a verdict rests on: the smaller the arm, the more of the time is calls and not arithmetic, and "
            "other programs add to it; another run may lie outside this spread.",
        ),
    ]


COMPLEXITY = Study(
    name="complexity",
    title="Arithmetic and time over the number of sections",
    method=(
        "The paper's Algorithm 1 is programmed line by line in NumPy, for the centre of gravity and, with "
        f"{POINTS} Gauss points along each section, for the integral model. Beside it stands this library's O(n) "
        "recursion in native code. Their arithmetic is counted: Algorithm 1 runs on numbers that count every + − × ÷ "
        "done with them, and the recursion is made of recorded steps whose operations are known. Counts depend on "
        "neither machine nor load, and verdicts on what grows how rest on them alone.",
        "Times are shown as well: one forward dynamics for every number of sections, repeated in turns with one "
        "thread, the median with least and greatest. Algorithm 1 forms all derivatives M_{,h}, 27 n^{3} numbers, and "
        "every section adds to them: n^{4} operations as written. Up to ten sections NumPy's calls, whose "
        "number grows with n, hide most of that in the time.",
    ),
    parameters=complexity_parameters,
    find=find_complexity,
    drawings=(
        Drawing(
            "operations",
            "(a) Operations of one forward dynamics, counted (the paper's Fig. 5a shows times). (b) How many times "
            "more the integral model takes than the centre of gravity in Algorithm 1, counted (the paper's Fig. 5b). "
            "In the O(n) engine both models cost the same.",
            draw_operations,
        ),
        Drawing(
            "times",
            "The same in times: median, with bars from the least to the greatest. (a) One forward dynamics. (b) "
            "Integral over centre of gravity.",
            draw_times,
        ),
    ),
    word_tables=complexity_tables,
)
