"""What drives an arm, how its motion is computed, and the motion: files and figures.

inputs          what users give; commands_over_time: what solvers follow
solvers         Adaptive, FixedStep, CVODE; control_loop: a run from output time to output time; simulator: simulate()
rollouts        many arms at once: rollout(), Batch; rollout_commands: what drives them
motion          the result; motion_file, plots, interpolation
"""
