"""The reproduction: the same seed gives the same numbers, nothing is computed twice, and the report says it all."""

from __future__ import annotations

import base64
import csv
import dataclasses
import io
import itertools
import json
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from viewing import open_browser, playwright

import continuarm.reproduction.real_arms_study as real_arms_study
import continuarm.reproduction.report_folder as reproduction
import continuarm.reproduction.stored_results as stored_results
from continuarm import CentreOfGravity, load_arm, read_recording, validate
from continuarm.cli.app import main
from continuarm.paper.experiments import EXPERIMENTS, LABEL
from continuarm.reproduction.claims import CLAIMS
from continuarm.reproduction.experiments_study import STEADY, steady_rows
from continuarm.reproduction.html_report import marked
from continuarm.reproduction.near_straight_study import bent, by_curve_parameters, by_entire_functions, exactly
from continuarm.reproduction.number_text import plain
from continuarm.reproduction.point_mass_study import _states
from continuarm.reproduction.report_folder import STUDIES, Extent, reproduce
from continuarm.simulation.plots import SUFFIXES
from html_reader import PageReader, check_self_contained

TINY = Extent(
    name="tiny",
    fit_samples=2_000,
    bootstrap=10,
    shown_samples=40,
    states=1_000,
    states_per_length=200,
    compared_states=200,
    repeats=1,
    seconds=0.0,
    paper_sections=4,
    engine_sections=(1, 3, 10, 20),
    points=21,
)
RECORDINGS = Path(__file__).parents[2] / "examples" / "recordings"
DRAWINGS = [drawing for study in STUDIES.values() for drawing in study.drawings]


pytestmark = [
    pytest.mark.exhaustive,  # one whole reproduction, however small,
    pytest.mark.xdist_group("browser"),  # and one only where tests run side by side
]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return reproduce(tmp_path_factory.mktemp("reproduction"), extent=TINY, seed=1)


@pytest.fixture
def undrawn(monkeypatch):
    """Figures take most of the time of a small run: here there are none."""

    def drawn(place, found, tell):
        return {drawing.name: "<svg/>" for name in found for drawing in STUDIES[name].drawings}

    monkeypatch.setattr(reproduction, "_drawn", drawn)


def report(folder: Path):
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


# The same numbers


def test_the_same_seed_gives_the_same_numbers_in_another_folder(made, tmp_path, undrawn):
    reproduce(tmp_path, extent=TINY, seed=1)
    first, second = report(made.folder), report(tmp_path)
    assert first["about"]["parameters"] == second["about"]["parameters"]
    for name, study in first["studies"].items():
        for kind in ("numbers", "tables"):
            assert study[kind] == second["studies"][name][kind], name
    for one, other in zip(first["claims"], second["claims"], strict=True):
        assert one | {"times": ""} == other | {"times": ""} or one["timed"]


def test_another_seed_draws_other_samples(made, tmp_path, undrawn):
    other = reproduce(tmp_path, extent=TINY, seed=2, only=["energy-shaping"])
    one = made.found["energy-shaping"].tables["energy-terms-2pi"]
    assert not np.allclose(one["bend"], other.found["energy-shaping"].tables["energy-terms-2pi"]["bend"])


# Nothing is computed twice


def test_finished_studies_are_kept_and_what_is_missing_is_computed(tmp_path, undrawn):
    first = reproduce(tmp_path, extent=TINY, only=["modal-form"])
    assert first.computed == ("modal-form",)
    path = tmp_path / "studies" / "modal-form-tiny.json"
    written = path.stat().st_mtime_ns
    second = reproduce(tmp_path, extent=TINY, only=["near-straight"])
    assert second.computed == ("near-straight",)
    assert list(second.found) == ["near-straight", "modal-form"]  # everything that is there, in the paper's order
    assert path.stat().st_mtime_ns == written
    third = reproduce(tmp_path, extent=TINY, only=["modal-form"], fresh=True)
    assert third.computed == ("modal-form",)
    assert path.stat().st_mtime_ns > written


def test_an_interrupted_run_keeps_its_finished_studies(tmp_path, undrawn, monkeypatch):
    def interrupted(given, tell):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setitem(STUDIES, "validation", dataclasses.replace(STUDIES["validation"], find=interrupted))
        with pytest.raises(KeyboardInterrupt):
            reproduce(tmp_path, extent=TINY, only=["validation"])
    kept = tmp_path / "studies" / "energy-shaping-tiny.json"
    written = kept.stat().st_mtime_ns
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]  # and nothing half-written
    resumed = reproduce(tmp_path, extent=TINY, only=["validation"])
    assert resumed.computed == ("validation",)
    assert kept.stat().st_mtime_ns == written


@pytest.mark.parametrize("spoil", ["", "{", '{"key": 1}', "[]"])
def test_a_spoilt_result_is_computed_again(tmp_path, undrawn, spoil):
    reproduce(tmp_path, extent=TINY, only=["modal-form"])
    path = tmp_path / "studies" / "modal-form-tiny.json"
    path.write_text(spoil)
    assert reproduce(tmp_path, extent=TINY, only=["modal-form"]).computed == ("modal-form",)
    assert json.loads(path.read_text())["study"] == "modal-form"


def test_a_result_of_other_parameters_or_source_is_not_used(tmp_path, undrawn, monkeypatch):
    reproduce(tmp_path, extent=TINY, only=["energy-shaping"])
    assert reproduce(tmp_path, extent=TINY, seed=7, only=["energy-shaping"]).computed == ("energy-shaping",)
    assert reproduce(tmp_path, extent=TINY, seed=7, only=["energy-shaping"]).computed == ()
    monkeypatch.setattr(stored_results, "source_hash", lambda: "other")
    assert reproduce(tmp_path, extent=TINY, seed=7, only=["energy-shaping"]).computed == ("energy-shaping",)


# What is written


@pytest.fixture(scope="module")
def page(made):
    return PageReader(made.report.read_text(encoding="utf-8"))


def test_the_report_is_well_formed_and_loads_nothing(made):
    text = made.report.read_text(encoding="utf-8")
    check_self_contained(text)
    assert not re.search(r"https?:|url\(", text)


def test_the_report_holds_every_claim_with_its_answer(made, page):
    text = "".join(page.words).replace("\u00a0", " ")
    assert len(made.claims) == len(CLAIMS)
    for row in made.claims:
        for words in (row[name] for name in ("claim", "where", "paper", "ours", "why", "times", "verdict")):
            assert re.sub(r"[_^]\{([^{}]*)\}", r"\1", words) in text, words
        assert row["verdict"] != "not run"


def test_the_report_says_how_much_was_computed_and_from_what(made, page):
    text = "".join(page.words)
    assert "2,000" in text  # TINY is not the full extent,
    assert "1,000,000" in text  # which the report then tells
    assert "seed = 1" in text
    assert text.count(LABEL) >= len(EXPERIMENTS)
    for study in STUDIES.values():
        assert study.title in text


def test_the_summary_fits_one_screen_and_nothing_is_wider_than_it(made):
    with playwright() as tool:
        for width, height in ((1280, 800), (390, 844)):  # a desk, a phone
            with open_browser(tool, width, height) as browser:
                page = browser.new_page()
                page.goto(made.report.as_uri())
                assert page.evaluate("document.documentElement.scrollWidth") <= width
                assert page.evaluate("document.querySelector('ol.summary').getBoundingClientRect().bottom") <= height
                columns = page.evaluate(
                    "[...document.querySelectorAll('table.claims tbody tr:first-child td')]"
                    ".map(cell => cell.getBoundingClientRect()).map(box => [box.left, box.width])"
                )
                paper, ours = columns[1:3]
                assert paper[0] + paper[1] <= ours[0]  # side by side on both
                assert min(paper[1], ours[1]) > 100


def test_every_figure_is_embedded_and_written_with_its_data(made, page):
    embedded = [base64.b64decode(each.partition(",")[2]) for each in page.addresses if each.startswith("data:")]
    assert len(embedded) == len(DRAWINGS)
    for drawing, svg in zip(DRAWINGS, embedded, strict=True):
        for suffix in SUFFIXES:
            assert (made.folder / "figures" / f"{drawing.name}{suffix}").stat().st_size > 1000
        assert (made.folder / "figures" / f"{drawing.name}.svg").read_bytes() == svg
        for name in (drawing.name, *drawing.more_tables):
            assert (made.folder / "figures" / f"{name}.csv").is_file()


def test_csv_files_hold_the_numbers_of_the_json(made):
    tables = {}
    for study in report(made.folder)["studies"].values():
        tables |= study["tables"] | study["time_tables"]
    assert {path.stem for path in (made.folder / "figures").glob("*.csv")} == set(tables)
    for name, columns in tables.items():
        rows = list(csv.reader(io.StringIO((made.folder / "figures" / f"{name}.csv").read_text(encoding="utf-8"))))
        assert rows[0] == [f"{each['name']} [{each['unit']}]" if each["unit"] else each["name"] for each in columns]
        assert len(rows) > 1
        for column, cells in zip(columns, zip(*rows[1:], strict=True), strict=True):
            read = [float(cell) if cell else None for cell in cells] if column["unit"] else list(cells)
            assert read == column["values"], (name, column["name"])


def test_words_of_others_are_escaped():
    assert marked('<b> & "β_{1}^{υ}" \'') == "&lt;b&gt; &amp; &quot;β<sub>1</sub><sup>υ</sup>&quot; &#x27;"
    assert plain("β_{1}^{υ} = 10^{−6}") == "β1^υ = 10^−6"


# What is found


def test_experiments_compare_the_models_of_the_same_arm(made):
    for number, experiment in EXPERIMENTS.items():
        found = made.found["experiments"].numbers["experiments"][str(number)]
        table = made.found["experiments"].tables[f"experiment-{number}"]
        assert found["stopped"] == [""] * 4
        # every second state is kept, so that a largest distance between them may be missed by a little
        for i, largest in enumerate(found["fitted"]["largest_mm"], start=1):
            kept = table[f"difference {i} fitted"]
            tips = [np.stack([table[f"{x}{i} {model}"] for x in "XYZ"]) for model in ("CoG", "integral")]
            # tips are kept to nine digits of up to 450 mm
            np.testing.assert_allclose(np.linalg.norm(tips[0] - tips[1], axis=0), kept, atol=2e-6)
            assert 0.98 * largest <= kept.max() <= largest * (1 + 1e-8)
            at_rest = kept[steady_rows(experiment, table["t"])].max()
            assert (
                0.9 * found["fitted"]["steady_mm"][i - 1] <= at_rest <= found["fitted"]["steady_mm"][i - 1] * (1 + 1e-8)
            )
        both = np.maximum(found["fitted"]["transient_mm"], found["fitted"]["steady_mm"])
        assert both.tolist() == found["fitted"]["largest_mm"]
        # what the solver gets wrong is far below what the models differ by
        assert found["solver_error_mm"] < 0.02 * max(found["fitted"]["largest_mm"])
        steps = sorted(time for time, _, _ in found["steps"])
        ends = [*steps[1:], experiment.duration]
        steady = table["t"][steady_rows(experiment, table["t"])]
        assert all(min(end - t for end in ends if end >= t) <= STEADY + 1e-9 for t in steady)


def test_less_damping_lets_the_models_come_apart(made):
    by_damping = made.found["experiments"].numbers["largest_by_damping_mm"]
    rows = [by_damping[name] for name in sorted(by_damping, key=float)]
    assert all(np.all(np.array(less) > np.array(more)) for less, more in itertools.pairwise(rows))


def test_the_case_study_is_the_papers(made):
    numbers = made.found["point-mass"].numbers
    expected = 0.1 * 0.0125**2 * 10**2 / 4
    assert numbers["expected_spin_energy"] == pytest.approx(expected, rel=1e-15)
    assert numbers["integral"]["spin_energy"] == pytest.approx(expected, rel=1e-14)
    assert numbers["models"]["small bends"]["spin_energy"] == pytest.approx(expected, rel=1e-14)
    assert numbers["models"]["point mass"]["spin_energy"] == 0
    # ∫ξ² = 1/3 against (1/2)² β3, and ∫(ξ²/2)² = 1/20 against (1/6)² β3
    assert numbers["models"]["small bends"]["stretching"] == pytest.approx(9 / 5 / 4 * 3, rel=1e-12)
    assert numbers["models"]["small bends"]["bending"] == pytest.approx(9 / 5 / 36 * 20, rel=1e-12)


def test_curve_parameters_are_right_where_they_work_and_fail_where_they_do():
    section = load_arm("prototype").sections[0]
    # bent by 0.5 rad: the worst of the three loses φ⁻⁴ times rounding
    x = bent(section, 0.5)
    np.testing.assert_allclose(by_curve_parameters(x), by_entire_functions(x), rtol=1e-12)
    straight = bent(section, 0.0)
    np.testing.assert_array_equal(straight, [0, 0, section.length])
    assert all(math.isnan(value) for value in by_curve_parameters(straight))
    np.testing.assert_allclose(by_entire_functions(straight), (0, 0, 1 / 20), rtol=1e-15)


def test_the_exact_reference_agrees_where_doubles_are_good():
    x = bent(load_arm("prototype").sections[0], 1.0)
    exact = exactly(x)
    assert all(isinstance(value, Fraction) for value in exact)
    np.testing.assert_allclose([float(value) for value in exact], by_entire_functions(x), rtol=2e-15)


def test_a_bent_section_has_an_unactuated_muscle():
    section = load_arm("prototype").sections[0]
    x = bent(section, 0.7, 1.1)
    np.testing.assert_allclose(x[:2], [0.7 * math.cos(1.1), 0.7 * math.sin(1.1)], rtol=1e-14)
    lengths = section.length_map @ (x - [0, 0, section.length])
    assert abs(lengths[0]) < 1e-16 < lengths[2]


def test_near_straight_errors_are_those_of_rounding_for_this_library_only(made):
    found = made.found["near-straight"]
    table = found.tables["near-straight"]
    small = table["bend"] < 1e-9
    for name, largest in found.numbers["own_largest"].items():
        assert largest < 1e-15  # a few roundings
        assert np.all(table[f"{name}, curve"][small] > 0.1)


def test_the_claimed_mean_error_is_refuted_by_more_than_its_uncertainty(made):
    fitted = made.found["validation"].numbers["models"]["fitted"]
    assert abs(fitted["signed_mean"]) > 5 * fitted["standard_error_of_mean"] > 5e-6
    tuned = made.found["validation"].numbers["tuned"]
    # the energy is linear in β: the mean vanishes but for rounding
    assert abs(tuned["signed_mean"]) < 1e-12
    assert tuned["mean_absolute"] > 0.3 * fitted["mean_absolute"]
    verdicts = {row["claim"]: row["verdict"] for row in made.claims}
    assert verdicts["Ten sections: the mean energy error is 10^{−6} %."] == "differs"


def test_real_arms_are_compared_as_validate_compares_them(made):
    table = made.found["real-arms"].tables["real-arms"]
    rows = {name: k for k, name in enumerate(table.words("recording"))}
    assert len(rows) == sum(each["recordings"] for each in made.found["real-arms"].numbers["groups"]) == 43
    arm = load_arm("asu-two-section")
    run = read_recording(RECORDINGS / "asu-two-section" / "oct2_9.csv.gz", arm)
    seen = validate(arm, run)["oct2_9"]["tip 2"]
    k = rows["oct2_9"]
    found = [table[name][k] for name in ("rms, integral", "worst, integral", "motion")]
    # tables keep nine digits
    np.testing.assert_allclose(found, [1e3 * seen.rms, 1e3 * seen.worst, 1e3 * seen.motion], rtol=1e-8)
    heavy = next(each for each in made.found["real-arms"].numbers["groups"] if each["what"].endswith("400 g"))
    assert heavy["payload"] > 0


def test_without_recordings_the_report_says_where_they_are(tmp_path, undrawn, monkeypatch):
    monkeypatch.setattr(real_arms_study, "PLACES", ())
    here = reproduce(tmp_path, extent=TINY, only=["real-arms"])
    assert here.claims[-1]["verdict"] == "cannot be checked"
    assert "examples/recordings" in here.claims[-1]["why"]
    assert "--recordings FOLDER" in "".join(PageReader(here.report.read_text(encoding="utf-8")).words)
    there = reproduce(tmp_path, extent=TINY, only=["real-arms"], recordings=RECORDINGS)
    assert there.computed == ("real-arms",)  # other recordings, another result
    assert there.claims[-1]["verdict"] != "cannot be checked"


# The commands


def test_bad_input_is_one_line(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    for arguments, words in (
        (["reproduce", "--only", "nothing", "-o", str(tmp_path)], ("only = 'nothing'", *STUDIES)),
        (["reproduce", "--recordings", str(tmp_path), "-o", str(tmp_path)], ("recordings = ", "asu-two-section")),
        (["reproduce", "--seed", "-1", "-o", str(tmp_path)], ("seed = -1", "0")),
        (["reproduce", "-o", str(tmp_path / "file" / "below")], (str(tmp_path / "file" / "below"), "directory")),
        (["energy-shaping", "--samples", "3"], ("samples = 3", "1000")),
        (["energy-shaping", "--sampling", "4pi"], ("sampling = '4pi'", "2pi", "6pi")),
        (["energy-shaping", "--method", "all"], ("method = 'all'", "terms", "kinds", "total")),
        (["energy-shaping", "-o", "x.toml", "--arm", "none"], ("'none'", "prototype")),
    ):
        assert main(arguments) == 2
        written = capsys.readouterr()
        assert written.out == ""
        assert all(word in written.err for word in words), written.err
        assert written.err.count("\n") == 1


def test_reproduce_prints_the_claims_and_where_the_report_is(tmp_path, undrawn, monkeypatch, capsys):
    monkeypatch.setattr(reproduction, "QUICK", TINY)
    arguments = ["reproduce", "--quick", "--only", "near-straight", "--only", "modal-form", "-o", str(tmp_path)]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "Curve parameters are" in shown
    assert "report.html" in "".join(shown.split())  # a long path is broken anywhere
    assert main([*arguments, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["computed"] == []
    assert len(printed["claims"]) == len(CLAIMS)
    assert set(printed["studies"]) == {"near-straight", "modal-form"}


def test_an_interruption_is_exit_code_130(tmp_path, undrawn, monkeypatch, capsys):
    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduction, "reproduce", interrupted)
    assert main(["reproduce", "-o", str(tmp_path)]) == 130
    assert str(tmp_path) in capsys.readouterr().err


def test_energy_shaping_prints_the_fit_and_writes_an_arm(tmp_path, capsys):
    path = tmp_path / "shaped.toml"
    assert main(["energy-shaping", "--samples", "2000", "--seed", "3", "-o", str(path)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "linear base" in shown
    assert "positive for every motion" in shown
    assert main(["energy-shaping", "--samples", "2000", "--seed", "3", "--json"]) == 0
    fit = json.loads(capsys.readouterr().out)
    arm = load_arm(path)
    expected = CentreOfGravity(beta_linear=fit["beta_linear"], beta_angular=fit["beta_angular"])
    assert arm == load_arm("prototype").replace(inertia=expected)


def test_random_forces_are_those_that_muscles_can_give():
    """Up to area (600 kPa - dead zone): 68 N a muscle."""
    arm = load_arm("prototype")
    section = arm.sections[0]
    _, _, tau = _states(arm, 500, seed=0)
    greatest = section.muscle_area * (600e3 - section.dead_zone)
    assert 0.9 * greatest < tau.max() <= greatest
    assert tau.min() >= 0
