"""What watches the attacks: crashes, cases that do not end and findings are attributed to their cases."""

import json
import subprocess
import sys

from cli_process import environment

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
