"""What becomes of the speed of an arm in other tools."""

from __future__ import annotations

from continuarm.benchmarks.exported_c import add_c
from continuarm.benchmarks.exported_casadi import add_casadi
from continuarm.benchmarks.groups import Workload
from continuarm.benchmarks.timing import Group


def measure_export(work: Workload) -> Group:
    """Exported C beside the native loop, and an arm inside CasADi beside a Callback."""
    group = Group("Exported: C beside the native loop, CasADi beside a Callback into Python")
    add_c(group, work)
    add_casadi(group, work)
    return group
