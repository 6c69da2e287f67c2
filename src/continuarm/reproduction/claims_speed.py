"""What the paper claims of cost and speed: growth by counted operations, speed by times where they can tell."""

from __future__ import annotations

from itertools import pairwise

from continuarm.reproduction.complexity_study import PAPER_RATE, RANGES, operations_of, written_polynomial
from continuarm.reproduction.number_text import digits, seconds
from continuarm.reproduction.repeated_times import all_above, busy, fast_enough, median, risen, with_spread
from continuarm.reproduction.study import Findings
from continuarm.reproduction.verdicts import AGREES, DIFFERS, IN_PART, NOISY, Answer

SHAPED, EXACT = "Algorithm 1, centre of gravity", "Algorithm 1, integral"
OWN, OWN_SHAPED = "O(n) engine, integral", "O(n) engine, centre of gravity"
CLAIMED = {SHAPED: 2, EXACT: 3}
"""Exponents of the paper."""
SIMILAR = 2.0
"""Times the cost that is still called similar."""


def _two(value: float) -> str:
    return digits(value, 2)


def complexity(found: Findings) -> Answer:
    """How the arithmetic grows."""
    operations = found.numbers["operations"]
    degrees = {name: operations[name]["degree"] for name in (SHAPED, EXACT, OWN)}
    powers = {name: "n" if degree == 1 else f"n^{{{degree}}}" for name, degree in degrees.items()}
    ours = (
        f"{powers[SHAPED]} and {powers[EXACT]} as written, counted; {powers[OWN]} for the exact model in this library"
    )
    near, _, far = (f"n^{{{_two(each)}}}" for each in operations[SHAPED]["exponents"])
    (low, high), _, (begin, end) = RANGES
    why = (
        f"Every + − × ÷ of Algorithm 1 counted: {written_polynomial(found, SHAPED)} for the centre of gravity, since "
        "each section adds to all derivatives M_{,h}. "
        f"From {low} to {high} sections that looks like {near}, from {begin} to {end} like {far}. The integral model "
        f"(here by {found.numbers['points']} points along a section) has the same power; solved in closed form and "
        f"without M_{{,h}} it needs {written_polynomial(found, OWN)}."
    )
    same = [degrees[name] == claimed for name, claimed in CLAIMED.items()]
    verdict = AGREES if all(same) else IN_PART if any(same) else DIFFERS
    fits = [
        f"{name}, n = {each['from']} to {each['to']}: {with_spread(each['exponents'], _two)}"
        for name, fitted in found.times["exponents"].items()
        for each in fitted
    ]
    times = (
        f"Exponents of times, on which this does not rest, at {busy(found.times)}: {'; '.join(fits)}." if fits else ""
    )
    return Answer(ours, verdict, why, times)


def gain(found: Findings) -> Answer:
    """Integral against centre of gravity."""
    table = found.tables["operations"]
    ratio = dict(zip((int(n) for n in table["sections"]), table["gain"], strict=True))
    first, last = min(ratio), max(ratio)
    shown = [n for n in (first, 3, 10, last) if n in ratio]
    one = found.numbers["one_section"]
    solved = one[OWN] / one[OWN_SHAPED]
    ours = (
        f"{_two(solved)} for one section with integrals solved beforehand; by {found.numbers['points']} points along a "
        f"section {', '.join(_two(ratio[n]) for n in shown)} for n = {', '.join(map(str, shown))}; counted"
    )
    why = (
        "Similar for one section if the integrals are solved beforehand, as the paper does; but then there is no gain "
        f"for more sections either: {operations_of(found, OWN, 10):,} against {operations_of(found, OWN_SHAPED, 10):,} "
        "operations for ten. By points along the section the integral model costs the same multiple from the first "
        "section on. In neither form the gain grows; in times it may seem to, because for few sections calls weigh "
        "more than arithmetic. The paper's code of the integral model is not public."
    )
    values = [ratio[n] for n in sorted(ratio)]
    grows = all(before < after for before, after in pairwise(values))
    holds = [min(ratio[first], solved) < SIMILAR, grows]
    verdict = AGREES if all(holds) else IN_PART if any(holds) else DIFFERS
    return Answer(ours, verdict, why, _gain_in_times(found))


def _gain_in_times(found: Findings) -> str:
    gains = {int(n): values for n, values in found.times["gain"].items()}
    first, last = min(gains), max(gains)
    shown = [n for n in dict.fromkeys((first, 3, 10, last)) if n in gains]
    said = {True: "risen", False: "not risen", None: "too noisy to tell"}[risen(gains[first], gains[last])]
    spreads = ", ".join(f"{with_spread(gains[n], _two)} for n = {n}" for n in shown)
    return f"Gain in times, on which this does not rest, at {busy(found.times)}: {spreads}: {said}."


def rate(found: Findings) -> Answer:
    """Evaluations a second."""
    rates = {name: [1 / taken for taken in values] for name, values in found.times["rates"].items()}
    own = rates.get("native loop, integral") or rates["call from Python, integral"]
    algorithm = rates["Algorithm 1 in NumPy, centre of gravity"]
    ours = f"{_kilohertz(median(own))} (exact integral model, this library)"
    needed = operations_of(found, SHAPED, 3)
    why = (
        f"By another algorithm, on another machine and in another language. Algorithm 1 takes {needed:,} operations "
        f"for three sections, so that 9.5 kHz are {_two(1e-9 * needed * PAPER_RATE)} · 10^{{9}} operations a second: "
        "plausible in compiled code. In NumPy it does not come near."
    )
    verdict = {
        True: AGREES if all_above(algorithm, PAPER_RATE) else IN_PART,
        False: DIFFERS,
        None: NOISY,
    }[fast_enough(own, PAPER_RATE, found.times)]
    call, numpy = found.times["rates"]["call from Python, integral"], median(algorithm)
    times = (
        f"Median (least to greatest) {with_spread(own, _kilohertz)} in native code, {with_spread(call, seconds)} a "
        f"call from Python, Algorithm 1 in NumPy {_kilohertz(numpy)}; {busy(found.times)}."
    )
    return Answer(ours, verdict, why, times)


def _kilohertz(value: float) -> str:
    return f"{digits(1e-3 * value, 2)} kHz"


def real_time(found: Findings) -> Answer:
    """Simulation against real time."""
    each = found.times["experiments"].values()
    cvode, compiled = ([one["factors"][f"centre of gravity, {way}"] for one in each] for way in ("CVODE", "compiled"))
    ours = f"{', '.join(_two(median(factors)) for factors in cvode)} (same kind of solver, called from Python)"
    why = (
        "Exceeded, on another machine and in other code. The paper's number for experiment 3 contradicts its own text: "
        "7.9 s in 1.3 s are 6.1 times real time, not 7.3."
    )
    reached = [fast_enough(factors, one["paper_factor"], found.times) for factors, one in zip(cvode, each, strict=True)]
    verdict = NOISY if None in reached else IN_PART if all(reached) else DIFFERS
    times = (
        f"Median (least to greatest): CVODE {', '.join(with_spread(factors, _two) for factors in cvode)}; compiled "
        f"solver {', '.join(with_spread(factors, _two) for factors in compiled)}; {busy(found.times)}."
    )
    return Answer(ours, verdict, why, times)
