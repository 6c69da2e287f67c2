"""Exported C in the hands of compilers and checkers, and on a microcontroller."""

import re
import subprocess
from pathlib import Path

import pytest
from c_compiler import STRICT, run, written

from continuarm import load_arm
from continuarm.export.c_deviations import deviations
from continuarm.export.c_files import CExport
from gate import tool

pytestmark = pytest.mark.exhaustive  # compiles

CORTEX = Path(__file__).with_name("cortex_m7")
M7 = ["-std=c99", "-O1", "-mcpu=cortex-m7", "-mthumb", "-mfpu=fpv5-d16", "-mfloat-abi=hard", "--specs=rdimon.specs"]


@pytest.mark.parametrize("name", ["prototype", "ten-sections"])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_it_compiles_without_a_warning(compiler, name, tmp_path):
    export = CExport(load_arm(name), name="arm")
    written(export, tmp_path)
    for flags in ([], ["-DARM_FLOAT"]):
        run(tool(compiler), *STRICT, *flags, "-fsyntax-only", tmp_path / "arm.c")


def test_the_program_that_comes_along_checks_the_sources(tmp_path):
    written(CExport(load_arm("single-section"), name="arm"), tmp_path)
    sources = [tmp_path / "arm.c", tmp_path / "arm_test.c", "-lm", "-o", tmp_path / "check"]
    run(tool("gcc"), *STRICT, *sources)
    assert "all functions agree" in run(tmp_path / "check")
    text = (tmp_path / "arm.c").read_text()
    (tmp_path / "arm.c").write_text(re.sub(r"\.mass = \(real\)([0-9.]+)", r".mass = (real)1.0001 * \1", text, count=1))
    run(tool("gcc"), *STRICT, *sources)
    with pytest.raises(AssertionError, match="FAILED"):
        run(tmp_path / "check")


def test_sanitizers_and_valgrind_find_nothing(tmp_path):
    written(CExport(load_arm("single-section"), name="arm"), tmp_path)
    sources = [tmp_path / "arm.c", tmp_path / "arm_test.c", "-lm", "-o", tmp_path / "check"]
    run(tool("gcc"), "-std=c99", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", *sources)
    assert "all functions agree" in run(tmp_path / "check")
    run(tool("gcc"), "-std=c99", "-g", *sources)
    valgrind = tool("valgrind")
    assert "all functions agree" in run(valgrind, "-q", "--error-exitcode=9", tmp_path / "check")


def test_cppcheck_finds_nothing_and_misra_only_what_is_listed(tmp_path):
    cppcheck = tool("cppcheck")
    export = CExport(load_arm("single-section"), name="arm")
    written(export, tmp_path)
    kinds = "--enable=warning,performance,portability"
    report = run(cppcheck, "--std=c99", "-q", kinds, "--addon=misra", tmp_path / "arm.c", stderr=subprocess.STDOUT)
    rules = set(re.findall(r"misra-c2012-([\d.]+)", report))
    assert rules <= set(deviations(export)), report
    assert not [line for line in report.splitlines() if re.search(r": (error|warning|performance|portability):", line)]


@pytest.mark.parametrize("name", ["prototype", "ten-sections"])
def test_a_cortex_m7_gives_the_same_numbers(name, tmp_path):
    compiler = tool("arm-none-eabi-gcc")
    emulator = tool("qemu-system-arm")
    written(CExport(load_arm(name), name="arm"), tmp_path)
    sources = [CORTEX / "start.c", tmp_path / "arm.c", tmp_path / "arm_test.c"]
    run(compiler, *M7, "-nostartfiles", "-T", CORTEX / "mps2.ld", *sources, "-lm", "-o", tmp_path / "arm.elf")
    machine = [emulator, "-M", "mps2-an500", "-nographic", "-semihosting-config", "enable=on,target=native"]
    printed = run(*machine, "-kernel", tmp_path / "arm.elf", timeout=100)
    assert "all functions agree" in printed
