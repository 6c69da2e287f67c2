"""Attacks on the library: hostile calls, commands, files, kills, limits, solver runs and web clients.

`python -m attack --seconds 600` runs all of them (`make attack SECONDS=600`); every case has a number, and a finding
is printed with the seed and the number that make it again: `python -m attack --only api --seed 1 --case 4567`.

attacker       what an attacker is, and the laws that several of them judge by
workers        processes that run cases, watched: a crash or a case that does not end is noticed and attributed
report         counts as a table, as JSON, and in docs/withstands.md
hostile        numbers, arrays, texts and paths that nobody should give
"""
