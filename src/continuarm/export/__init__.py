"""An arm in other tools.

export_c            C99: one header and one source for firmware and real-time code
export_fmu          an FMU for Simulink, Modelica tools and others that import FMI 2.0 or 3.0
export_casadi       a library for `casadi.external`, with Jacobians
casadi_functions    objects of `casadi.Function`, for arms of few sections
export_ros2         a package for ROS 2: a node that simulates the arm
export_page         one HTML file on which visitors move the arm; also `arm.page(path)`
"""

from continuarm.export.c_files import export_c
from continuarm.export.casadi_file import export_casadi
from continuarm.export.casadi_graph import casadi_functions
from continuarm.export.fmu_file import export_fmu
from continuarm.export.page import export_page
from continuarm.export.ros2_package import export_ros2

__all__ = [
    "casadi_functions",
    "export_c",
    "export_casadi",
    "export_fmu",
    "export_page",
    "export_ros2",
]
