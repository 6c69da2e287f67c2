"""All attackers, in the order in which they have their turns."""

from __future__ import annotations

from attack import api_calls, command_lines, damaged_files, kills, limits, solver_runs, viewer_requests
from attack.attacker import Attacker

ATTACKERS: tuple[Attacker, ...] = (
    api_calls.ATTACKER,
    damaged_files.ATTACKER,
    solver_runs.ATTACKER,
    command_lines.ATTACKER,
    kills.ATTACKER,
    limits.ATTACKER,
    viewer_requests.ATTACKER,
)
