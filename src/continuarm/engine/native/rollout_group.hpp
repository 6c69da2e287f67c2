// Some arms on their way, a lane for each: as many as the instruction set has lanes, or one in each thread of a GPU.
//
// Lanes do what a double does: an arm moves the same whatever it is stepped beside. Arms of one group must agree in
// what is asked once for all of them: whether a valve lags, and whether there is a payload.

#pragma once

#include "numbers.hpp"
#include "rollout_requests.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

CONTINUARM_OPERATOR bool is_zero(const Lanes& a) {
    bool all = true;
    for (int l = 0; l < lanes; ++l) all &= a[l] == 0.0;
    return all;
}
CONTINUARM_OPERATOR bool operator>(const Lanes& a, double b) {
    bool all = true;
    for (int l = 0; l < lanes; ++l) all &= a[l] > b;
    return all;
}

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm

#include "assembled_plant.hpp"
#include "plant.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

namespace {

// Whether a state is finite and the model holds for it, lane by lane.
Verdict<Lanes> judged(const PlantOf<Lanes>& plant, const Lanes* state) {
    Verdict<Lanes> verdict;
    CONTINUARM_SECTIONS
    for (long j = 0; j < plant.width; ++j) verdict.see(state[j]);
    CONTINUARM_SECTIONS
    for (int i = 0; i < plant.arm->n; ++i) {
        Lanes bend, length;
        margins(plant.arm->sections[i], state + 3 * i, &bend, &length);
        verdict.see_positive(bend);
        verdict.see_positive(length);
    }
    return verdict;
}

// The arms of one group on their way.
class Group {
public:
    typedef Lanes::Number Number;
    typedef RolloutRequestOf<Number> Request;
    typedef RolloutArmOf<Number> Each;

    Group(const PlantOf<Lanes>& plant, const Request& request, long count, const Each* arms, Lanes* state,
          Scratch<Lanes> scratch)
        : plant_(plant),
          request_(request),
          count_(int(count)),
          arms_(arms),
          state_(state),
          given_(scratch.take(plant.command_width)),
          before_(scratch.take(plant.width)),
          scratch_(scratch) {
        fill(given_, request.rest, plant.command_width);
        for (int l = 0; l < count_; ++l) going_ += goes_on(l);
        for (int l = 1; l < count_; ++l) shared_ &= arms[l].commands == arms[0].commands;
    }

    template <bool integral>
    void roll() {
        const Lanes step(request_.step);
        if (request_.first == 0 || request_.count == 0) {
            copy(state_, plant_.width, before_);
            end_where_wrong(request_.first);
            write<integral>(0);
        }
        for (long k = 0; k < request_.count && going_ > 0; ++k) {
            if (!request_.held || k == 0) take_commands(request_.held ? 0 : request_.first + k);
            keep_together();
            copy(state_, plant_.width, before_);
            plant_step<integral>(plant_, given_, &step, state_, scratch_);
            end_where_wrong(request_.first + k);
            const long done = request_.first + k + 1;
            if (done % request_.every == 0) write<integral>(done / request_.every);
        }
    }

private:
    bool goes_on(int l) const { return *arms_[l].stopped < 0.0; }

    void take_commands(long row) {
        const long at = row * request_.given;
        CONTINUARM_SECTIONS
        for (long j = 0; j < request_.given; ++j) {
            if (shared_) {
                given_[j] = Lanes(arms_[0].commands[at + j]);
                continue;
            }
            for (int l = 0; l < lanes; ++l) given_[j].set(l, arms_[l < count_ ? l : count_ - 1].commands[at + j]);
        }
    }

    // Arms that left the range stay where they last were in it.
    void end_where_wrong(long done) {
        const Verdict<Lanes> verdict = judged(plant_, state_);
        if (going_ == count_ && verdict.good()) return;
        for (int l = 0; l < lanes; ++l) {
            const bool good = verdict.sum[l] == 0.0;
            if (l < count_ && !good && goes_on(l)) {
                *arms_[l].stopped = double(done);
                --going_;
                keep_reason(l);
            }
            if (!good || (l < count_ && !goes_on(l))) CONTINUARM_SECTIONS
            for (long j = 0; j < plant_.width; ++j) state_[j].set(l, before_[j][l]);
        }
    }

    // Where a step gave no numbers, the state before it is the reason.
    void keep_reason(int l) {
        double sum = 0.0;
        CONTINUARM_SECTIONS
        for (long j = 0; j < plant_.width; ++j) sum += state_[j][l] - state_[j][l];
        CONTINUARM_SECTIONS
        for (long j = 0; j < plant_.width; ++j) arms_[l].refused[j] = sum == 0.0 ? state_[j][l] : before_[j][l];
    }

    void scatter(const Lanes* from, long width, Number* Each::* to, long row) {
        for (int l = 0; l < count_; ++l)
            if (arms_[l].*to && (goes_on(l) || request_.count == 0)) CONTINUARM_SECTIONS
        for (long j = 0; j < width; ++j) (arms_[l].*to)[row * width + j] = from[j][l];
    }

    template <bool integral>
    void write(long row) {
        const long size = plant_.size();
        const ArmOf<Lanes>& arm = *plant_.arm;
        const Lanes *q = state_, *qd = state_ + size;
        scatter(q, size, &Each::q, row);
        scatter(qd, size, &Each::qd, row);
        if (arms_[0].tips) {
            Scratch<Lanes> scratch = scratch_;
            Lanes* tips = scratch.take(size);
            const Placed<Lanes> placed(arm, q, scratch);
            CONTINUARM_SECTIONS
            for (int i = 0; i < arm.n; ++i)
                copy(reinterpret_cast<const Lanes*>(placed.frames + i + 1) + 9, 3, tips + 3 * i);
            scatter(tips, size, &Each::tips, row);
        }
        if (arms_[0].energies) {
            Scratch<Lanes> scratch = scratch_;
            Lanes energies[energy_count], *forces = scratch.take(size);
            zero(forces, size);
            energies[0] = kinetic<integral>(arm, q, qd, scratch);
            energies[1] = gravitational(arm, q, scratch);
            energies[2] = add_elastic(arm, q, forces);
            energies[3] = state_[plant_.supplied];
            energies[4] = state_[plant_.dissipated];
            scatter(energies, energy_count, &Each::energies, row);
        }
    }

    const PlantOf<Lanes>& plant_;
    const Request& request_;
    const int count_;
    const Each* arms_;
    Lanes *state_, *given_, *before_;
    const Scratch<Lanes> scratch_;
    int going_ = 0;
    bool shared_ = true;
};

}  // namespace

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
