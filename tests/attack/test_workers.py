"""What watches the attacks: crashes, cases that do not end and findings are attributed to their cases."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from attack.attackers import ATTACKERS
from attack.report import BEGIN, END, rewrite
from attack.workers import Counts
from cli_process import environment

pytestmark = pytest.mark.exhaustive

PLANTED = """
import os, signal, time
from attack.__main__ import _attack
from attack.attacker import Attacker, Finding
from attack.workers import Counts, Slice
import json

def begin(folder):
    def case(rng):
        number = int(rng.integers(2**62)) % 1000
        what = planned.get(number)
        if what == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if what == "exit":
            os._exit(3)
        if what == "hang":
            time.sleep(1000)
        if what == "finding":
            raise Finding("a law", "broken")
        if what == "error":
            raise KeyError("of the attacker itself")
        return "done"
    return case

from attack.attacker import generator
numbers = [int(generator(5, case).integers(2**62)) % 1000 for case in range(20)]
assert len(set(numbers)) == 20
wanted = {3: "crash", 7: "hang", 9: "finding", 11: "finding", 13: "error", 17: "exit"}
planned = {numbers[case]: what for case, what in wanted.items()}
attacker = Attacker("planted", "none", begin, 1.0, 1.0)
counts = {"planted": Counts()}
_attack(iter([Slice(attacker, 5, 0, 1e9, 20)]), counts, 1)
found = counts["planted"]
print(json.dumps({"cases": found.cases, "findings": found.findings, "memory": found.peak_memory}))
"""


def test_faults_are_found_and_attributed():
    run = subprocess.run(
        [sys.executable, "-c", PLANTED], env=environment(), capture_output=True, text=True, timeout=120
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert found["cases"] == 20
    places = {each["case"]: (each["where"], each["times"]) for each in found["findings"]}
    assert sorted(places) == [3, 7, 9, 13, 17]
    assert "SIGSEGV" in places[3][0]
    assert "has not ended" in places[7][0]
    assert places[9] == ("a law", 2)
    assert "KeyError" in places[13][0]
    assert "exit code 3" in places[17][0]
    assert found["memory"] > 1e6


def test_the_page_gets_the_counts_of_a_run(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{BEGIN}\nold\n{END}\n\nafter\n", encoding="utf-8")
    counts = {"api": Counts(cases=12_345, slowest=0.5, peak_memory=200_000_000)}
    counts["api"].add({"where": "a law", "what": "broken"})
    rewrite(page, {"seconds": 600, "workers": 2, "seed": 1}, counts)
    rewrite(page, {"seconds": 600, "workers": 2, "seed": 1}, counts)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n\n<!--")
    assert text.endswith("-->\n\nafter\n")
    assert "old" not in text
    assert text.count("| api | 12,345 | 1 | 0.50 s | 200 MB |") == 1


def test_the_page_of_the_documentation_has_its_marks():
    text = (Path(__file__).parents[2] / "docs" / "withstands.md").read_text(encoding="utf-8")
    assert text.count(BEGIN) == text.count(END) == 1
    for attacker in ATTACKERS:
        assert f"| {attacker.name} |" in text
