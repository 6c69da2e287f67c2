// Stiff integration without returning to Python: backward differences of order 1 to 5 with quasi-constant steps (the
// numerical differentiation formulas of Shampine and Reichelt, 1997). The control of order and step follows SciPy's
// implementation, scipy.integrate.BDF.
//
// The Newton iteration uses what is stiff, which is known exactly: M + c D + c² K, with M and K from the last time that
// the iteration was slow. Everything else (gravity, Coriolis terms, inputs) enters through the residual alone.

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include "arm.hpp"

namespace continuarm {

// System: what is integrated. y = (q, v, z, w): z relaxes by itself, each number at its own rate; w is summed up and
// drives nothing, so that it has no part in errors and iterations. It has
//     size(), relaxing(), width()               how many numbers q, z and y have
//     bool rate(t, y, out)                      ẏ; false where the model does not hold
//     bool mass(y, out)                         M over q, row by row
//     void tangent(t, y, blocks, relaxation)    K over q, a symmetric 3x3 block for each section; how fast z relaxes,
//     1/s void damping(blocks)                      D over q, likewise bool kinks() whether K jumps with q, as where
//     stops are: the iteration then follows it
template <class System>
class BackwardDifferences {
public:
    struct Counts {
        long evaluations = 0, steps = 0, rejected = 0, factorizations = 0, iterations = 0;
    };

    BackwardDifferences(System& system, const double* y, double rtol, std::vector<double> atol, double longest_step,
                        int highest_order)
        : system_(system),
          rtol_(rtol),
          atol_(std::move(atol)),
          longest_step_(longest_step),
          highest_order_(highest_order) {
        const std::size_t n = std::size_t(system.size()), width = std::size_t(system.width());
        for (auto& row : differences_) row.assign(width, 0.0);
        for (auto* each : {&predicted_, &psi_, &d_, &trial_, &rate_, &residual_, &scratch_}) each->assign(width, 0.0);
        scale_.assign(2 * n + std::size_t(system.relaxing()), 0.0);
        mass_.assign(n * n, 0.0);
        factor_ = mass_;
        stiffness_.assign(n / 3, Symmetric<double>{});
        other_ = damping_ = stiffness_;
        system.damping(damping_.data());
        relaxation_.assign(std::size_t(system.relaxing()), 0.0);
        right_.assign(n, 0.0);
        std::copy(y, y + width, differences_[0].begin());
    }

    double time() const { return t_; }
    const Counts& counts() const { return counts_; }
    const double* state() const { return differences_[0].data(); }
    std::size_t width() const { return differences_[0].size(); }

    // Forgets the past: to be called where the input jumps.
    void restart(double end) {
        started_ = true;
        order_ = 1;
        equal_steps_ = 0;
        current_mass_ = false;
        factored_ = 0.0;
        for (std::size_t k = 1; k < differences_.size(); ++k)
            std::fill(differences_[k].begin(), differences_[k].end(), 0.0);
        hopeless_ = !derivative(t_, state(), rate_.data());
        if (hopeless_) return;
        h_ = first_step(end);
        for (std::size_t i = 0; i < rate_.size(); ++i) differences_[1][i] = h_ * rate_[i];
    }

    // One accepted step, never past `end`.
    bool step(double end) {
        if (!started_) restart(end);
        if (hopeless_) return false;
        for (bool accepted = false; !accepted;) {
            if (h_ > longest_step_) rescale(longest_step_ / h_);
            const double room = end - t_;
            // A step that would almost reach the end reaches it, one that would leave less than its length takes half:
            // what is left is never so short that time does not move.
            if (1.1 * h_ > room)
                rescale(room / h_);
            else if (2 * h_ > room)
                rescale(0.5 * room / h_);
            if (t_ + 0.1 * h_ == t_ && h_ < room) return false;
            const double t_new = h_ >= room * (1 - 1e-10) ? end : t_ + h_;
            predict();
            const double c = h_ / alpha(order_);
            refused_ = false;
            bool solved = newton(t_new, c);
            if (!solved && !current_mass_) solved = refresh(t_new, predicted_.data()) && newton(t_new, c);
            if (!solved) {
                // Where the model ends there is no end to shorter steps: those that move nothing are accepted.
                if (refused_ && h_ < shortest_at_the_edge) return false;
                rescale(0.5);
                ++counts_.rejected;
                continue;
            }
            const double error = error_constant(order_) * norm(d_.data());
            if (error > 1) {
                rescale(std::fmax(0.2, safety() * std::pow(error, -1.0 / (order_ + 1))));
                ++counts_.rejected;
                continue;
            }
            accepted = true;
            ++counts_.steps;
            ++equal_steps_;
            t_ = t_new;
            last_h_ = h_;
            current_mass_ = false;
            auto& D = differences_;
            const std::size_t k = std::size_t(order_);
            for (std::size_t i = 0; i < d_.size(); ++i) {
                D[k + 2][i] = d_[i] - D[k + 1][i];
                D[k + 1][i] = d_[i];
                for (std::size_t j = k + 1; j-- > 0;) D[j][i] += D[j + 1][i];
            }
            last_order_ = order_;
            dense_ = D;
            if (equal_steps_ >= order_ + 1) choose_order(error);
        }
        return true;
    }

    // The solution at a time inside the last step.
    void at(double t, double* y) const {
        const std::size_t n = dense_[0].size();
        if (n == 0) {  // before the first step
            std::copy(differences_[0].begin(), differences_[0].end(), y);
            return;
        }
        std::copy(dense_[0].begin(), dense_[0].end(), y);
        double weight = 1.0;
        for (int k = 0; k < last_order_; ++k) {
            weight *= (t - (t_ - last_h_ * k)) / (last_h_ * (1 + k));
            for (std::size_t i = 0; i < n; ++i) y[i] += weight * dense_[std::size_t(k) + 1][i];
        }
    }

private:
    static constexpr int highest = 5;
    static constexpr double shortest_at_the_edge = 1e-9;  // s: so well it is known when the model ends

    static double kappa(int k) {
        constexpr double values[] = {0, -0.1850, -1.0 / 9, -0.0823, -0.0415, 0};
        return values[k];
    }
    static double gamma(int k) {
        double sum = 0;
        for (int j = 1; j <= k; ++j) sum += 1.0 / j;
        return sum;
    }
    static double alpha(int k) { return (1 - kappa(k)) * gamma(k); }
    static double error_constant(int k) { return kappa(k) * gamma(k) + 1.0 / (k + 1); }
    double safety() const { return 0.9 * (2.0 * most_iterations + 1) / (2.0 * most_iterations + iterations_); }

    bool derivative(double t, const double* y, double* out) {
        ++counts_.evaluations;
        const bool holds = system_.rate(t, y, out);
        refused_ |= !holds;
        return holds;
    }

    // The six numbers of the block of a section's first coordinate, and where an entry is among them.
    static const double* entries(const std::vector<Symmetric<double>>& blocks, int first) {
        return reinterpret_cast<const double*>(blocks.data()) + 2 * first;
    }
    static int place(int r, int s) {
        constexpr int places[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
        return places[3 * r + s];
    }

    double norm(const double* v) const {
        double sum = 0;
        for (std::size_t i = 0; i < scale_.size(); ++i) sum += (v[i] / scale_[i]) * (v[i] / scale_[i]);
        return std::sqrt(sum / double(scale_.size()));
    }

    void set_scale(const double* y) {
        for (std::size_t i = 0; i < scale_.size(); ++i) scale_[i] = atol_[i] + rtol_ * std::fabs(y[i]);
    }

    // Hairer, Nørsett and Wanner's starting step for order 1; rate_ holds f(t, y).
    double first_step(double end) {
        set_scale(state());
        const double d0 = norm(state()), d1 = norm(rate_.data());
        double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
        h0 = std::fmin(h0, end - t_);
        for (std::size_t i = 0; i < trial_.size(); ++i) trial_[i] = state()[i] + h0 * rate_[i];
        double d2 = 0;
        if (derivative(t_ + h0, trial_.data(), scratch_.data())) {
            for (std::size_t i = 0; i < scratch_.size(); ++i) scratch_[i] -= rate_[i];
            d2 = norm(scratch_.data()) / h0;
        }
        const double largest = std::fmax(d1, d2);
        const double h1 = largest <= 1e-15 ? std::fmax(1e-6, h0 * 1e-3) : std::sqrt(0.01 / largest);
        return std::fmin(std::fmin(100 * h0, h1), std::fmin(end - t_, longest_step_));
    }

    void predict() {
        const double a = alpha(order_);
        for (std::size_t i = 0; i < predicted_.size(); ++i) {
            double sum = differences_[0][i], psi = 0;
            for (int k = 1; k <= order_; ++k) {
                sum += differences_[std::size_t(k)][i];
                psi += gamma(k) * differences_[std::size_t(k)][i];
            }
            predicted_[i] = sum;
            psi_[i] = psi / a;
        }
        set_scale(predicted_.data());
    }

    bool refresh(double t, const double* y) {
        if (!system_.mass(y, mass_.data())) {
            refused_ = true;
            return false;
        }
        system_.tangent(t, y, stiffness_.data(), relaxation_.data());
        current_mass_ = true;
        factored_ = 0.0;
        return true;
    }

    // S = M + c D + c² K as L Lᵀ.
    bool factorize(double c) {
        if (factored_ == c) return true;
        const int n = system_.size();
        factor_ = mass_;
        for (int first = 0; first < n; first += 3) {
            const double *d = entries(damping_, first), *k = entries(stiffness_, first);
            for (int r = 0; r < 3; ++r)
                for (int s = 0; s < 3; ++s)
                    factor_[std::size_t((first + r) * n + first + s)] += c * (d[place(r, s)] + c * k[place(r, s)]);
        }
        ++counts_.factorizations;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j <= i; ++j) {
                double sum = factor_[std::size_t(i * n + j)];
                for (int k = 0; k < j; ++k) sum -= factor_[std::size_t(i * n + k)] * factor_[std::size_t(j * n + k)];
                if (i == j) {
                    if (!(sum > 0)) return false;
                    factor_[std::size_t(i * n + i)] = std::sqrt(sum);
                } else {
                    factor_[std::size_t(i * n + j)] = sum / factor_[std::size_t(j * n + j)];
                }
            }
        factored_ = c;
        return true;
    }

    // (1 - c J) x = r in place, with J = [[0, 1], [-M⁻¹ K, -M⁻¹ D]] for (q, v) and minus its relaxation for each of z.
    void solve(double c, double* r) const {
        const int n = system_.size();
        double *rq = r, *rv = r + n, *rz = r + 2 * n;
        std::vector<double>& b = right_;
        for (int i = 0; i < n; ++i) {
            double sum = 0;
            for (int j = 0; j < n; ++j) sum += mass_[std::size_t(i * n + j)] * rv[j];
            const int first = i / 3 * 3;
            const double* k = entries(stiffness_, first);
            for (int j = 0; j < 3; ++j) sum -= c * k[place(i - first, j)] * rq[first + j];
            b[std::size_t(i)] = sum;
        }
        for (int i = 0; i < n; ++i) {
            double sum = b[std::size_t(i)];
            for (int k = 0; k < i; ++k) sum -= factor_[std::size_t(i * n + k)] * b[std::size_t(k)];
            b[std::size_t(i)] = sum / factor_[std::size_t(i * n + i)];
        }
        for (int i = n - 1; i >= 0; --i) {
            double sum = b[std::size_t(i)];
            for (int k = i + 1; k < n; ++k) sum -= factor_[std::size_t(k * n + i)] * b[std::size_t(k)];
            b[std::size_t(i)] = sum / factor_[std::size_t(i * n + i)];
        }
        for (int i = 0; i < n; ++i) {
            rv[i] = b[std::size_t(i)];
            rq[i] += c * rv[i];
        }
        for (int i = 0; i < system_.relaxing(); ++i) rz[i] /= 1 + c * relaxation_[std::size_t(i)];
    }

    bool newton(double t, double c) {
        if (factored_ == 0.0 && !current_mass_ && !ever_ && !refresh(t, predicted_.data())) return false;
        ever_ = true;
        if (!factorize(c)) return false;
        const double tolerance = std::fmax(10 * 2.3e-16 / rtol_, std::fmin(0.03, std::sqrt(rtol_)));
        std::fill(d_.begin(), d_.end(), 0.0);
        std::copy(predicted_.begin(), predicted_.end(), trial_.begin());
        double before = -1;
        const int most = system_.kinks() ? 2 * most_iterations : most_iterations;
        for (iterations_ = 1; iterations_ <= most; ++iterations_) {
            if (!derivative(t, trial_.data(), rate_.data())) return false;
            ++counts_.iterations;
            if (system_.kinks()) {
                system_.tangent(t, trial_.data(), other_.data(), relaxation_.data());
                if (!std::equal(entries(other_, 0), entries(other_, 0) + 2 * system_.size(), entries(stiffness_, 0))) {
                    stiffness_.swap(other_);
                    factored_ = 0.0;
                    if (!factorize(c)) return false;
                    before = -1;  // another equation: what came before says nothing about its convergence
                }
            }
            for (std::size_t i = 0; i < d_.size(); ++i) residual_[i] = c * rate_[i] - psi_[i] - d_[i];
            solve(c, residual_.data());
            const double size = norm(residual_.data());
            if (!std::isfinite(size)) return false;
            const double ratio = before > 0 ? size / before : -1;
            const bool negligible = size < 1e-2 * tolerance;  // where only rounding is left, no ratio means anything
            if (!negligible && ratio >= 0 &&
                (ratio >= 1 || std::pow(ratio, most - iterations_) / (1 - ratio) * size > tolerance))
                return false;
            for (std::size_t i = 0; i < d_.size(); ++i) {
                d_[i] += residual_[i];
                trial_[i] = predicted_[i] + d_[i];
            }
            if (negligible || (ratio >= 0 && ratio / (1 - ratio) * size < tolerance)) return true;
            before = size;
        }
        return false;
    }

    void choose_order(double error) {
        auto& D = differences_;
        const std::size_t k = std::size_t(order_);
        const double lower = order_ > 1 ? error_constant(order_ - 1) * norm(D[k].data()) : 1e300;
        const double higher = order_ < highest_order_ ? error_constant(order_ + 1) * norm(D[k + 2].data()) : 1e300;
        double best = 0;
        int change = 0;
        const double errors[] = {lower, error, higher};
        for (int j = -1; j <= 1; ++j) {
            const double factor = std::pow(std::fmax(errors[j + 1], 1e-30), -1.0 / (order_ + j + 1));
            if (errors[j + 1] < 1e299 && factor > best) best = factor, change = j;
        }
        order_ += change;
        rescale(std::fmin(10.0, safety() * best));
    }

    // Differences for steps of factor · h: D ← (R U)ᵀ D.
    void rescale(double factor) {
        const int k = order_;
        double r[highest + 1][highest + 1], u[highest + 1][highest + 1];
        const auto fill = [k](double (&m)[highest + 1][highest + 1], double f) {
            for (int j = 0; j <= k; ++j) {
                m[0][j] = 1;
                for (int i = 1; i <= k; ++i) m[i][j] = m[i - 1][j] * (j == 0 ? 0.0 : (i - 1 - f * j) / i);
            }
        };
        fill(r, factor);
        fill(u, 1);
        double ru[highest + 1][highest + 1];
        for (int i = 0; i <= k; ++i)
            for (int j = 0; j <= k; ++j) {
                ru[i][j] = 0;
                for (int l = 0; l <= k; ++l) ru[i][j] += r[i][l] * u[l][j];
            }
        for (std::size_t e = 0; e < differences_[0].size(); ++e) {
            double old[highest + 1];
            for (int i = 0; i <= k; ++i) old[i] = differences_[std::size_t(i)][e];
            for (int j = 0; j <= k; ++j) {
                double sum = 0;
                for (int i = 0; i <= k; ++i) sum += ru[i][j] * old[i];
                differences_[std::size_t(j)][e] = sum;
            }
        }
        h_ *= factor;
        equal_steps_ = 0;
    }

    static constexpr int most_iterations = 4;

    System& system_;
    const double rtol_;
    const std::vector<double> atol_;  // of q, v and z
    const double longest_step_;
    const int highest_order_;
    double t_ = 0, h_ = 0, last_h_ = 0;
    int order_ = 1, last_order_ = 1, equal_steps_ = 0, iterations_ = 0;
    bool started_ = false, current_mass_ = false, ever_ = false, hopeless_ = false;
    bool refused_ = false;  // whether the system did not hold somewhere in this attempt
    double factored_ = 0.0;
    Counts counts_;
    std::array<std::vector<double>, highest + 3> differences_, dense_;
    std::vector<double> predicted_, psi_, d_, scale_, trial_, rate_, residual_, scratch_, mass_, relaxation_, factor_;
    std::vector<Symmetric<double>> stiffness_, other_, damping_;
    mutable std::vector<double> right_;
};

}  // namespace continuarm
