// Constants of backward differences, and the loops over their rows as a table: one for every instruction set.

#pragma once

namespace continuarm {

namespace differences {

constexpr int highest_order = 5;
// Shampine and Reichelt's κ; γ_k = Σ 1/j; α_k = (1 - κ_k) γ_k.
constexpr double kappas[] = {0, -0.1850, -1.0 / 9, -0.0823, -0.0415, 0};
constexpr double gammas[] = {0,
                             1,
                             1 + 1.0 / 2,
                             1 + 1.0 / 2 + 1.0 / 3,
                             1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4,
                             1 + 1.0 / 2 + 1.0 / 3 + 1.0 / 4 + 1.0 / 5};
constexpr double alpha(int k) { return (1 - kappas[k]) * gammas[k]; }
constexpr double error_constant(int k) { return kappas[k] * gammas[k] + 1.0 / (k + 1); }

}  // namespace differences

// Rows are `stride` numbers long; differences of order 0, 1, ... are rows one after another.
struct DifferenceLoops {
    // The sum of all differences up to an order, and their part in the formula, Σ γ_j D_j / α.
    void (*predict)(int order, const double* differences, long stride, double* predicted, double* psi);
    // The differences after a step that differs by d from what was predicted.
    void (*accept)(int order, const double* d, long stride, double* differences);
    // The differences for steps that are longer by a factor.
    void (*rescale)(int order, double factor, long stride, double* differences);
    // 1 / (atol + rtol |y|).
    void (*weigh_errors)(const double* y, const double* atol, double rtol, long stride, double* weights);
    // Σ (v w)².
    double (*weighted_square)(const double* v, const double* weights, long stride);
    // c (rate) - ψ - d.
    void (*residual_of)(double c, const double* rate, const double* psi, const double* d, long stride,
                        double* residual);
    // d with a correction, and what was predicted with d.
    void (*corrected)(const double* correction, const double* predicted, long stride, double* d, double* trial);
    // y of a polynomial: the first of some rows and so many others times their weights.
    void (*interpolate)(int count, const double* weights, const double* rows, long stride, long width, double* y);
};

}  // namespace continuarm
