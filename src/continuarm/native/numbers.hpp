// The number types that the steps run on: double, several doubles at once, and a double with several derivatives.
//
// Included once for every instruction set, inside that set's own namespace (see kernels.cpp): no function here may be
// shared between them, or the linker could pick one that the processor does not have.

#pragma once

#if defined(__x86_64__) && defined(__AVX2__)
#include <immintrin.h>
#endif

// Steps are long: called, not copied into every loop that uses them.
#if defined(__GNUC__)
#define CONTINUARM_STEP __attribute__((noinline)) void
#else
#define CONTINUARM_STEP void
#endif

namespace continuarm {
namespace CONTINUARM_LEVEL {

#if defined(__FMA__) || defined(__aarch64__)
inline double madd(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline double msub(double a, double b, double c) { return __builtin_fma(a, b, -c); }
inline double nmadd(double a, double b, double c) { return __builtin_fma(-a, b, c); }
#else
inline double madd(double a, double b, double c) { return a * b + c; }
inline double msub(double a, double b, double c) { return a * b - c; }
inline double nmadd(double a, double b, double c) { return c - a * b; }
#endif
inline double positive_part(double a) { return a > 0.0 ? a : 0.0; }
inline bool is_finite(double a) { return a - a == 0.0; }

// As many as one register of the instruction set holds.
#if defined(__AVX512F__)
constexpr int lanes = 8;
#elif defined(__AVX2__)
constexpr int lanes = 4;
#else
constexpr int lanes = 2;
#endif

// Several doubles, one for each of several arms. The same operations as for double, lane by lane.
struct Lanes {
#if defined(__GNUC__)
    typedef double Vector __attribute__((vector_size(lanes * sizeof(double))));
    Vector v;
    explicit Lanes(Vector vector) : v(vector) {}
#else
    double v[lanes];
#endif
    Lanes() = default;
    Lanes(double a) {
        for (int i = 0; i < lanes; ++i) v[i] = a;
    }
    double operator[](int i) const { return v[i]; }
    void set(int i, double a) { v[i] = a; }
};

#if defined(__GNUC__)
inline Lanes operator+(Lanes a, Lanes b) { return Lanes(a.v + b.v); }
inline Lanes operator-(Lanes a, Lanes b) { return Lanes(a.v - b.v); }
inline Lanes operator*(Lanes a, Lanes b) { return Lanes(a.v * b.v); }
inline Lanes operator/(Lanes a, Lanes b) { return Lanes(a.v / b.v); }
inline Lanes operator-(Lanes a) { return Lanes(-a.v); }
#else
#define CONTINUARM_LANEWISE(expression)              \
    Lanes r;                                         \
    for (int i = 0; i < lanes; ++i) r.v[i] = (expression); \
    return r
inline Lanes operator+(Lanes a, Lanes b) { CONTINUARM_LANEWISE(a.v[i] + b.v[i]); }
inline Lanes operator-(Lanes a, Lanes b) { CONTINUARM_LANEWISE(a.v[i] - b.v[i]); }
inline Lanes operator*(Lanes a, Lanes b) { CONTINUARM_LANEWISE(a.v[i] * b.v[i]); }
inline Lanes operator/(Lanes a, Lanes b) { CONTINUARM_LANEWISE(a.v[i] / b.v[i]); }
inline Lanes operator-(Lanes a) { CONTINUARM_LANEWISE(-a.v[i]); }
#endif

#if defined(__AVX512F__)
inline Lanes madd(Lanes a, Lanes b, Lanes c) { return Lanes((Lanes::Vector)_mm512_fmadd_pd(a.v, b.v, c.v)); }
inline Lanes msub(Lanes a, Lanes b, Lanes c) { return Lanes((Lanes::Vector)_mm512_fmsub_pd(a.v, b.v, c.v)); }
inline Lanes nmadd(Lanes a, Lanes b, Lanes c) { return Lanes((Lanes::Vector)_mm512_fnmadd_pd(a.v, b.v, c.v)); }
#elif defined(__x86_64__) && defined(__FMA__)
inline Lanes madd(Lanes a, Lanes b, Lanes c) { return Lanes((Lanes::Vector)_mm256_fmadd_pd(a.v, b.v, c.v)); }
inline Lanes msub(Lanes a, Lanes b, Lanes c) { return Lanes((Lanes::Vector)_mm256_fmsub_pd(a.v, b.v, c.v)); }
inline Lanes nmadd(Lanes a, Lanes b, Lanes c) { return Lanes((Lanes::Vector)_mm256_fnmadd_pd(a.v, b.v, c.v)); }
#else
#define CONTINUARM_EACH(function)                                                         \
    Lanes r;                                                                              \
    for (int i = 0; i < lanes; ++i) r.v[i] = function(a.v[i], b.v[i], c.v[i]);            \
    return r
inline Lanes madd(Lanes a, Lanes b, Lanes c) { CONTINUARM_EACH(madd); }
inline Lanes msub(Lanes a, Lanes b, Lanes c) { CONTINUARM_EACH(msub); }
inline Lanes nmadd(Lanes a, Lanes b, Lanes c) { CONTINUARM_EACH(nmadd); }
#endif

inline Lanes positive_part(Lanes a) {
    for (int i = 0; i < lanes; ++i) a.v[i] = positive_part(a.v[i]);
    return a;
}

// True where every lane is; written so that a NaN makes it false.
inline bool is_finite(Lanes a) {
    bool good = true;
    for (int i = 0; i < lanes; ++i) good &= a.v[i] - a.v[i] == 0.0;
    return good;
}

inline bool all_between(double a, double low, double high) { return a > low && a <= high; }
inline bool all_between(Lanes a, double low, double high) {
    bool good = true;
    for (int i = 0; i < lanes; ++i) good &= a.v[i] > low && a.v[i] <= high;
    return good;
}

// A double with its derivatives in several directions.
struct Dual {
    double value;
    Lanes slope;
    Dual() = default;
    Dual(double a) : value(a), slope(0.0) {}
    Dual(double a, Lanes b) : value(a), slope(b) {}
};

inline Dual operator+(const Dual& a, const Dual& b) { return {a.value + b.value, a.slope + b.slope}; }
inline Dual operator-(const Dual& a, const Dual& b) { return {a.value - b.value, a.slope - b.slope}; }
inline Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
inline Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, madd(a.slope, Lanes(b.value), b.slope * Lanes(a.value))};
}
inline Dual operator/(const Dual& a, const Dual& b) {
    const double r = 1.0 / b.value, quotient = a.value * r;
    return {quotient, nmadd(b.slope, Lanes(quotient), a.slope) * Lanes(r)};
}
inline Dual madd(const Dual& a, const Dual& b, const Dual& c) {
    return {madd(a.value, b.value, c.value), madd(a.slope, Lanes(b.value), madd(b.slope, Lanes(a.value), c.slope))};
}
inline Dual msub(const Dual& a, const Dual& b, const Dual& c) {
    return {msub(a.value, b.value, c.value), madd(a.slope, Lanes(b.value), msub(b.slope, Lanes(a.value), c.slope))};
}
inline Dual nmadd(const Dual& a, const Dual& b, const Dual& c) {
    return {nmadd(a.value, b.value, c.value), nmadd(a.slope, Lanes(b.value), nmadd(b.slope, Lanes(a.value), c.slope))};
}
inline Dual positive_part(const Dual& a) { return a.value > 0.0 ? a : Dual(0.0); }

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
