"""The commands `continuarm arms` and `continuarm schema`: the arms that there are, and what an arm file may hold."""

from __future__ import annotations

from continuarm.arms.arm_file import arm_names, arm_schema, load_arm
from continuarm.arms.summary import arm_totals
from continuarm.cli.options import AsJson
from continuarm.cli.output import new_table, one_line, show, show_json


def arms(as_json: AsJson = False) -> None:
    """List the arms that come with the library."""
    shipped = [load_arm(name) for name in arm_names()]
    if as_json:
        show_json([arm_totals(arm) | {"description": arm.description} for arm in shipped])
        return
    table = new_table("name", "sections", "description")
    for arm in shipped:
        first, *_ = one_line(arm.description).split(". ")  # its sources and numbers are for those who ask
        table.add_row(arm.name, str(arm.n), first.removesuffix(".") + ".")
    show(table)


def schema() -> None:
    """Print the JSON schema of arm files, for editors that check and complete as one types."""
    show_json(arm_schema())
