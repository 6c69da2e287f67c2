"""From a target for the tip to pressures: inverse kinematics, pressures of a force, controllers, what they follow."""
