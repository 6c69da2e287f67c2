// Integrates the motion in a file with both compiled methods, on memory of exactly the right size, and prints where it
// ends: built with the address and undefined-behaviour sanitizers by test_sanitizers.py.

#undef CONTINUARM_LEVEL  // the kernels have their own, in a file of their own
#include "motions.hpp"

#include "read_numbers.hpp"

namespace {

void print(const std::vector<double>& numbers) {
    for (double number : numbers) std::printf("%.17g ", number);
    std::printf("\n");
}

std::vector<long> whole(const std::vector<double>& numbers) { return {numbers.begin(), numbers.end()}; }

}  // namespace

int main(int, char** arguments) {
    std::FILE* file = std::fopen(arguments[1], "rb");
    if (!file) return 2;
    const auto arm = read_arm(file);
    const std::vector<double> head = read(file);  // muscles of each section, remembers
    const Rows muscles = rows_of(read(file), Muscle<double>::size),
               valves = rows_of(read(file), ValveStep<double>::size),
               branches = rows_of(read(file), Branch<double>::size),
               kept = rows_of(read(file), BranchStep<double>::size);
    const std::vector<long> states = whole(read(file)), commands = whole(read(file));
    const PlantMemory plant(arm->arm(), by_section(muscles, arm->arm().n, int(head[0])), valves, branches, kept,
                            head[1] != 0.0, states, commands);
    const std::vector<double> atol = read(file), start = read(file), thresholds = read(file);
    const double end = read(file)[0];
    const std::vector<double> times = read(file), begin = read(file), after = read(file);
    const CommandsOverTime drive(times.data(), begin.data(), after.data(), times.size(), std::size_t(plant.commands()));

    AdaptiveMotion adaptive(plant, kernels_baseline, start, 1e-8, atol, 1e300, 5);
    adaptive.drive(drive);
    std::vector<double> state(start.size());
    if (adaptive.advance(&end, 1, state.data(), 1e9, 1e9) != 1) return 3;
    print(state);

    SteppedMotion stepped(plant, kernels_baseline, start, thresholds, 1e-3);
    stepped.drive(drive);
    const long steps = std::lround(end * 1000);
    std::vector<double> rows(std::size_t(steps) * start.size());
    if (stepped.advance(rows.data(), steps) != steps) return 4;
    print(stepped.state());

    // with slopes by parameters, none at the start
    const std::vector<double> sloped_atol = read(file), slopes = read(file), step_slopes = read(file),
                              threshold_slopes = read(file);
    const std::size_t blocks = 1 + threshold_slopes.size() / thresholds.size();
    std::vector<double> sloped_start(blocks * start.size(), 0.0);
    std::copy(start.begin(), start.end(), sloped_start.begin());
    AdaptiveMotion sloped(plant, kernels_baseline, sloped_start, 1e-8, sloped_atol, 1e300, 5, slopes, threshold_slopes);
    sloped.drive(drive);
    state.resize(sloped_start.size());
    if (sloped.advance(&end, 1, state.data(), 1e9, 1e9) != 1) return 5;
    print(state);

    SteppedMotion sloped_steps(plant, kernels_baseline, sloped_start, thresholds, 1e-3, step_slopes, threshold_slopes);
    sloped_steps.drive(drive);
    rows.resize(std::size_t(steps) * sloped_start.size());
    if (sloped_steps.advance(rows.data(), steps) != steps) return 6;
    print(sloped_steps.state());
    return 0;
}
