// Commands over time: straight lines from knot to knot, with jumps at the knots; the last is held.

#pragma once

#define CONTINUARM_LEVEL scalar  // the steps for one double, in a namespace of their own
#include "numbers.hpp"
#include "generated/steps.hpp"

#include <algorithm>
#include <vector>

namespace continuarm {

class CommandsOverTime {
public:
    CommandsOverTime() = default;
    // begin: right after each knot; end: right before the next.
    CommandsOverTime(const double* times, const double* begin, const double* end, std::size_t knots, std::size_t width)
        : times_(times, times + knots),
          begin_(begin, begin + knots * width),
          end_(end, end + knots * width),
          width_(width) {
        for (std::size_t k = 0; k < knots; ++k)
            held_.push_back(last(k) || std::equal(after(k), after(k + 1), before(k)));
    }

    bool last(std::size_t segment) const { return segment + 1 >= times_.size(); }
    double until(std::size_t segment) const { return last(segment) ? 1e300 : times_[segment + 1]; }
    bool is_held(std::size_t segment) const { return held_[segment]; }
    bool jumps_after(std::size_t segment) const {
        return !std::equal(before(segment), before(segment + 1), after(segment + 1));
    }

    template <class Real>
    void at(double t, std::size_t segment, Real* out) const {
        const double *from = after(segment), *to = before(segment);
        if (held_[segment]) {
            std::copy(from, from + width_, out);
            return;
        }
        const double start = times_[segment], stop = times_[segment + 1];
        for (std::size_t i = 0; i < width_; ++i)
            if (from[i] == to[i]) {
                out[i] = from[i];
            } else {
                double value;
                scalar::ramp(from + i, to + i, &t, &start, &stop, &value);
                out[i] = value;
            }
    }

    // Whether commands change in another way before a time that begins in this segment or later is over.
    bool divide(double from, double to, std::size_t segment) const {
        while (until(segment) <= from) ++segment;
        return until(segment) < to;
    }

    // The mean over a time, which may begin in this segment and end in a later one, which is then the segment. The
    // first commands have a threshold each, above which they act; the mean has its derivatives where thresholds have.
    template <class Real>
    void mean(double from, double to, const std::vector<Real>& thresholds, std::size_t& segment, Real* out) const {
        while (until(segment) <= from) ++segment;
        if (until(segment) >= to) return at((from + to) / 2, segment, out);
        std::vector<Real> part(width_), above(width_, Real(0.0));
        std::fill(out, out + width_, Real(0.0));
        for (double here = from; here < to;) {
            const double next = std::min(until(segment), to);
            const Real share((next - here) / (to - from));
            at((here + next) / 2, segment, part.data());
            for (std::size_t i = 0; i < width_; ++i) {
                const Real threshold = i < thresholds.size() ? thresholds[i] : Real(0.0);
                scalar::part_of_mean(out + i, &above[i], &part[i], &threshold, &share, out + i, &above[i]);
            }
            here = next;
            if (here < to) ++segment;
        }
        for (std::size_t i = 0; i < thresholds.size(); ++i)
            scalar::acting_mean(out + i, &above[i], &thresholds[i], out + i);
    }

private:
    const double* after(std::size_t knot) const { return begin_.data() + knot * width_; }
    const double* before(std::size_t knot) const { return end_.data() + knot * width_; }

    std::vector<double> times_, begin_, end_;
    std::vector<bool> held_;
    std::size_t width_ = 0;
};

}  // namespace continuarm
