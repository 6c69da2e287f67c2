"""The package for ROS 2: its core moves as the library does, and a compiler reads its node."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from c_compiler import run

from continuarm import load_arm, tip_poses
from continuarm.cli.app import main
from continuarm.dynamics.plant import Plant
from continuarm.export import export_ros2
from gate import tool

pytestmark = pytest.mark.slow  # compiles

DECLARATIONS = Path(__file__).with_name("ros2_declarations")

PROGRAM = """
#include "arm_core.hpp"
#include <cstdio>
int main() {
    arm::Core core;
    if (core.set_pressures({1.0}) || !core.set_pressures({2e5, 0.0, 3e5})) return 1;
    core.set_wrench({0.0, 0.0, 0.01, 0.1, 0.2, 0.0});
    if (!core.advance(50)) return 2;
    for (double number : core.state()) std::printf("%.17g ", number);
    for (double number : core.lengths()) std::printf("%.17g ", number);
    for (double number : core.rates()) std::printf("%.17g ", number);
    for (int k = 0; k < 16; ++k) std::printf("%.17g ", core.pose(0)[k]);
    core.set_wrench({1e3, 0.0, 0.0, 0.0, 0.0, 0.0});
    if (core.advance(1000)) return 3;
    for (double number : core.state())
        if (!(number - number == 0.0)) return 4;
    core.reset();
    return core.state()[0] == 0.0 ? 0 : 5;
}
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ros2")
    export_ros2(load_arm("single-section"), folder, name="arm")
    run(tool("gcc"), "-std=c99", "-I", folder / "include", "-c", folder / "src" / "arm.c", "-o", folder / "arm.o")
    return folder


def test_the_core_moves_as_the_library_does(package):
    (package / "main.cpp").write_text(PROGRAM)
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", package / "include"]
    run(tool("g++"), *flags, package / "main.cpp", package / "arm.o", "-o", package / "main")
    found = np.array(run(package / "main").split(), dtype=float)
    arm = load_arm("single-section")
    plant = Plant(arm)
    state = np.zeros(plant.states.width)
    commands = plant.commands.rows([[2e5, 0, 3e5]], 0.0, [[0, 0, 0.01, 0.1, 0.2, 0]])[0]
    for _ in range(50):
        state = plant.step(commands, state, 1e-3)
    q, qd = state[:3], state[3:6]
    expected = np.concatenate([state, arm.muscle_lengths(q), arm.muscle_lengths(qd), tip_poses(arm, q).ravel()])
    assert np.abs(found - expected).max() < 1e-10


def test_a_compiler_reads_the_node(package):
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    run(tool("g++"), *flags, "-I", DECLARATIONS, "-I", package / "include", package / "src" / "arm_node.cpp")


def test_cmake_takes_the_package_and_builds_its_sources(package, tmp_path):
    """With stand-ins for the packages of ROS, which export targets of the names that those of ROS have."""
    cmake, make = tool("cmake"), "make"
    interface = f"INTERFACE_INCLUDE_DIRECTORIES {DECLARATIONS}"
    needed = [each.text for each in ElementTree.parse(package / "package.xml").getroot().iter("depend")]
    for name in ("ament_cmake", *needed):
        folder = tmp_path / "prefix" / "lib" / "cmake" / name
        folder.mkdir(parents=True)
        target = f"{name}::{name}"
        lines = [
            f"add_library({target} INTERFACE IMPORTED)",
            f"set_target_properties({target} PROPERTIES {interface})",
            f"set({name}_TARGETS {target})",
            "macro(ament_package)\nendmacro()",
        ]
        (folder / f"{name}Config.cmake").write_text("\n".join(lines))
    build = tmp_path / "build"
    run(cmake, "-S", package, "-B", build, "-G", "Unix Makefiles", f"-DCMAKE_PREFIX_PATH={tmp_path / 'prefix'}")
    run(make, "-C", build, "src/arm_node.o", "src/arm.o")


def test_the_package_is_well_formed(package):
    described = ElementTree.parse(package / "package.xml").getroot()
    needed = {each.text for each in described.iter("depend")}
    build = (package / "CMakeLists.txt").read_text()
    assert described.attrib == {"format": "3"}
    order = ["name", "version", "description", "maintainer", "license"]
    assert [each.tag for each in described][:5] == order  # of the schema of format 3
    assert re.fullmatch(r"[a-z](?:_?[a-z0-9]+)*", described.findtext("name"))
    assert described.findtext("name") == "arm_arm"
    assert described.find("maintainer").get("email")
    assert described.findtext("buildtool_depend") == "ament_cmake"
    assert described.findtext("export/build_type") == "ament_cmake"
    assert set(build.partition("set(PACKAGES ")[2].partition(")")[0].split()) == needed
    (started,) = ElementTree.parse(package / "launch" / "arm.launch.xml").getroot().iter("node")
    assert f"install(TARGETS {started.get('exec')} " in build
    written = [path for path in package.rglob("*.*") if path.suffix in {".cpp", ".hpp", ".xml", ".md", ".txt"}]
    assert not [path for path in written if "@" in path.read_text().replace("you@", "")]


def test_the_command_writes_a_package(tmp_path, capsys):
    assert main(["export", "single-section", "--ros2", str(tmp_path / "arm")]) == 0
    assert (tmp_path / "arm" / "package.xml").exists()
    assert "package.xml" in capsys.readouterr().out
