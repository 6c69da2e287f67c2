// The number types that the steps run on: double, several doubles at once, and a double with several derivatives.
//
// Included once for every instruction set, inside that set's own namespace (see kernels.cpp): no function here may be
// shared between them, or the linker could pick one that the processor does not have.

#pragma once

#if defined(CONTINUARM_NUMBER)  // in a thread of a GPU
#include "one_lane.hpp"
#else

#if defined(__x86_64__) && defined(__AVX2__)
#include <immintrin.h>
#endif

// Operators vanish into the steps; steps are long: called, not copied into every loop that uses them. Short ones may
// be.
#define CONTINUARM_SHORT_STEP inline void
#define CONTINUARM_SECTIONS
#define CONTINUARM_STAGES
#if defined(__GNUC__)
#define CONTINUARM_STEP __attribute__((noinline)) void
#define CONTINUARM_OPERATOR inline __attribute__((always_inline))
#else
#define CONTINUARM_STEP void
#define CONTINUARM_OPERATOR inline
#endif

namespace continuarm {
namespace CONTINUARM_LEVEL {

#if defined(__FMA__) || defined(__aarch64__)
CONTINUARM_OPERATOR double madd(double a, double b, double c) { return __builtin_fma(a, b, c); }
CONTINUARM_OPERATOR double msub(double a, double b, double c) { return __builtin_fma(a, b, -c); }
CONTINUARM_OPERATOR double nmadd(double a, double b, double c) { return __builtin_fma(-a, b, c); }
#else
CONTINUARM_OPERATOR double madd(double a, double b, double c) { return a * b + c; }
CONTINUARM_OPERATOR double msub(double a, double b, double c) { return a * b - c; }
CONTINUARM_OPERATOR double nmadd(double a, double b, double c) { return c - a * b; }
#endif
// Arms in threads of a GPU begin a step together; nothing has to wait here.
CONTINUARM_OPERATOR void keep_together() {}

// Whether the recursion computes passages again instead of keeping them: see Passages.
constexpr bool passages_again = false;

CONTINUARM_OPERATOR double positive_part(double a) { return a > 0.0 ? a : 0.0; }
CONTINUARM_OPERATOR double is_positive(double a) { return a > 0.0 ? 1.0 : 0.0; }
CONTINUARM_OPERATOR bool is_zero(double a) { return a == 0.0; }

// As many as one register of the instruction set holds.
#if defined(__AVX512F__)
constexpr int lanes = 8;
#define CONTINUARM_ROWS from[0], from[s], from[2 * s], from[3 * s], from[4 * s], from[5 * s], from[6 * s], from[7 * s]
#elif defined(__AVX2__)
constexpr int lanes = 4;
#define CONTINUARM_ROWS from[0], from[s], from[2 * s], from[3 * s]
#else
constexpr int lanes = 2;
#define CONTINUARM_ROWS from[0], from[s]
#endif

// Several doubles, one for each of several arms. The same operations as for double, lane by lane.
struct Lanes {
    typedef double Number;
#if defined(__GNUC__)
    typedef double Vector __attribute__((vector_size(lanes * sizeof(double))));
    Vector v;
    Lanes(Vector vector) : v(vector) {}
#else
    typedef Lanes Vector;
    double v[lanes];
#endif
    Lanes() = default;
    Lanes(double a) {
        for (int i = 0; i < lanes; ++i) v[i] = a;
    }
#if defined(__GNUC__)
    const Vector& vector() const { return v; }
#else
    const Lanes& vector() const { return *this; }
    double& operator[](int i) { return v[i]; }
#endif
    double operator[](int i) const { return v[i]; }
    void set(int i, double a) { v[i] = a; }

    // One number from each of the rows at from, from + s, ...; rows from `count` on repeat the last.
    static Lanes gathered(const double* from, long s, long count) {
#if defined(__GNUC__)
        if (count == lanes) return Lanes(Vector{CONTINUARM_ROWS});
#endif
        Lanes r;
        for (int i = 0; i < lanes; ++i) r.v[i] = from[(i < count ? i : count - 1) * s];
        return r;
    }
};

// What steps compute lanes in: a plain vector, which the compiler keeps in a register from the start. A struct it first
// has to take apart, which took it almost as long as all the rest.
typedef Lanes::Vector Vector;

#if defined(__GNUC__)
CONTINUARM_OPERATOR Lanes operator+(Lanes a, Lanes b) { return a.v + b.v; }
CONTINUARM_OPERATOR Lanes operator-(Lanes a, Lanes b) { return a.v - b.v; }
CONTINUARM_OPERATOR Lanes operator-(Lanes a) { return -a.v; }
#else
#define CONTINUARM_LANEWISE(expression)                    \
    Lanes r;                                               \
    for (int i = 0; i < lanes; ++i) r.v[i] = (expression); \
    return r
CONTINUARM_OPERATOR Lanes operator+(Lanes a, Lanes b) { CONTINUARM_LANEWISE(a.v[i] + b.v[i]); }
CONTINUARM_OPERATOR Lanes operator-(Lanes a, Lanes b) { CONTINUARM_LANEWISE(a.v[i] - b.v[i]); }
CONTINUARM_OPERATOR Lanes operator*(Lanes a, Lanes b) { CONTINUARM_LANEWISE(a.v[i] * b.v[i]); }
CONTINUARM_OPERATOR Lanes operator/(Lanes a, Lanes b) { CONTINUARM_LANEWISE(a.v[i] / b.v[i]); }
CONTINUARM_OPERATOR Lanes operator-(Lanes a) { CONTINUARM_LANEWISE(-a.v[i]); }
#endif

#if defined(__AVX512F__)
CONTINUARM_OPERATOR Vector madd(Vector a, Vector b, Vector c) { return (Vector)_mm512_fmadd_pd(a, b, c); }
CONTINUARM_OPERATOR Vector msub(Vector a, Vector b, Vector c) { return (Vector)_mm512_fmsub_pd(a, b, c); }
CONTINUARM_OPERATOR Vector nmadd(Vector a, Vector b, Vector c) { return (Vector)_mm512_fnmadd_pd(a, b, c); }
#elif defined(__x86_64__) && defined(__FMA__)
CONTINUARM_OPERATOR Vector madd(Vector a, Vector b, Vector c) { return (Vector)_mm256_fmadd_pd(a, b, c); }
CONTINUARM_OPERATOR Vector msub(Vector a, Vector b, Vector c) { return (Vector)_mm256_fmsub_pd(a, b, c); }
CONTINUARM_OPERATOR Vector nmadd(Vector a, Vector b, Vector c) { return (Vector)_mm256_fnmadd_pd(a, b, c); }
#elif defined(__GNUC__) && !defined(__aarch64__)
CONTINUARM_OPERATOR Vector madd(Vector a, Vector b, Vector c) { return a * b + c; }
CONTINUARM_OPERATOR Vector msub(Vector a, Vector b, Vector c) { return a * b - c; }
CONTINUARM_OPERATOR Vector nmadd(Vector a, Vector b, Vector c) { return c - a * b; }
#else
#define CONTINUARM_EACH(function)                                      \
    Vector r;                                                          \
    for (int i = 0; i < lanes; ++i) r[i] = function(a[i], b[i], c[i]); \
    return r
CONTINUARM_OPERATOR Vector madd(Vector a, Vector b, Vector c) { CONTINUARM_EACH(madd); }
CONTINUARM_OPERATOR Vector msub(Vector a, Vector b, Vector c) { CONTINUARM_EACH(msub); }
CONTINUARM_OPERATOR Vector nmadd(Vector a, Vector b, Vector c) { CONTINUARM_EACH(nmadd); }
#endif

CONTINUARM_OPERATOR Vector is_positive(Vector a) {
    for (int i = 0; i < lanes; ++i) a[i] = is_positive(a[i]);
    return a;
}
CONTINUARM_OPERATOR Vector positive_part(Vector a) {
    for (int i = 0; i < lanes; ++i) a[i] = positive_part(a[i]);
    return a;
}

// Whether all numbers seen so far were finite, and positive where they had to be. Kept lane by lane and asked once, at
// the end: a NaN or an infinity turns x - x into NaN, which stays in the sum, and every comparison with it false.
template <class Real>
struct Verdict;

template <>
struct Verdict<double> {
    double sum = 0.0;
    bool in_range = true;
    void see(double a) { sum += a - a; }
    void see_positive(double a) { in_range &= a > 0.0; }
    bool good() const { return in_range && sum == 0.0; }
};

template <>
struct Verdict<Lanes> {
    Lanes sum = Lanes(0.0);
    void see(Lanes a) { sum = sum + (a - a); }
    void see_positive(Lanes a) {
#if defined(__GNUC__)
        const Lanes zero(0.0), nan(__builtin_nan(""));
        sum = sum + Lanes(a.v > zero.v ? zero.v : nan.v);
#else
        for (int i = 0; i < lanes; ++i)
            if (!(a.v[i] > 0.0)) sum.v[i] = sum.v[i] - 1.0;
#endif
    }
    bool good() const {
        bool all = true;
        for (int i = 0; i < lanes; ++i) all &= sum.v[i] == 0.0;
        return all;
    }
};

// A number with its derivatives, in every lane. `uniform`: one double, the same in all lanes, with its derivatives in
// several directions: nothing has to be spread over the lanes when it multiplies derivatives, which costs more than to
// compute it in each. Else several doubles with a derivative each.
template <bool uniform>
struct SlopedVector {  // what steps compute it in
    Vector all, slope;
};
template <bool uniform>
struct Sloped : SlopedVector<uniform> {
    Sloped() = default;
    Sloped(SlopedVector<uniform> a) : SlopedVector<uniform>(a) {}
    Sloped(double a) : SlopedVector<uniform>{Lanes(a).vector(), Lanes(0.0).vector()} {}
    Sloped(Lanes a, Lanes b) : SlopedVector<uniform>{a.vector(), b.vector()} {}
    double value() const { return this->all[0]; }  // of a uniform one
};

#define CONTINUARM_SLOPED   \
    template <bool uniform> \
    CONTINUARM_OPERATOR SlopedVector<uniform>
#define CONTINUARM_ONE const SlopedVector<uniform>&
CONTINUARM_SLOPED operator+(CONTINUARM_ONE a, CONTINUARM_ONE b) { return {a.all + b.all, a.slope + b.slope}; }
CONTINUARM_SLOPED operator-(CONTINUARM_ONE a, CONTINUARM_ONE b) { return {a.all - b.all, a.slope - b.slope}; }
CONTINUARM_SLOPED operator-(CONTINUARM_ONE a) { return {-a.all, -a.slope}; }
CONTINUARM_SLOPED operator*(CONTINUARM_ONE a, CONTINUARM_ONE b) {
    return {a.all * b.all, madd(a.slope, b.all, b.slope * a.all)};
}
CONTINUARM_SLOPED operator/(CONTINUARM_ONE a, CONTINUARM_ONE b) {
    const Vector r = uniform ? Lanes(1.0 / b.all[0]).vector() : Lanes(1.0).vector() / b.all, quotient = a.all * r;
    return {quotient, nmadd(b.slope, quotient, a.slope) * r};
}
CONTINUARM_SLOPED madd(CONTINUARM_ONE a, CONTINUARM_ONE b, CONTINUARM_ONE c) {
    return {madd(a.all, b.all, c.all), madd(a.slope, b.all, madd(b.slope, a.all, c.slope))};
}
CONTINUARM_SLOPED msub(CONTINUARM_ONE a, CONTINUARM_ONE b, CONTINUARM_ONE c) {
    return {msub(a.all, b.all, c.all), madd(a.slope, b.all, msub(b.slope, a.all, c.slope))};
}
CONTINUARM_SLOPED nmadd(CONTINUARM_ONE a, CONTINUARM_ONE b, CONTINUARM_ONE c) {
    return {nmadd(a.all, b.all, c.all), nmadd(a.slope, b.all, nmadd(b.slope, a.all, c.slope))};
}
CONTINUARM_SLOPED positive_part(CONTINUARM_ONE a) { return {positive_part(a.all), a.slope * is_positive(a.all)}; }
CONTINUARM_SLOPED is_positive(CONTINUARM_ONE a) { return {is_positive(a.all), Lanes(0.0).vector()}; }
#undef CONTINUARM_ONE
#undef CONTINUARM_SLOPED

typedef Sloped<true> Dual;
typedef Sloped<false> Tangent;

// What a step computes a number of this type in, and how constants and numbers in memory become that.
template <class Real>
struct Computed;
template <>
struct Computed<double> {
    CONTINUARM_OPERATOR static double of(double a) { return a; }
};
template <>
struct Computed<Lanes> {
    CONTINUARM_OPERATOR static Vector of(double a) { return Lanes(a).vector(); }
    CONTINUARM_OPERATOR static Vector of(const Lanes& a) { return a.vector(); }
};
template <bool uniform>
struct Computed<Sloped<uniform> > {
    CONTINUARM_OPERATOR static SlopedVector<uniform> of(double a) { return {Lanes(a).vector(), Lanes(0.0).vector()}; }
    CONTINUARM_OPERATOR static SlopedVector<uniform> of(const Sloped<uniform>& a) { return {a.all, a.slope}; }
};

CONTINUARM_OPERATOR bool operator>(const Dual& a, double b) { return a.value() > b; }

// Zero, and it stays so in all directions.
CONTINUARM_OPERATOR bool is_zero(const Dual& a) {
    bool all = a.value() == 0.0;
    for (int i = 0; i < lanes; ++i) all &= a.slope[i] == 0.0;
    return all;
}

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm

#endif
