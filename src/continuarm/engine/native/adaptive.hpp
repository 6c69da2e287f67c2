// Stiff integration without returning to Python: backward differences of order 1 to 5 with quasi-constant steps (the
// numerical differentiation formulas of Shampine and Reichelt, 1997). The control of order and step follows SciPy's
// implementation, scipy.integrate.BDF.
//
// The Newton iteration uses what is stiff, which is known exactly: M + c D + c² K, with M and K from the last time that
// c changed or the iteration was slow. Everything else (gravity, Coriolis terms, inputs) enters through the residual
// alone. All work of a step is linear in the size of the system, and nothing is allocated in it.

#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "difference_tables.hpp"

namespace continuarm {

// Rows of numbers one after another, each padded with zeros to whole cache lines: loops over them need no remainder.
class PaddedRows {
public:
    PaddedRows(std::size_t rows, std::size_t width)
        : stride_((width + 7) / 8 * 8), memory_(rows * stride_ + 7, 0.0), first_(aligned(memory_.data())) {}
    PaddedRows(const PaddedRows&) = delete;
    PaddedRows& operator=(const PaddedRows&) = delete;

    std::size_t stride() const { return stride_; }
    double* row(std::size_t k) { return first_ + k * stride_; }
    const double* row(std::size_t k) const { return first_ + k * stride_; }

private:
    static double* aligned(double* address) {
        return reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(address) + 63) & ~std::uintptr_t(63));
    }

    std::size_t stride_;
    std::vector<double> memory_;
    double* first_;
};

// System: what is integrated. y = (q, v, z, w): z is remembered; w is summed up and drives nothing, so that it has no
// part in errors and iterations. Slopes of y by parameters may follow it, each as wide as y: they are integrated with
// it, their errors count a tenth of its own, and J is taken at y alone. It has
//     size(), relaxing(), width()     how many numbers q, z and y have
//     parameters()                    how many slopes follow
//     const DifferenceLoops& loops()  of the instruction set in use
//     bool rate(t, y, out)            ẏ; false where the model does not hold
//     bool linearize(t, y)            takes J, of what is stiff, at y; false where the model does not hold
//     void tangent(t, y)              only the part of J that may jump
//     bool kinks()                    whether that part jumps with y, as where stops are: the iteration then follows it
//     bool jumped(y)                  whether it is another at y than where it was taken
//     bool eliminate(c)               prepares 1 - c J; false where that has no inverse
//     void correct(c, r)              (1 - c J)⁻¹ r in place
template <class System>
class BackwardDifferences {
public:
    struct Counts {
        long evaluations = 0, steps = 0, rejected = 0, factorizations = 0, iterations = 0;
    };

    BackwardDifferences(System& system, const double* y, double rtol, const std::vector<double>& atol,
                        double longest_step, int highest_order)
        : system_(system),
          loops_(system.loops()),
          rtol_(rtol),
          longest_step_(longest_step),
          highest_order_(highest_order),
          blocks_(1 + std::size_t(system.parameters())),
          block_(std::size_t(system.width())),
          width_(blocks_ * block_),
          inverse_count_(1.0 / double(2 * system.size() + system.relaxing())),
          rows_(row_count, width_) {
        const std::size_t counted = atol.size() / blocks_;
        std::fill(rows_.row(atol_row), rows_.row(atol_row + 1), std::numeric_limits<double>::infinity());
        for (std::size_t b = 0; b < blocks_; ++b)
            std::copy_n(atol.begin() + std::ptrdiff_t(b * counted), counted, rows_.row(atol_row) + b * block_);
        std::copy(y, y + width_, difference(0));
    }

    double time() const { return t_; }
    const Counts& counts() const { return counts_; }
    const double* state() const { return rows_.row(0); }
    std::size_t width() const { return width_; }

    // Forgets the past: to be called where the input jumps.
    void restart(double end) {
        if (!restarted_) std::copy(difference(0), difference(0) + kept_rows * rows_.stride(), rows_.row(before_row));
        started_ = restarted_ = true;
        order_ = 1;
        equal_steps_ = 0;
        current_ = chooses_ = false;
        factored_ = 0.0;
        std::fill(difference(1), difference(highest + 3), 0.0);
        double* rate = rows_.row(rate_row);
        hopeless_ = !derivative(t_, state(), rate);
        if (hopeless_) return;
        // No shorter than what moves time: only a step that was rejected may be the reason to give up.
        h_ = std::fmin(std::fmax(first_step(end), 64 * std::numeric_limits<double>::epsilon() * std::fabs(t_)),
                       end - t_);
        for (std::size_t i = 0; i < width_; ++i) difference(1)[i] = h_ * rate[i];
    }

    // One accepted step, never past `end`.
    bool step(double end) {
        if (!started_) restart(end);
        if (hopeless_) return false;
        if (chooses_) choose_order();
        for (;;) {
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
            loops_.predict(order_, difference(0), stride(), rows_.row(predicted_row), rows_.row(psi_row));
            set_scale(rows_.row(predicted_row));
            const double c = h_ / differences::alpha(order_);
            refused_ = false;
            bool solved = newton(t_new, c);
            if (!solved && !current_) solved = linearize(t_new) && newton(t_new, c);
            if (!solved) {
                // Where the model ends there is no end to shorter steps: those that move nothing are accepted.
                if (refused_ && h_ < shortest_at_the_edge) return false;
                rescale(0.5);
                ++counts_.rejected;
                continue;
            }
            error_ = error_constant(order_) * norm(rows_.row(d_row));
            if (error_ > 1) {
                rescale(std::fmax(0.2, safety() * std::pow(error_, -1.0 / (order_ + 1))));
                ++counts_.rejected;
                continue;
            }
            ++counts_.steps;
            t_ = t_new;
            last_h_ = h_;
            last_order_ = order_;
            restarted_ = current_ = false;
            loops_.accept(order_, rows_.row(d_row), stride(), difference(0));
            chooses_ = ++equal_steps_ >= order_ + 1;
            return true;
        }
    }

    // The solution at a time inside the last step.
    void at(double t, double* y) const {
        const double* from = rows_.row(restarted_ ? std::size_t(before_row) : 0);
        double weights[highest], weight = 1.0;
        for (int k = 0; k < last_order_; ++k) {
            weight *= (t - (t_ - last_h_ * k)) / (last_h_ * (1 + k));
            weights[k] = weight;
        }
        loops_.interpolate(last_order_, weights, from, stride(), long(width_), y);
    }

private:
    static constexpr int highest = differences::highest_order, usual_iterations = 4, most_iterations = 6;
    static constexpr std::size_t kept_rows = highest + 1;
    static constexpr double least_ratio = 1e-4;           // that a first iteration may count on
    static constexpr double share_of_slopes = 0.1;        // by which their errors count: the state is asked for more
    static constexpr double shortest_at_the_edge = 1e-9;  // s: so well it is known when the model ends
    // Rows: the differences of order 0 to 7, and then the others; those before a restart, for times before it.
    enum Rows {
        predicted_row = highest + 3,
        psi_row,
        d_row,
        trial_row,
        rate_row,
        residual_row,
        weight_row,
        atol_row,
        before_row,
        row_count = before_row + highest + 1
    };

    double* difference(std::size_t k) { return rows_.row(k); }

    long stride() const { return long(rows_.stride()); }

    static double error_constant(int k) { return differences::error_constant(k); }
    double safety() const { return 0.9 * (2.0 * usual_iterations + 1) / (2.0 * usual_iterations + iterations_); }

    bool derivative(double t, const double* y, double* out) {
        ++counts_.evaluations;
        const bool holds = system_.rate(t, y, out);
        refused_ |= !holds;
        return holds;
    }

    // The root mean square of v over its tolerances, of the slopes too: the largest of them.
    double norm(const double* v) const {
        const double* weights = rows_.row(weight_row);
        if (blocks_ == 1) return std::sqrt(loops_.weighted_square(v, weights, stride()) * inverse_count_);
        double largest = 0.0;
        for (std::size_t first = 0; first < width_; first += block_) {
            double sum = 0.0;
            for (std::size_t i = first; i < first + block_; ++i) sum += (v[i] * weights[i]) * (v[i] * weights[i]);
            if (first > 0) sum *= share_of_slopes * share_of_slopes;
            if (!(sum <= largest)) largest = sum;
            if (std::isnan(sum)) break;
        }
        return std::sqrt(largest * inverse_count_);
    }

    void set_scale(const double* y) {
        loops_.weigh_errors(y, rows_.row(atol_row), rtol_, stride(), rows_.row(weight_row));
    }

    // Hairer, Nørsett and Wanner's starting step for order 1; the row of rates holds f(t, y).
    double first_step(double end) {
        set_scale(state());
        double *rate = rows_.row(rate_row), *trial = rows_.row(trial_row), *other = rows_.row(residual_row);
        const double d0 = norm(state()), d1 = norm(rate);
        double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
        h0 = std::fmin(h0, end - t_);
        for (std::size_t i = 0; i < width_; ++i) trial[i] = state()[i] + h0 * rate[i];
        double d2 = 0;
        if (derivative(t_ + h0, trial, other)) {
            for (std::size_t i = 0; i < width_; ++i) other[i] -= rate[i];
            d2 = norm(other) / h0;
        }
        const double largest = std::fmax(d1, d2);
        const double h1 = largest <= 1e-15 ? std::fmax(1e-6, h0 * 1e-3) : std::sqrt(0.01 / largest);
        return std::fmin(std::fmin(100 * h0, h1), std::fmin(end - t_, longest_step_));
    }

    bool linearize(double t) {
        if (!system_.linearize(t, rows_.row(predicted_row))) {
            refused_ = true;
            return false;
        }
        current_ = true;
        factored_ = 0.0;
        return true;
    }

    bool eliminate(double c) {
        if (factored_ == c) return true;
        ++counts_.factorizations;
        seen_ratio_ = 1.0;
        if (!system_.eliminate(c)) return false;
        factored_ = c;
        return true;
    }

    // d, by which the step differs from what was predicted. An iteration leaves a ratio of the error before it, which
    // is seen from the second on; until J or c changes the first one counts on twice the ratio that was seen last.
    bool newton(double t, double c) {
        if (factored_ != c && !current_ && !linearize(t)) return false;
        if (!eliminate(c)) return false;
        const double tolerance = std::fmax(10 * 2.3e-16 / rtol_, std::fmin(0.03, std::sqrt(rtol_)));
        const double *predicted = rows_.row(predicted_row), *psi = rows_.row(psi_row);
        double *d = rows_.row(d_row), *trial = rows_.row(trial_row);
        double *rate = rows_.row(rate_row), *residual = rows_.row(residual_row);
        std::fill(d, d + stride(), 0.0);
        const double* here = predicted;  // where the next iteration evaluates
        double before = -1;
        const bool kinks = system_.kinks();
        const int most = kinks ? 2 * most_iterations : most_iterations;
        for (iterations_ = 1; iterations_ <= most; ++iterations_) {
            if (!derivative(t, here, rate)) return false;
            ++counts_.iterations;
            if (kinks && system_.jumped(here)) {
                system_.tangent(t, here);
                factored_ = 0.0;
                if (!eliminate(c)) return false;
                before = -1;  // another equation: what came before says nothing about its convergence
            }
            loops_.residual_of(c, rate, psi, d, stride(), residual);
            system_.correct(c, residual);
            const double size = norm(residual);
            if (!std::isfinite(size)) return false;
            if (before > 0) seen_ratio_ = size / before;
            const bool negligible = size < 1e-2 * tolerance;  // where only rounding is left, no ratio means anything
            if (!negligible && before > 0 &&
                (seen_ratio_ >= 1 || left_after(most - iterations_, seen_ratio_) * size > tolerance))
                return false;
            loops_.corrected(residual, predicted, stride(), d, trial);
            here = trial;
            const double ratio = before > 0 ? seen_ratio_ : std::fmax(2 * seen_ratio_, least_ratio);
            if (negligible || (ratio < 1 && left_after(1, ratio) * size < tolerance)) return true;
            before = size;
        }
        return false;
    }

    // What is left of a correction after some more iterations, each of which leaves a ratio: ratioᵏ / (1 - ratio).
    static double left_after(int more, double ratio) {
        double left = 1 / (1 - ratio);
        for (; more > 0; --more) left *= ratio;
        return left;
    }

    void choose_order() {
        chooses_ = false;
        const std::size_t k = std::size_t(order_);
        const double lower = order_ > 1 ? error_constant(order_ - 1) * norm(difference(k)) : 1e300;
        const double higher = order_ < highest_order_ ? error_constant(order_ + 1) * norm(difference(k + 2)) : 1e300;
        double best = 0;
        int change = 0;
        const double errors[] = {lower, error_, higher};
        for (int j = -1; j <= 1; ++j) {
            if (errors[j + 1] > 1e299) continue;
            const double factor = std::pow(std::fmax(errors[j + 1], 1e-30), -1.0 / (order_ + j + 1));
            if (factor > best) best = factor, change = j;
        }
        order_ += change;
        rescale(std::fmin(10.0, safety() * best));
    }

    // Differences for steps of factor · h.
    void rescale(double factor) {
        loops_.rescale(order_, factor, stride(), difference(0));
        h_ *= factor;
        equal_steps_ = 0;
    }

    System& system_;
    const DifferenceLoops& loops_;
    const double rtol_, longest_step_;
    const int highest_order_;
    const std::size_t blocks_, block_, width_;  // y and its slopes, the numbers of each, and of all
    const double inverse_count_;                // of the numbers of a block that have tolerances: q, v and z
    double t_ = 0, h_ = 0, last_h_ = 1, error_ = 0;
    int order_ = 1, last_order_ = 0, equal_steps_ = 0, iterations_ = 0;
    bool started_ = false, restarted_ = false, hopeless_ = false;
    bool current_ = false;     // whether J was taken in this attempt
    bool chooses_ = false;     // whether the next step begins with another order and length
    bool refused_ = false;     // whether the system did not hold somewhere in this attempt
    double factored_ = 0.0;    // c for which 1 - c J is prepared
    double seen_ratio_ = 1.0;  // of the last two corrections with this J and c
    Counts counts_;
    PaddedRows rows_;
};

}  // namespace continuarm
