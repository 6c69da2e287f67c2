"""A function, or the motion of an arm, at many points: on many processes or a cluster, kept on disk as it goes.

sweeper         sweep()
points          where: a grid or a table of values by name
plans, tasks    what is computed at them, and what comes of it; outputs: of motions
workers         on which processes, and what happens when one dies
collection      what has come so far
file            the file it is kept in; layout: its variables; identity: whether it is of this sweep
"""
