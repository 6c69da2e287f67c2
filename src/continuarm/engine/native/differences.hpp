// Loops over the rows of numbers that backward differences work on, compiled once for every instruction set. Rows have
// a common stride, whole cache lines that are padded with zeros, so that no loop has a remainder.

#pragma once

#include "difference_tables.hpp"

namespace continuarm {
namespace CONTINUARM_LEVEL {

template <int k>
void predict_with(const double* __restrict from, long stride, double* __restrict predicted, double* __restrict psi) {
    constexpr double inverse = 1 / differences::alpha(k);
    for (long i = 0; i < stride; ++i) {
        double sum = from[i], part = 0;
        for (long j = 1; j <= k; ++j) {
            sum += from[j * stride + i];
            part += differences::gammas[j] * from[j * stride + i];
        }
        predicted[i] = sum;
        psi[i] = part * inverse;
    }
}

template <int k>
void accept_with(const double* __restrict d, long stride, double* __restrict to) {
    for (long i = 0; i < stride; ++i) {
        double above = d[i];
        to[(k + 2) * stride + i] = above - to[(k + 1) * stride + i];
        to[(k + 1) * stride + i] = above;
        for (long j = k; j >= 0; --j) to[j * stride + i] = above += to[j * stride + i];
    }
}

// D ← (R U)ᵀ D, of which the first row and column are those of the identity.
template <int k>
void rescale_with(double factor, long stride, double* __restrict to) {
    double r[k + 1][k + 1], u[k + 1][k + 1], ru[k + 1][k + 1];
    for (int j = 1; j <= k; ++j) {
        r[0][j] = u[0][j] = 1;
        for (int i = 1; i <= k; ++i) {
            r[i][j] = r[i - 1][j] * (i - 1 - factor * j) * (1.0 / i);
            u[i][j] = u[i - 1][j] * (i - 1 - j) * (1.0 / i);
        }
    }
    for (int i = 1; i <= k; ++i)
        for (int j = 1; j <= k; ++j) {
            ru[i][j] = 0;
            for (int l = 1; l <= k; ++l) ru[i][j] += r[i][l] * u[l][j];
        }
    for (long e = 0; e < stride; ++e) {
        double old[k + 1];
        for (long i = 1; i <= k; ++i) old[i] = to[i * stride + e];
        for (long j = 1; j <= k; ++j) {
            double sum = 0;
            for (long i = 1; i <= k; ++i) sum += ru[i][j] * old[i];
            to[j * stride + e] = sum;
        }
    }
}

inline void predict(int order, const double* from, long stride, double* predicted, double* psi) {
    switch (order) {
        case 1:
            return predict_with<1>(from, stride, predicted, psi);
        case 2:
            return predict_with<2>(from, stride, predicted, psi);
        case 3:
            return predict_with<3>(from, stride, predicted, psi);
        case 4:
            return predict_with<4>(from, stride, predicted, psi);
        default:
            return predict_with<5>(from, stride, predicted, psi);
    }
}

inline void accept(int order, const double* d, long stride, double* to) {
    switch (order) {
        case 1:
            return accept_with<1>(d, stride, to);
        case 2:
            return accept_with<2>(d, stride, to);
        case 3:
            return accept_with<3>(d, stride, to);
        case 4:
            return accept_with<4>(d, stride, to);
        default:
            return accept_with<5>(d, stride, to);
    }
}

inline void rescale(int order, double factor, long stride, double* to) {
    switch (order) {
        case 1:
            return rescale_with<1>(factor, stride, to);
        case 2:
            return rescale_with<2>(factor, stride, to);
        case 3:
            return rescale_with<3>(factor, stride, to);
        case 4:
            return rescale_with<4>(factor, stride, to);
        default:
            return rescale_with<5>(factor, stride, to);
    }
}

// 1 / (atol + rtol |y|); 0 where atol is infinite, as it is for what has no tolerance.
inline void weigh_errors(const double* __restrict y, const double* __restrict atol, double rtol, long stride,
                         double* __restrict weights) {
    for (long i = 0; i < stride; ++i) {
        const double size = y[i] < 0.0 ? -y[i] : y[i];
        weights[i] = 1.0 / (atol[i] + rtol * size);
    }
}

inline double weighted_square(const double* __restrict v, const double* __restrict weights, long stride) {
    double sums[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (long i = 0; i < stride; i += 8)
        for (long j = 0; j < 8; ++j) {
            const double each = v[i + j] * weights[i + j];
            sums[j] += each * each;
        }
    return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
}

inline void residual_of(double c, const double* __restrict rate, const double* __restrict psi,
                        const double* __restrict d, long stride, double* __restrict residual) {
    for (long i = 0; i < stride; ++i) residual[i] = c * rate[i] - psi[i] - d[i];
}

inline void corrected(const double* __restrict correction, const double* __restrict predicted, long stride,
                      double* __restrict d, double* __restrict trial) {
    for (long i = 0; i < stride; ++i) {
        d[i] += correction[i];
        trial[i] = predicted[i] + d[i];
    }
}

template <int k>
void interpolate_with(const double* __restrict weights, const double* __restrict from, long stride, long width,
                      double* __restrict y) {
    for (long i = 0; i < width; ++i) {
        double sum = from[i];
        for (long j = 0; j < k; ++j) sum += weights[j] * from[(j + 1) * stride + i];
        y[i] = sum;
    }
}

inline void interpolate(int count, const double* weights, const double* from, long stride, long width, double* y) {
    switch (count) {
        case 0:
            return interpolate_with<0>(weights, from, stride, width, y);
        case 1:
            return interpolate_with<1>(weights, from, stride, width, y);
        case 2:
            return interpolate_with<2>(weights, from, stride, width, y);
        case 3:
            return interpolate_with<3>(weights, from, stride, width, y);
        case 4:
            return interpolate_with<4>(weights, from, stride, width, y);
        default:
            return interpolate_with<5>(weights, from, stride, width, y);
    }
}

}  // namespace CONTINUARM_LEVEL
}  // namespace continuarm
