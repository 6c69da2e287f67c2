// Scratch memory, and what is done with rows of numbers that lie in it.

#pragma once

#include "numbers.hpp"
#include "generated/structs.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

// Memory of one evaluation, laid out one array after another.
template <class Real>
struct Scratch {
    Real* next;
    Real* take(long count) {
        Real* taken = next;
        next += count;
        return taken;
    }
    template <class Struct>
    Struct* take(long count) {
        static_assert(sizeof(Struct) == Struct::size * sizeof(Real), "a struct is its numbers");
        return reinterpret_cast<Struct*>(take(count * Struct::size));
    }
};

template <class Real, class From>
inline void fill(Real* to, const From* from, long count) {
    for (long k = 0; k < count; ++k) to[k] = Real(from[k]);
}

template <class Real>
inline void zero(Real* to, long count) {
    for (long k = 0; k < count; ++k) to[k] = Real(0.0);
}

template <class Real>
inline void copy(const Real* from, long count, Real* to) {
    for (long k = 0; k < count; ++k) to[k] = from[k];
}

template <class Real>
inline void add(const Real* more, long count, Real* to) {
    for (long k = 0; k < count; ++k) to[k] = to[k] + more[k];
}

template <class Real>
inline Real* entries(Symmetric<Real>& block) {
    return reinterpret_cast<Real*>(&block);
}

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
