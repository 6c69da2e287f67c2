// What is asked of many arms, and of one of them, on whatever computes it. Number: double, or float on a GPU.

#pragma once

namespace continuarm {

// Kinetic, gravitational and elastic energy, supplied and dissipated work, as in energies_of of Python.
constexpr long energy_count = 5;

// What is asked of all arms: steps number `first` to `first + count`, and rows of output after every so many, the first
// at t = 0. No steps: row 0 is where arms are now, those that stopped as well.
template <class Number>
struct RolloutRequestOf {
    Number step;  // s
    long first, count, every;
    long given;          // commands in a row, pressures first
    bool held;           // one row of commands for all steps, or one for each from step 0 on
    const Number* rest;  // (command_width), the commands from `given` on
};

// One arm: its commands, and where its output goes, null where it is not wanted.
template <class Number>
struct RolloutArmOf {
    const Number* commands;            // rows of `given` numbers
    Number *q, *qd, *tips, *energies;  // rows of 3n, 3n, 3n and energy_count numbers, the first that of t = 0
    Number* refused;                   // (width), the state that ended it
    double* stopped;                   // steps done before it left the model's range, or -1
};

}  // namespace continuarm
