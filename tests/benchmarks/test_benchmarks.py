"""The benchmark's structure. No time is ever asserted: a test that measures fails on a busy machine."""

import json
import math
import os

import numpy as np
import pytest

from continuarm.arms.arm import Payload
from continuarm.arms.inertia_models import CentreOfGravity
from continuarm.benchmarks import groups as bench_groups
from continuarm.benchmarks import peers as bench_peers
from continuarm.benchmarks import run as bench
from continuarm.benchmarks.groups import Effort, bent_states, best, fitted_exponent, prototype
from continuarm.benchmarks.run import GROUPS
from continuarm.engine import compiled
from continuarm.engine.table import QUANTITIES

TINY = Effort(
    repeats=1,
    seconds=0.0,
    arms=600,
    few_arms=4,
    paper_sections=5,
    engine_sections=(1, 3, 5, 10, 20),
    peer_steps=10,
    peer_threads=("one",),
)
HERE = [name for name in GROUPS if name != "soromox"]

needs_native = pytest.mark.skipif(compiled.native is None, reason="the compiled module is not built")


@pytest.fixture(scope="module")
def found():
    return {name: bench.run_bench(TINY, only=name) for name in HERE}


def rows(found, name):
    return found["results"][name]["rows"]


@pytest.mark.parametrize("name", HERE)
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


@pytest.mark.parametrize("name", HERE)
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
    assert best(tasks, Effort(repeats=3, seconds=0.0)) == {"a": 1, "b": 4}
    assert turns == [*"aabb", *"ababab"]


def test_short_tasks_are_done_often_enough():
    counts = []
    best({"a": lambda count: counts.append(count) or 1e-6 * count}, Effort(repeats=2, seconds=1e-3))
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


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setattr(bench, "QUICK", TINY)


def test_the_command_prints_the_table_and_writes_what_it_measured(tiny, tmp_path, capsys):
    path = tmp_path / "bench.json"
    bench.bench_command(path, quick=True, only="operations")
    printed = capsys.readouterr().out
    written = json.loads(path.read_text(encoding="utf-8"))
    assert list(written["results"]) == ["operations"]
    for row in written["results"]["operations"]["rows"]:
        assert row["name"] in printed
    assert written["machine"]["cpu"]
    assert written["machine"]["usable_processors"] == compiled.PROCESSORS
    assert written["versions"]["numpy"] == np.__version__
    assert written["effort"]["arms"] == TINY.arms


def test_what_is_measured_survives_json(found):
    for each in found.values():
        assert json.loads(json.dumps(each, allow_nan=False)) == each


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("nowhere/bench.json", "does not exist"),
        (".", "is a folder"),
        ("bench\0.json", "null"),
    ],
)
def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(monkeypatch, tmp_path, path, reason):
    monkeypatch.setattr(bench, "measured", lambda *_: pytest.fail("measured before the file was tried"))
    given = os.path.join(tmp_path, path)
    with pytest.raises(ValueError, match=reason) as refusal:
        bench.bench_command(given, quick=True)
    assert "\n" not in str(refusal.value)
    assert list(tmp_path.iterdir()) == []


def test_a_run_that_fails_leaves_the_file_as_it_was(monkeypatch, tmp_path):
    path = tmp_path / "bench.json"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(ValueError, match="only"):
        bench.bench_command(path, only="lop")
    monkeypatch.setattr(bench, "run_bench", lambda *_: {"value": float("nan")})  # which JSON does not have
    with pytest.raises(ValueError, match="JSON"):
        bench.bench_command(path, only="operations")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_without_the_compiled_module_native_groups_say_so(monkeypatch):
    monkeypatch.setattr(compiled, "native", None)
    for name in ("loop", "batch", "soromox"):
        (row,) = rows(bench.run_bench(TINY, only=name), name)
        assert row["value"] is None
        assert row["note"] == "the compiled module is not built"
    for name in ("reference", "operations"):
        assert all(row["value"] for row in rows(bench.run_bench(TINY, only=name), name))


# ---- soromox --------------------------------------------------------------------------------------------------------


@needs_native
def test_soromox_that_is_not_installed_is_a_row_that_says_so(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    (row,) = rows(bench.run_bench(TINY, only="soromox"), "soromox")
    assert row["value"] is None
    assert row["note"].startswith("not installed")


@needs_native
@pytest.mark.parametrize("name", ["paper", "soromox"])
@pytest.mark.parametrize("program", ["/nowhere/python", "/bin/false"])
def test_a_process_that_fails_is_a_row_that_says_so(monkeypatch, name, program):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: True)
    monkeypatch.setattr("sys.executable", program)
    (row,) = rows(bench.run_bench(TINY, only=name), name)
    assert row["value"] is None
    assert row["note"].startswith("failed: ")


@pytest.mark.parametrize(
    "change",
    [
        {"inertia": CentreOfGravity()},
        {"payload": Payload(mass=0.1)},
        {"sections": [prototype(1).sections[0].replace(offset=0.01)]},
    ],
)
def test_an_arm_that_soromox_cannot_describe_is_refused(change):
    with pytest.raises(ValueError, match="soromox has"):
        bench_peers.soromox_arm(prototype(1).replace(**change))


@pytest.fixture
def soromox():
    return pytest.importorskip("soromox", reason="soromox, a peer to compare with, is not installed")


def test_soromox_gives_the_same_accelerations(soromox):
    """Twists included, and a base turned to where gravity acts across the arm."""
    arm = prototype(3)
    assert bench_peers.agreement(arm, count=5, points=9) < 1e-6
    tilted = arm.replace(base_rotation=(0.4, -1.1, 0.3))
    assert bench_peers.agreement(tilted, count=5, points=9) < 1e-6


@needs_native
def test_soromox_is_measured_beside_the_engine(soromox):
    found = rows(bench.run_bench(TINY, only="soromox"), "soromox")
    values = {row["name"]: row for row in found}
    for way in ("loop", "call", "batch"):
        ratio = next(row for name, row in values.items() if name.startswith(f"soromox / continuarm, {way}"))
        above, below = (values[name]["value"] for name in ratio["of"])
        assert ratio["value"] == above / below
