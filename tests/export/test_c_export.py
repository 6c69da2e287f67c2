"""Exported C gives what the library gives, for every law of a muscle and every inertia model."""

import re
from pathlib import Path

import numpy as np
import pytest
from c_compiler import STRICT, Library, largest_error, run

from continuarm import load_arm
from continuarm.cli.app import main
from continuarm.export import export_c
from continuarm.export.c_check import expected, random_inputs
from continuarm.export.c_deviations import deviations
from continuarm.export.c_files import MOST_SECTIONS, CExport
from gate import tool
from random_arms import MODELS
from random_plants import FOUR, random_plant

pytestmark = pytest.mark.slow


def errors(export, library, count, seed=7):
    """The largest error of every function over random states; all of them are in the model's range."""
    given = random_inputs(export.arm, count, seed)
    worst = {}
    for function in export.functions:
        found, status = library.rows(function, given)
        assert not status.any(), function.name
        wanted = expected(export.arm, function.name, given, export.step)
        worst[function.name] = max(map(largest_error, found, wanted))
    return worst


@pytest.mark.slow
@pytest.mark.parametrize("name", ["prototype", "ten-sections"])
def test_every_quantity_is_that_of_the_library_over_a_thousand_states(name, tmp_path):
    export = CExport(load_arm(name))
    worst = errors(export, Library(export, tmp_path, "-O0"), 1000)
    assert max(worst.values()) < 1e-12, worst


@pytest.mark.slow
def test_floats_agree_within_a_tenth_of_a_thousandth(tmp_path):
    export = CExport(load_arm("prototype"))
    worst = errors(export, Library(export, tmp_path, "-O0", "-DPROTOTYPE_FLOAT"), 200)
    assert max(worst.values()) < 1e-4, worst


@pytest.mark.slow
@pytest.mark.parametrize("flags", [["-ffp-contract=off"], ["-ffp-contract=fast", "-march=native"]])
def test_fusing_multiplications_and_additions_does_not_matter(flags, tmp_path):
    export = CExport(load_arm("single-section"))
    worst = errors(export, Library(export, tmp_path, "-O1", *flags), 50)
    assert max(worst.values()) < 1e-12, worst


@pytest.mark.slow
@pytest.mark.parametrize(
    ("law", "n", "layout", "model"),
    [
        ("everything", 2, FOUR, MODELS[0]),
        ("everything", 3, None, MODELS[1]),
        ("shaking", 1, None, MODELS[2]),
        ("stops", 2, None, MODELS[0]),
        ("nothing", 1, FOUR, MODELS[1]),
    ],
)
def test_every_law_of_a_muscle_is_exported(law, n, layout, model, tmp_path):
    arm = random_plant(np.random.default_rng(n), n, law, layout, model).arm
    export = CExport(arm, name="arm", step=5e-4)
    worst = errors(export, Library(export, tmp_path, "-O0"), 20)
    assert max(worst.values()) < 1e-12, worst


@pytest.mark.slow
def test_states_that_the_model_does_not_hold_for_are_refused(tmp_path):
    export = CExport(load_arm("single-section"))
    library = Library(export, tmp_path, "-O0")
    given = random_inputs(export.arm, 3, seed=1)
    length = export.arm.sections[0].length
    for place in ("q", "state"):
        given[place][0, :3] = -1.1 * length  # no length is left
        given[place][1, :3] = [2 * length, -length, -length]  # more than a turn
        given[place][2, 1] = np.nan
    for function in export.functions:
        refused = [0, 0, 2] if function.name == "muscle_lengths" else [1, 1, 1]  # which is linear
        assert library.rows(function, given)[1].tolist() == refused, function.name
    given = random_inputs(export.arm, 1, seed=1) | {"tau": np.full((1, 3), np.inf)}
    forward = export.functions[[function.name for function in export.functions].index("forward_dynamics")]
    assert library.rows(forward, given)[1].tolist() == [2]


def test_only_steps_that_are_used_are_printed():
    source = CExport(load_arm("prototype")).source()
    assert "static void weigh_integral(" in source
    for absent in ("weigh_shaped(", "branch_rate(", "settle_integral(", "one_more_along(", "_reverse("):
        assert f"static void {absent}" not in source


def test_sources_have_no_heap_no_library_and_no_letters_that_compilers_refuse():
    files = CExport(load_arm("prototype-muscles")).files()
    source = files["prototype_muscles.c"]
    included = {line for line in source.splitlines() if line.startswith("#include")}
    assert included == {
        f"#include {each}" for each in ('"prototype_muscles.h"', "<stdbool.h>", "<stddef.h>", "<stdint.h>")
    }
    for name, text in files.items():
        if name != "README.md":
            assert text.isascii(), name


@pytest.mark.parametrize("name", ["prototype", "prototype-muscles"])
def test_no_name_hides_another(name):
    source = CExport(load_arm(name)).source()
    heads = re.findall(r"^(?:static )?\w+ (\w+)\(([^)]*)\)\n\{\n(.*?)^\}", source, re.MULTILINE | re.DOTALL)
    known = {"real", "dual", "constants"}
    for function, arguments, body in heads:
        known.add(function)
        inner = re.findall(r"(\w+)(?:\[\w+\])?(?=,|$)", arguments)
        inner += re.findall(r"^ +(?:for \()?(?:const )?\w+ \*?(\w+)(?:\[\d+\])?(?= =|;)", body, re.MULTILINE)
        assert inner
        assert not known & set(inner), function


def test_deviations_from_misra_are_those_of_the_page():
    for name in ("prototype", "ten-sections"):
        export = CExport(load_arm(name), name="a_name_of_many_letters")
        listed = re.findall(r"^\| ([\d.]+) \|", export.readme(), re.MULTILINE)
        assert listed == list(deviations(export))
        page = (Path(__file__).parents[2] / "docs/how-to/run_in_c.md").read_text(encoding="utf-8")
        assert re.findall(r"^\| ([\d.]+)[ ,]", page, re.MULTILINE) == listed
    assert "5.1" not in deviations(CExport(load_arm("prototype")))


@pytest.mark.parametrize("letters", [16, 17])
def test_names_of_functions_differ_in_31_letters_or_the_deviation_is_stated(letters):
    export = CExport(load_arm("single-section"), name="a" * letters)
    names = {f"{export.prefix}_{function.name}"[:31] for function in export.functions}
    assert (len(names) == len(export.functions)) == ("5.1" not in deviations(export))


def test_an_arm_may_have_any_name(tmp_path):
    arm = load_arm("single-section").replace(name="an /* arm */ // \u2192 ??/ \\")
    export = CExport(arm, name="arm")
    (tmp_path / "arm.h").write_text(export.header())
    (tmp_path / "arm.c").write_text(export.source())
    run(tool("gcc"), *STRICT, "-Wtrigraphs", "-fsyntax-only", tmp_path / "arm.c")


def test_the_hash_is_that_of_the_arm(tmp_path):
    arm = load_arm("prototype")
    other = arm.replace({"sections[0].mass": 0.11})
    assert CExport(arm).digest == CExport(load_arm("prototype")).digest != CExport(other).digest
    assert CExport(arm).digest in CExport(arm).header()


@pytest.mark.parametrize("name", ["2arm", "an arm", "int", "_arm", "", "a" * 25, "größe", 3])
def test_names_that_are_no_identifiers_are_refused(name):
    with pytest.raises(ValueError, match=r"^name = .*: must be a C identifier"):
        CExport(load_arm("prototype"), name=name)


def test_an_arm_without_a_usable_name_needs_another():
    arm = load_arm("prototype").replace(name="2 → 3")
    with pytest.raises(ValueError, match="makes no C identifier: give another with name"):
        CExport(arm)
    assert CExport(arm, name="arm").prefix == "arm"
    assert CExport(load_arm("ten-sections")).prefix == "ten_sections"


def test_what_cannot_be_exported_says_why(tmp_path):
    arm = load_arm("prototype")
    long = arm.replace(sections=[arm.sections[0]] * (MOST_SECTIONS + 1))
    with pytest.raises(ValueError, match=f"has 33 sections: at most {MOST_SECTIONS} can be exported as C"):
        export_c(long, tmp_path)
    with pytest.raises(ValueError, match="step = -1"):
        export_c(arm, tmp_path, step=-1)
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot be written into"):
        export_c(arm, tmp_path / "file")


def test_the_command_writes_sources(tmp_path, capsys):
    assert main(["export", "single-section", "--c", str(tmp_path / "new"), "--name", "arm"]) == 0
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["README.md", "arm.c", "arm.h", "arm_test.c"]
    assert "arm.h" in capsys.readouterr().out
    assert main(["export", "single-section"]) == 2
    assert "there is nothing to write" in capsys.readouterr().err
    assert main(["export", "single-section", "--c", str(tmp_path), "--name", "no name"]) == 2
    assert "must be a C identifier" in capsys.readouterr().err
