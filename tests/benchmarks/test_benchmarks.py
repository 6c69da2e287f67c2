"""The benchmark's structure. No time is ever asserted: a test that measures fails on a busy machine."""

import json
import math

import numpy as np
import pytest

from continuarm.benchmarks import groups as bench_groups
from continuarm.benchmarks import run as bench
from continuarm.benchmarks.groups import Workload, bent_states, prototype
from continuarm.benchmarks.run import GROUPS
from continuarm.benchmarks.timing import Repeats, best, fitted_exponent
from continuarm.engine import compiled
from continuarm.engine.table import QUANTITIES

pytestmark = [
    pytest.mark.exhaustive,  # measures everything once, however little,
    pytest.mark.xdist_group("benchmarks"),  # and once only where tests run side by side
]

TINY = Workload(
    repeats=1,
    seconds=0.0,
    arms=600,
    few_arms=4,
    paper_sections=5,
    engine_sections=(1, 3, 5, 10, 20),
    recordings=2,
    recorded=20.0,
    intervals=3,
)

needs_native = pytest.mark.skipif(compiled.native is None, reason="the compiled module is not built")


@pytest.fixture(scope="module")
def found():
    return {name: bench.run_bench(TINY, only=name) for name in GROUPS}


def rows(found, name):
    return found["results"][name]["rows"]


@pytest.mark.parametrize("name", GROUPS)
def test_every_row_has_a_name_of_its_own_a_finite_value_and_a_unit(found, name):
    names = [row["name"] for row in rows(found[name], name)]
    assert len(names) == len(set(names)) > 0
    for row in rows(found[name], name):
        if row["value"] is None:
            assert row["note"], row
        else:
            assert math.isfinite(row["value"]), row
            assert row["value"] > 0 or row["unit"] == "exponent", row
            assert row["unit"], row


@pytest.mark.parametrize("name", GROUPS)
def test_ratios_are_those_of_the_rows_they_name(found, name):
    values = {row["name"]: row for row in rows(found[name], name)}
    for row in values.values():
        if row["unit"] == "×":
            above, below = (values[each] for each in row["of"])
            assert above["unit"] == below["unit"]
            assert row["value"] == above["value"] / below["value"]


@needs_native
def test_the_rate_is_the_inverse_of_the_time_and_stands_beside_the_papers(found):
    values = {row["name"]: row["value"] for row in rows(found["loop"], "loop")}
    assert values["rate, integral, n = 3"] == 1 / values["integral, n = 3"]
    assert values["rate, the paper's, n = 3"] == 0.0095
    assert {f"{model}, n = {n}" for model in bench_groups.MODELS for n in (1, 3, 10, 100)} <= set(values)


def test_every_quantity_is_called(found):
    assert set(QUANTITIES) <= {row["name"] for row in rows(found["calls"], "calls")}


@needs_native
def test_batches_run_with_every_instruction_set_and_leave_the_widest(found):
    names = {row["name"] for row in rows(found["batch"], "batch")}
    build = compiled.native.build_info()
    assert {f"{level}, batch, 1 thread" for level in build["instruction_sets"]} <= names
    assert build["instruction_set"] == build["instruction_sets"][-1]


def test_exponents_are_those_of_the_rows_they_name(found):
    values = {row["name"]: row for row in rows(found["paper"], "paper")}
    fitted = [row for row in values.values() if row["unit"] == "exponent"]
    assert len(fitted) == (3 if compiled.native else 2)
    for row in fitted:
        sizes = [int(name.rpartition("=")[2]) for name in row["of"]]
        assert row["value"] == fitted_exponent(sizes, [values[name]["value"] for name in row["of"]])


def test_a_power_has_its_exponent():
    sizes = np.array([4.0, 5.0, 7.0, 10.0])
    assert fitted_exponent(sizes, 3e-5 * sizes**2.5) == pytest.approx(2.5, rel=1e-12)


def test_operations_of_forward_dynamics_are_the_sum_of_its_steps(found):
    values = {row["name"]: row["value"] for row in rows(found["operations"], "operations")}
    assert values["forward dynamics, integral"] == sum(values[name] for name in bench_groups.FORWARD)


def test_tasks_take_turns_and_the_least_time_counts():
    turns = []

    def task(name, times):
        left = iter(times)

        def run(count):
            turns.append(name)
            return count * next(left)

        return run

    # of each, one to warm up, one to see how long it takes, and three that count
    tasks = {"a": task("a", [9, 9, 3, 1, 2]), "b": task("b", [9, 9, 4, 6, 5])}
    assert best(tasks, Repeats(repeats=3, seconds=0.0)) == {"a": 1, "b": 4}
    assert turns == [*"aabb", *"ababab"]


def test_short_tasks_are_done_often_enough():
    counts = []
    best({"a": lambda count: counts.append(count) or 1e-6 * count}, Repeats(repeats=2, seconds=1e-3))
    assert counts[-1] == counts[-2] >= 1000


def test_states_are_in_range_bent_and_the_same_every_time():
    arm = prototype(3)
    q, qd, tau = bent_states(arm, 50)
    assert q.shape == qd.shape == tau.shape == (50, 9)
    least, greatest = arm.sections[0].length_range
    assert ((q > least) & (q < greatest)).all()
    assert (q == bent_states(arm, 50)[0]).all()


def test_only_an_unknown_group_is_refused_in_one_sentence_with_the_known_ones():
    with pytest.raises(ValueError, match="only = 'lop': must be one of 'loop', 'calls'") as refusal:
        bench.run_bench(TINY, only="lop")
    assert all(repr(name) in str(refusal.value) for name in GROUPS)
    assert "\n" not in str(refusal.value)


def test_what_is_measured_survives_json(found):
    for each in found.values():
        assert json.loads(json.dumps(each, allow_nan=False)) == each


def test_without_the_compiled_module_native_groups_say_so(monkeypatch):
    monkeypatch.setattr(compiled, "native", None)
    for name in ("loop", "batch"):
        (row,) = rows(bench.run_bench(TINY, only=name), name)
        assert row["value"] is None
        assert row["note"] == "the compiled module is not built"
    for name in ("reference", "operations"):
        assert all(row["value"] for row in rows(bench.run_bench(TINY, only=name), name))


@pytest.mark.parametrize("program", ["/nowhere/python", "/bin/false"])
def test_a_process_that_fails_is_a_row_that_says_so(monkeypatch, program):
    monkeypatch.setattr("sys.executable", program)
    (row,) = rows(bench.run_bench(TINY, only="paper"), "paper")
    assert row["value"] is None
    assert row["note"].startswith("failed: ")
