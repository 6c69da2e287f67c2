"""Noise decides nothing: a verdict on times is given only where the spread is smaller than the effect."""

from __future__ import annotations

import numpy as np
import pytest

from continuarm.benchmarks.operation_counts import engine_operations
from continuarm.reproduction.claims_speed import complexity, gain, rate, real_time
from continuarm.reproduction.complexity_study import PAPER_RATE, counted_operations, find_complexity
from continuarm.reproduction.repeated_times import all_above, busy, fast_enough, risen, with_spread
from continuarm.reproduction.study import Findings
from continuarm.reproduction.tables import Table
from continuarm.reproduction.verdicts import AGREES, DIFFERS, IN_PART, NOISY

pytestmark = pytest.mark.exhaustive

IDLE = {"load": [0.1, 0.3], "processors": 2}
CROWDED = {"load": [0.1, 9.0], "processors": 2}


def test_values_on_both_sides_of_a_limit_say_nothing():
    assert all_above([11, 12, 30], 10) is True
    assert all_above([1, 2, 10], 10) is False
    assert all_above([9, 12, 30], 10) is None


@pytest.mark.parametrize("count", [1, 2])
def test_few_repeats_show_no_spread_and_say_nothing(count):
    assert all_above([100.0] * count, 1) is None
    assert risen([1.0] * count, [100.0] * count) is None
    assert risen([1.0] * 9, [100.0] * count) is None


def test_what_overlaps_has_not_risen_nor_fallen():
    assert risen([1, 2, 3], [4, 5, 6]) is True
    assert risen([4, 5, 6], [1, 2, 3]) is False
    assert risen([1, 2, 5], [4, 5, 6]) is None


@pytest.mark.parametrize("seed", range(20))
def test_noise_of_the_size_of_the_effect_is_never_a_rise(seed):
    rng = np.random.default_rng(seed)
    before, after = np.exp(rng.normal(0, 1, (2, 9))) * [[1.0], [1.3]]
    assert risen(list(before), list(after)) is None


def test_a_crowded_machine_can_show_that_it_is_fast_enough_and_nothing_else():
    assert fast_enough([11, 12, 13], 10, CROWDED) is True
    assert fast_enough([1, 2, 3], 10, CROWDED) is None
    assert fast_enough([1, 2, 3], 10, IDLE) is False
    assert fast_enough([1, 2, 3], 10, {"load": [None, None], "processors": 2}) is False


def test_readers_see_the_median_the_spread_and_the_load():
    assert with_spread([3.0, 1.0, 2.0], lambda value: f"{value:g} s") == "2 s (1 s to 3 s)"
    assert busy(CROWDED) == "a load average of 0.10 to 9.0 on 2 processors"
    assert "unknown" in busy({"load": [None], "processors": 1})


# ---- Verdicts --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def counted():
    """Findings as the study makes them, with times too few to say anything."""
    given = {"seed": 0, "repeats": 1, "seconds": 0.0, "paper_sections": 4, "engine_sections": [1, 2, 3, 10, 20]}
    return find_complexity(given, lambda share: None)


def with_times(found: Findings, **changes) -> Findings:
    return Findings(found.numbers, found.tables, found.times | changes, found.time_tables)


def rates(own: list[float], algorithm: list[float]) -> dict[str, list[float]]:
    """Seconds, from evaluations a second."""
    return {
        "native loop, integral": [1 / each for each in own],
        "call from Python, integral": [1 / each for each in own],
        "Algorithm 1 in NumPy, centre of gravity": [1 / each for each in algorithm],
    }


SURE, SLOW, BOTH = [2e6, 1e6, 3e6], [1e3, 2e3, 3e3], [PAPER_RATE / 2, PAPER_RATE, 2 * PAPER_RATE]


@pytest.mark.parametrize(
    ("own", "algorithm", "load", "verdict"),
    [
        (SURE, SURE, IDLE, AGREES),
        (SURE, SLOW, IDLE, IN_PART),
        (SURE, SLOW, CROWDED, IN_PART),
        (SURE, BOTH, IDLE, IN_PART),
        (BOTH, SLOW, IDLE, NOISY),
        (SURE[:1], SURE[:1], IDLE, NOISY),
        (SLOW, SLOW, IDLE, DIFFERS),
        (SLOW, SLOW, CROWDED, NOISY),
    ],
)
def test_the_rate_is_judged_only_where_times_can_tell(counted, own, algorithm, load, verdict):
    assert rate(with_times(counted, rates=rates(own, algorithm), **load)).verdict == verdict


@pytest.mark.parametrize(
    ("factors", "load", "verdict"),
    [
        ([30, 40, 50], CROWDED, IN_PART),
        ([1, 2, 3], IDLE, DIFFERS),
        ([1, 2, 3], CROWDED, NOISY),
        ([5, 20, 40], IDLE, NOISY),
        ([40], IDLE, NOISY),
    ],
)
def test_real_time_is_judged_only_where_times_can_tell(factors, load, verdict):
    ways = {f"{model}, {way}": factors for model in ("centre of gravity", "integral") for way in ("CVODE", "compiled")}
    speed = {"factors": ways, "paper_factor": 6.69, "paper_wall": 1.13}
    answer = real_time(Findings({}, times={"experiments": {"1": speed}, **load}))
    assert answer.verdict == verdict
    assert "6.1" in answer.why  # the paper's own numbers for experiment 3


@pytest.mark.parametrize("seed", range(10))
def test_no_times_change_what_is_said_of_growth(counted, seed):
    """A loaded machine once gave the O(n) engine the exponent 1.9, and a gain that falls was called growing."""
    rng = np.random.default_rng(seed)
    noisy = with_times(
        counted,
        exponents={"O(n) engine, integral": [{"from": 10, "to": 20, "exponents": list(rng.normal(1.9, 1, 5))}]},
        gain={"1": list(rng.random(5)), "4": list(10 * rng.random(5))},
        **CROWDED,
    )
    for judged in (complexity, gain):
        quiet, loud = judged(counted), judged(noisy)
        assert loud._replace(times="") == quiet._replace(times="")
        assert loud.times != quiet.times


def test_growth_is_judged_by_the_degree_of_the_counts(counted):
    assert complexity(counted).verdict == DIFFERS
    operations = counted.numbers["operations"]
    as_claimed = {
        name: each | {"degree": {"Algorithm 1, centre of gravity": 2, "Algorithm 1, integral": 3}.get(name, 1)}
        for name, each in operations.items()
    }
    claimed = Findings(counted.numbers | {"operations": as_claimed}, counted.tables, counted.times)
    assert complexity(claimed).verdict == AGREES


@pytest.mark.parametrize(
    ("solved", "ratios", "verdict"),
    [
        (1.0, [1.1, 2.0, 5.0], AGREES),
        (1.0, [9.0, 10.0, 11.0], AGREES),
        (1.0, [1.1, 5.0, 2.0], IN_PART),
        (5.0, [3.0, 4.0, 5.0], IN_PART),
        (5.0, [8.0, 7.0, 5.0], DIFFERS),
    ],
)
def test_a_gain_that_falls_does_not_grow(counted, solved, ratios, verdict):
    """solved: integral over centre of gravity for one section, in closed form."""
    table = Table.of(("sections", "1", [1, 3, 10]), ("gain", "1", ratios))
    one = {"O(n) engine, integral": solved, "O(n) engine, centre of gravity": 1.0}
    found = Findings(counted.numbers | {"one_section": one}, {"operations": table}, counted.times)
    assert gain(found).verdict == verdict


def test_the_gain_counted_does_not_grow(counted):
    assert gain(counted).verdict == IN_PART
    assert 0.9 < counted.numbers["one_section"]["O(n) engine, integral"] / engine_operations(1, "shaped") < 1.1


def test_counts_are_the_same_whenever_they_are_taken(counted):
    assert counted.numbers["operations"] == counted_operations()
