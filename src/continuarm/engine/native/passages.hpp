// What the recursions know of every section on the way outward: kept, or computed again where there is no room.

#pragma once

#include "arm.hpp"
#include "scratch.hpp"
#include "generated/steps.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

// Outward: passages of all sections; leaves the angular velocity of the last tip in omega.
template <class Real, class Constant>
inline void pass_outward(const ArmOf<Constant>& arm, const Real* q, const Real* qd, Passage<Real>* passages,
                         Real* omega) {
    zero(omega, 3);
    CONTINUARM_SECTIONS
    for (int i = 0; i < arm.n; ++i) outward(arm.sections[i], q + 3 * i, qd + 3 * i, omega, passages[i], omega);
}

// Outward at rest.
template <class Real, class Constant>
inline void pass_outward(const ArmOf<Constant>& arm, const Real* q, Passage<Real>* passages) {
    Real still[3], omega[3];
    zero(still, 3);
    zero(omega, 3);
    CONTINUARM_SECTIONS
    for (int i = 0; i < arm.n; ++i) outward(arm.sections[i], q + 3 * i, still, omega, passages[i], omega);
}

// The passages of all sections, as the recursion asks for them twice: inward and back outward.
template <bool again, class Real, class Constant>
class Passages;

// A processor computes them once.
template <class Real, class Constant>
class Passages<false, Real, Constant> {
public:
    Passages(const ArmOf<Constant>& arm, const Real* q, const Real* qd, Real* omega, Scratch<Real>& scratch)
        : kept_(scratch.template take<Passage<Real>>(arm.n)) {
        pass_outward(arm, q, qd, kept_, omega);
    }
    const Passage<Real>& at(int i) const { return kept_[i]; }

private:
    Passage<Real>* kept_;
};

// A thread of a GPU computes each again where it is asked for: it has no registers to keep all of them, and to
// read them from memory takes longer.
template <class Real, class Constant>
class Passages<true, Real, Constant> {
public:
    Passages(const ArmOf<Constant>& arm, const Real* q, const Real* qd, Real* omega, Scratch<Real>& scratch)
        : arm_(arm),
          q_(q),
          qd_(qd),
          omegas_(scratch.take(3L * arm.n)),
          here_(*scratch.template take<Passage<Real>>(1)) {
        zero(omega, 3);
        CONTINUARM_SECTIONS
        for (int i = 0; i < arm.n; ++i) {
            copy(omega, 3, omegas_ + 3 * i);
            outward(arm.sections[i], q + 3 * i, qd + 3 * i, omega, here_, omega);
        }
    }
    const Passage<Real>& at(int i) const {
        Real lengths[3], rates[3], omega[3];
        for (int k = 0; k < 3; ++k) {  // or the compiler would see that it is the same, and keep it
            lengths[k] = unforeseen(q_[3 * i + k]);
            rates[k] = unforeseen(qd_[3 * i + k]);
            omega[k] = unforeseen(omegas_[3 * i + k]);
        }
        outward(arm_.sections[i], lengths, rates, omega, here_, omega);
        return here_;
    }

private:
    const ArmOf<Constant>& arm_;
    const Real *q_, *qd_;
    Real* omegas_;
    Passage<Real>& here_;
};

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
