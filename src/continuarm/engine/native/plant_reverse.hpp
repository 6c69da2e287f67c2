// An implicit step of a plant, derivatives backward: loops only, all arithmetic is in the generated steps.

#pragma once

#include "plant.hpp"
#include "reverse.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

// Derivatives by the constants of a plant, in the order of constant_count: those of its arm come first.
template <class Real>
struct PlantBars {
    ConstantBars<Real> arm;
    Muscle<Real>* muscles;
    ValveStep<Real>* valves;
    Branch<Real>* branches;
    BranchStep<Real>* kept;
    PlantBars(const Plant& plant, Real* numbers) : arm{numbers} {
        const long count = plant.muscle_count(), branch_count = plant.branch_count * count;
        Real* next = numbers + constant_numbers(*plant.arm);
        const auto take = [&next](long size) {
            Real* taken = next;
            next += size;
            return taken;
        };
        muscles = reinterpret_cast<Muscle<Real>*>(take(count * Muscle<Real>::size));
        valves = reinterpret_cast<ValveStep<Real>*>(take(count * ValveStep<Real>::size));
        branches = reinterpret_cast<Branch<Real>*>(take(branch_count * Branch<Real>::size));
        kept = reinterpret_cast<BranchStep<Real>*>(take(branch_count * BranchStep<Real>::size));
    }
};

// Jᵀ w: derivatives of weights on it by q and constants, which are added, and by w, which are written.
template <class Real>
void wrench_reverse(const Arm& arm, const Real* q, const Real* wrench, const Real* tau_bar, Real* q_bar,
                    Real* wrench_bar, const ConstantBars<Real>& constants, Scratch<Real> scratch) {
    const int n = arm.n;
    const Placed<Real> placed(arm, q, scratch);
    auto* frame_bars = scratch.template take<Frame<Real>>(n + 1);
    auto* passage_bars = scratch.template take<Passage<Real>>(n);
    zero(reinterpret_cast<Real*>(frame_bars), (n + 1) * long(Frame<Real>::size));
    zero(wrench_bar, 6);
    for (int i = 0; i < n; ++i) {
        Section<Real> section_bar;
        Frame<Real> frame_bar, point_bar;
        Real felt[6];
        feel_wrench_reverse(arm.sections[i], placed.passages[i], placed.frames[i], placed.frames[n], wrench,
                            tau_bar + 3 * i, section_bar, passage_bars[i], frame_bar, point_bar, felt);
        add_struct<Section<Real>, Real>(section_bar, constants.section(i));
        add_struct<Frame<Real>, Real>(frame_bar, frame_bars[i]);
        add_struct<Frame<Real>, Real>(point_bar, frame_bars[n]);
        add(felt, 6, wrench_bar);
    }
    Real still[3];
    zero(still, 3);
    for (int i = n - 1; i >= 0; --i) {
        Passage<Real> passage_bar;
        Frame<Real> frame_bar;
        Section<Real> section_bar;
        Real back[3];
        attach_reverse(placed.passages[i], placed.frames[i], frame_bars[i + 1], passage_bar, frame_bar);
        add_struct<Passage<Real>, Real>(passage_bars[i], passage_bar);
        add_struct<Frame<Real>, Real>(frame_bar, frame_bars[i]);
        outward_reverse_constants(arm.sections[i], q + 3 * i, still, still, passage_bar, still, back, section_bar);
        add(back, 3, q_bar + 3 * i);
        add_struct<Section<Real>, Real>(section_bar, constants.section(i));
    }
    add(reinterpret_cast<Real*>(frame_bars), Frame<Real>::size, constants.base_frame(arm));
}

// Σ|l̇| over all muscles: derivatives by rates and by muscles, added; ways in place of rates alike.
template <class Real>
void all_along_reverse(const Plant& plant, const Real* qd, const Real& all_bar, Real* qd_bar,
                       const PlantBars<Real>& constants) {
    const Real none(0.0);
    for (int i = 0; i < plant.arm->n; ++i)
        for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
            Muscle<Real> muscle_bar;
            Real back[3];
            one_more_along_reverse(plant.muscles[j], qd + 3 * i, &none, &all_bar, back, muscle_bar);
            add(back, 3, qd_bar + 3 * i);
            add_struct<Muscle<Real>, Real>(muscle_bar, constants.muscles[j]);
        }
}

// What a step did to hysteresis, creep and energies: derivatives by the state (added), by q after it (added), by what
// was taken half a step ahead (written), and by constants (added).
template <class Real>
void work_reverse(const Plant& plant, const Real* state, const Real* after, const HalfAhead<Real>& ahead,
                  const double* step, const Real* after_bar, Real* state_bar, Real* q_after_bar,
                  const HalfAhead<Real>& ahead_bar, const PlantBars<Real>& constants, Scratch<Real> scratch) {
    const Arm& arm = *plant.arm;
    const Real *energy = state + plant.supplied, *energy_bar = after_bar + plant.supplied;  // dissipated follows
    add(energy_bar, 2, state_bar + plant.supplied);
    Real *ways = scratch.take(plant.size()), *ways_bar = scratch.take(plant.size()), all_bar(0.0), unused[2];
    for (int i = 0; i < arm.n; ++i)
        section_work(arm.sections[i], state + 3 * i, after + 3 * i, ahead.tau + 3 * i, energy, step, ways + 3 * i,
                     unused);
    zero(ways_bar, plant.size());
    const Real all_ways = all_along(plant, static_cast<const Real*>(ways), true);
    for (int i = 0; plant.remembers && i < arm.n; ++i) {
        const Real* moved = ways + 3 * i;
        Real* moved_bar = ways_bar + 3 * i;
        for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
            const Muscle<double>& muscle = plant.muscles[j];
            Muscle<Real> muscle_bar;
            Real earlier, way[3], all;
            muscle_work_reverse(muscle, ahead.hysteresis + j, state + plant.hysteresis + j, moved, &all_ways, energy,
                                after_bar + plant.hysteresis + j, energy_bar, ahead_bar.hysteresis + j, &earlier, way,
                                &all, muscle_bar);
            add(&earlier, 1, state_bar + plant.hysteresis + j);
            add(way, 3, moved_bar);
            add(&all, 1, &all_bar);
            add_struct<Muscle<Real>, Real>(muscle_bar, constants.muscles[j]);
            for (int b = 0; b < plant.branch_count; ++b) {
                const long k = b * plant.muscle_count() + j;
                Branch<Real> branch_bar;
                BranchStep<Real> kept_bar;
                branch_work_reverse(muscle, plant.branches[k], plant.kept[k], ahead.creep + k, state + plant.creep + k,
                                    moved, energy, after_bar + plant.creep + k, energy_bar, ahead_bar.creep + k,
                                    &earlier, way, muscle_bar, branch_bar, kept_bar);
                add(&earlier, 1, state_bar + plant.creep + k);
                add(way, 3, moved_bar);
                add_struct<Muscle<Real>, Real>(muscle_bar, constants.muscles[j]);
                add_struct<Branch<Real>, Real>(branch_bar, constants.branches[k]);
                add_struct<BranchStep<Real>, Real>(kept_bar, constants.kept[k]);
            }
        }
    }
    all_along_reverse(plant, static_cast<const Real*>(ways), all_bar, ways_bar, constants);
    for (int i = 0; i < arm.n; ++i) {
        const long at = 3 * i;
        Section<Real> section_bar;
        Real back[9];
        section_work_reverse(arm.sections[i], state + at, after + at, ahead.tau + at, energy, step,
                             static_cast<const Real*>(ways_bar) + at, energy_bar, back, back + 3, back + 6,
                             section_bar);
        add(back, 3, state_bar + at);
        add(back + 3, 3, q_after_bar + at);
        copy(back + 6, 3, ahead_bar.tau + at);
        add_struct<Section<Real>, Real>(section_bar, constants.arm.section(i));
    }
}

// What is taken half a step ahead: derivatives by state and constants, which are added, and by commands, written.
template <class Real>
void ahead_reverse(const Plant& plant, const Real* commands, const double* step, const Real* state,
                   const HalfAhead<Real>& ahead, const HalfAhead<Real>& ahead_bar, const Real* after_bar,
                   Real* state_bar, Real* commands_bar, const PlantBars<Real>& constants, Scratch<Real> scratch) {
    const Arm& arm = *plant.arm;
    const long size = plant.size();
    const Real *q = state, *qd = state + size, all_rates = all_along(plant, qd, true);
    Real all_bar(0.0);
    for (int i = 0; i < arm.n; ++i) {
        const long at = 3 * i;
        for (long j = plant.first_muscle[i]; j < plant.first_muscle[i + 1]; ++j) {
            const Muscle<double>& muscle = plant.muscles[j];
            const Real pressure = pressure_of(plant, j, commands, state), hysteresis = hysteresis_of(plant, j, state);
            const Real none(0.0), *halfway_bar = plant.remembers ? ahead_bar.hysteresis + j : &none;
            const Real* end_bar = plant.lags(j) ? after_bar + plant.pressures + j : &none;
            Muscle<Real> muscle_bar;
            ValveStep<Real> valve_bar;
            Real pressure_bar, hysteresis_bar, all, back[6];
            muscle_ahead_reverse(muscle, plant.valves[j], commands + j, &pressure, &hysteresis, ahead.lengths + at,
                                 qd + at, &all_rates, ahead.tau + at, ahead.blocks[i], step, ahead_bar.tau + at,
                                 ahead_bar.blocks[i], end_bar, halfway_bar, commands_bar + j, &pressure_bar,
                                 &hysteresis_bar, back, back + 3, &all, muscle_bar, valve_bar);
            add(&all, 1, &all_bar);
            add(back, 3, ahead_bar.lengths + at);
            add(back + 3, 3, state_bar + size + at);
            add_struct<Muscle<Real>, Real>(muscle_bar, constants.muscles[j]);
            add_struct<ValveStep<Real>, Real>(valve_bar, constants.valves[j]);
            add(&pressure_bar, 1, plant.lags(j) ? state_bar + plant.pressures + j : commands_bar + j);
            if (!plant.remembers) continue;
            add(&hysteresis_bar, 1, state_bar + plant.hysteresis + j);
            if (!plant.lags(j)) add(after_bar + plant.pressures + j, 1, state_bar + plant.pressures + j);
            for (int b = 0; b < plant.branch_count; ++b) {
                const long k = b * plant.muscle_count() + j;
                Branch<Real> branch_bar;
                BranchStep<Real> kept_bar;
                Real creep_bar;
                branch_ahead_reverse(muscle, plant.branches[k], plant.kept[k], state + plant.creep + k, qd + at,
                                     ahead.tau + at, ahead.blocks[i], step, ahead_bar.tau + at, ahead_bar.blocks[i],
                                     ahead_bar.creep + k, &creep_bar, back, muscle_bar, branch_bar, kept_bar);
                add(&creep_bar, 1, state_bar + plant.creep + k);
                add(back, 3, state_bar + size + at);
                add_struct<Muscle<Real>, Real>(muscle_bar, constants.muscles[j]);
                add_struct<Branch<Real>, Real>(branch_bar, constants.branches[k]);
                add_struct<BranchStep<Real>, Real>(kept_bar, constants.kept[k]);
            }
        }
    }
    all_along_reverse(plant, qd, all_bar, state_bar + size, constants);
    copy(ahead_bar.tau, size, commands_bar + plant.forces);
    wrench_reverse(arm, ahead.lengths, commands + plant.wrench, ahead_bar.tau, ahead_bar.lengths,
                   commands_bar + plant.wrench, constants.arm, scratch);
    for (long j = 0; j < size; j += 3) {
        Real back[6];
        half_ahead_reverse(q + j, qd + j, step, ahead_bar.lengths + j, back, back + 3);
        add(back, 3, state_bar + j);
        add(back + 3, 3, state_bar + size + j);
    }
}

// A step: derivatives of weights on the state after it, by the state before it and the commands, which are written, and
// by constants, which are added.
template <bool integral, class Real>
void plant_step_reverse(const Plant& plant, const Real* commands, const double* step, const Real* state,
                        const Real* after_bar, Real* state_bar, Real* commands_bar, const PlantBars<Real>& constants,
                        Scratch<Real> scratch) {
    const Arm& arm = *plant.arm;
    const long size = plant.size();
    const Real *q = state, *qd = state + size;
    const HalfAhead<Real> ahead(plant, scratch), ahead_bar(plant, scratch);
    Real *after = scratch.take(2 * size), *after_motion_bar = scratch.take(2 * size), *back = scratch.take(3 * size);
    const Leaning<Real> leaning{ahead.blocks, ahead.lengths, leans(plant)};
    const LeaningBars<Real> leaning_bars{ahead_bar.blocks, ahead_bar.lengths};
    look_ahead(plant, commands, step, state, ahead, scratch);
    step_ahead<integral>(arm, q, qd, ahead.tau, step, after, &leaning, scratch);
    zero(state_bar, plant.width);
    zero(commands_bar, plant.command_width);
    zero(ahead_bar.lengths, size);
    for (int i = 0; i < arm.n; ++i) zero(entries(ahead_bar.blocks[i]), Symmetric<Real>::size);
    copy(after_bar, 2 * size, after_motion_bar);
    work_reverse(plant, state, after, ahead, step, after_bar, state_bar, after_motion_bar, ahead_bar, constants,
                 scratch);
    step_reverse<integral>(arm, q, qd, ahead.tau, step, &leaning, after_motion_bar, after_motion_bar + size, back,
                           back + size, back + 2 * size, &leaning_bars, constants.arm, scratch);
    add(back, 2 * size, state_bar);
    add(back + 2 * size, size, ahead_bar.tau);
    ahead_reverse(plant, commands, step, state, ahead, ahead_bar, after_bar, state_bar, commands_bar, constants,
                  scratch);
}

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
