// The number type that the steps run on in a thread of a GPU: one float or double, CONTINUARM_NUMBER, in place of lanes
// of doubles. The same operations, each rounded as a processor rounds it.

#pragma once

// Everything vanishes into one kernel: what is called by address lies in memory, what is not stays in registers.
#define CONTINUARM_STEP __forceinline__ void
#define CONTINUARM_SHORT_STEP __forceinline__ void
#define CONTINUARM_OPERATOR __forceinline__
// Both stages of a step are the same instructions, or they would not fit where a GPU keeps them at hand.
#define CONTINUARM_STAGES _Pragma("unroll 1")

namespace continuarm {
namespace CONTINUARM_LEVEL {

constexpr int lanes = 1;

struct Lanes {
    typedef CONTINUARM_NUMBER Number;
    Number v;
    Lanes() = default;
    Lanes(double a) : v(Number(a)) {}
    Number operator[](int) const { return v; }
    void set(int, Number a) { v = a; }
};

CONTINUARM_OPERATOR Lanes operator+(Lanes a, Lanes b) { return Lanes(a.v + b.v); }
CONTINUARM_OPERATOR Lanes operator-(Lanes a, Lanes b) { return Lanes(a.v - b.v); }
CONTINUARM_OPERATOR Lanes operator*(Lanes a, Lanes b) { return Lanes(a.v * b.v); }
CONTINUARM_OPERATOR Lanes operator/(Lanes a, Lanes b) { return Lanes(a.v / b.v); }
CONTINUARM_OPERATOR Lanes operator-(Lanes a) { return Lanes(-a.v); }
CONTINUARM_OPERATOR Lanes madd(Lanes a, Lanes b, Lanes c) { return Lanes(fma(a.v, b.v, c.v)); }
CONTINUARM_OPERATOR Lanes msub(Lanes a, Lanes b, Lanes c) { return Lanes(fma(a.v, b.v, -c.v)); }
CONTINUARM_OPERATOR Lanes nmadd(Lanes a, Lanes b, Lanes c) { return Lanes(fma(-a.v, b.v, c.v)); }
CONTINUARM_OPERATOR Lanes positive_part(Lanes a) { return a.v > 0 ? a : Lanes(0.0); }
CONTINUARM_OPERATOR Lanes is_positive(Lanes a) { return Lanes(a.v > 0 ? 1.0 : 0.0); }

// A step computes in what it is given.
template <class Real>
struct Computed {
    CONTINUARM_OPERATOR static Real of(Real a) { return a; }
};

// Threads that are in the same place share what was fetched, of instructions and of memory that stands in for
// registers.
CONTINUARM_OPERATOR void keep_together() {
#if defined(__CUDA_ARCH__)
    if constexpr (CONTINUARM_PASSAGES_AGAIN) __syncthreads();
#endif
}

constexpr bool passages_again = CONTINUARM_PASSAGES_AGAIN;

// The same number, of which the compiler does not know that it is.
#if defined(__CUDA_ARCH__)
CONTINUARM_OPERATOR float unforeseen(float a) {
    asm("" : "+f"(a));
    return a;
}
CONTINUARM_OPERATOR double unforeseen(double a) {
    asm("" : "+d"(a));
    return a;
}
CONTINUARM_OPERATOR Lanes unforeseen(Lanes a) { return Lanes(unforeseen(a.v)); }
#else
CONTINUARM_OPERATOR Lanes unforeseen(Lanes a) { return a; }
#endif

// Whether all numbers seen so far were finite, and positive where they had to be: see that of numbers.hpp.
template <class Real>
struct Verdict;

template <>
struct Verdict<Lanes> {
    Lanes sum = Lanes(0.0);
    void see(Lanes a) { sum = sum + (a - a); }
    void see_positive(Lanes a) {
        if (!(a.v > 0)) sum.v -= 1;
    }
    bool good() const { return sum.v == 0; }
};

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
