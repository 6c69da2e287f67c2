// Integrates the motion in a file with both compiled methods, on memory of exactly the right size, and prints where it
// ends: built with the address and undefined-behaviour sanitizers by test_sanitizers.py.

#undef CONTINUARM_LEVEL  // the kernels have their own, in a file of their own
#include "plant.hpp"

#include "bdf.hpp"

#include <cstdio>
#include <cstdlib>

using namespace continuarm;

namespace {

std::vector<double> read(std::FILE* file, std::size_t count) {
    std::vector<double> numbers(count);
    if (count && std::fread(numbers.data(), sizeof(double), count, file) != count) std::exit(2);
    return numbers;
}

void print(const double* numbers, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) std::printf("%.17g ", numbers[k]);
    std::printf("\n");
}

}  // namespace

int main(int, char** arguments) {
    std::FILE* file = std::fopen(arguments[1], "rb");
    if (!file) return 2;
    const std::vector<double> head = read(file, 5);  // n, stops and muscles per section, knots, end
    const int n = int(head[0]), stops_each = int(head[1]), muscles_each = int(head[2]);
    const std::size_t knots = std::size_t(head[3]), size = 3 * std::size_t(n);
    const double end = head[4];
    const std::vector<double> sections = read(file, std::size_t(n) * scalar::section_size);
    const std::vector<double> base = read(file, 3 + 12 + 1 + 3);
    const std::vector<double> stop_numbers = read(file, std::size_t(n * stops_each) * 6);
    std::vector<Stop> stops;
    for (int k = 0; k < n * stops_each; ++k) {
        const double* from = stop_numbers.data() + 6 * k;
        stops.push_back({{from[0], from[1], from[2]}, {from[3], from[4]}, {from[5]}});
    }
    std::vector<int> first_stop;
    for (int i = 0; i <= n; ++i) first_stop.push_back(i * stops_each);
    Arm arm{};
    arm.n = n;
    arm.integral = true;
    arm.sections = sections.data();
    arm.stops = stops.data();
    arm.first_stop = first_stop.data();
    std::copy(base.begin(), base.begin() + 3, arm.gravity);
    std::copy(base.begin() + 3, base.begin() + 15, arm.base_frame);
    arm.payload_mass[0] = base[15];
    std::copy(base.begin() + 16, base.end(), arm.payload_offset);

    std::vector<Plant::Actuator> actuators;
    const std::vector<double> muscle_numbers = read(file, std::size_t(n * muscles_each) * (4 + scalar::actuator_size));
    for (int k = 0; k < n * muscles_each; ++k) {
        const double* from = muscle_numbers.data() + k * (4 + scalar::actuator_size);
        Plant::Actuator each{};
        each.section = int(from[0]);
        std::copy(from + 1, from + 4, each.row);
        std::copy(from + 4, from + 4 + scalar::actuator_size, each.constants);
        each.lagged = each.constants[3] > 0;
        actuators.push_back(each);
    }
    std::vector<double> work;
    Plant plant(
        arm,
        [&](const Request& request) {
            work.resize(std::size_t(work_size(arm, request)) + 8);
            const auto address = reinterpret_cast<std::uintptr_t>(work.data());
            return run_baseline(arm, request, reinterpret_cast<double*>((address + 63) & ~std::uintptr_t(63))) == Outcome::done;
        },
        actuators, true);
    const std::vector<double> damping = read(file, size * size), atol = read(file, 2 * size + plant.memory());
    const std::vector<double> start = read(file, plant.width());
    Drive drive;
    drive.width = plant.commands();
    drive.times = read(file, knots);
    drive.begin = read(file, knots * drive.width);
    drive.end = read(file, knots * drive.width);

    std::vector<double> commands(plant.commands());
    std::size_t segment = 0;
    Bdf::Problem problem;
    problem.size = int(size);
    problem.relaxing = int(plant.memory());
    problem.summed = 2;
    problem.rtol = 1e-8;
    problem.atol = atol;
    problem.damping = damping;
    problem.rate = [&](double t, const double* y, double* out) {
        drive.at(t, segment, commands.data());
        return plant.rate(commands.data(), y, out);
    };
    problem.mass = [&](const double* y, double* out) { return plant.mass(y, out); };
    problem.stiffness = [&](double t, const double* y, double* stiffness, double* relaxation) {
        drive.at(t, segment, commands.data());
        plant.stiffness(commands.data(), y, stiffness, relaxation);
    };
    problem.kinks = true;
    Bdf bdf(std::move(problem), 0.0, start.data());
    std::vector<double> here(plant.width());
    bdf.at(0.0, here.data());
    while (bdf.time() < end) {
        if (bdf.time() >= drive.until(segment)) {
            if (drive.jumps_after(segment++)) bdf.restart(std::fmin(drive.until(segment), end));
        }
        if (!bdf.step(std::fmin(drive.until(segment), end))) return 3;
        bdf.at(bdf.time(), here.data());
    }
    print(here.data(), here.size());

    std::vector<double> state = start;
    segment = 0;
    const long steps = std::lround(end * 1000);
    for (long k = 0; k < steps; ++k) {
        drive.mean(double(k) * 1e-3, double(k + 1) * 1e-3, plant.thresholds(), segment, commands.data());
        if (!plant.step(commands.data(), 1e-3, state.data())) return 4;
    }
    print(state.data(), state.size());
    return 0;
}
