// Runs every quantity for the arms and states in a file, on memory of exactly the right size, and compares with the
// results in the file: built with the address and undefined-behaviour sanitizers by test_sanitizers.py.

#include "kernels.cpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace continuarm;

namespace {

std::vector<double> read(std::FILE* file, std::size_t count) {
    std::vector<double> numbers(count);
    if (count && std::fread(numbers.data(), sizeof(double), count, file) != count) std::exit(2);
    return numbers;
}

double* aligned(long count, void** memory) {
    if (posix_memalign(memory, 64, std::size_t(count) * sizeof(double)) != 0) std::exit(2);
    return static_cast<double*>(*memory);
}

}  // namespace

int main(int, char** arguments) {
    std::FILE* file = std::fopen(arguments[1], "rb");
    if (!file) return 2;
    const int cases = int(read(file, 1)[0]);
    int compared = 0;
    for (int c = 0; c < cases; ++c) {
        const std::vector<double> head = read(file, 4);  // n, integral, rows, stops per section
        const int n = int(head[0]), rows = int(head[2]), stops_each = int(head[3]);
        const std::vector<double> sections = read(file, std::size_t(n) * CONTINUARM_LEVEL::section_size);
        const std::vector<double> base = read(file, 3 + 12 + 1 + 3);
        const std::vector<double> stop_numbers = read(file, std::size_t(n) * std::size_t(stops_each) * 6);
        std::vector<Stop> stops;
        for (int k = 0; k < n * stops_each; ++k) {
            const double* from = stop_numbers.data() + 6 * k;
            stops.push_back({{from[0], from[1], from[2]}, {from[3], from[4]}, {from[5]}});
        }
        std::vector<int> first_stop;
        for (int i = 0; i <= n; ++i) first_stop.push_back(i * stops_each);
        Arm arm{};
        arm.n = n;
        arm.integral = head[1] != 0.0;
        arm.sections = sections.data();
        arm.stops = stops.data();
        arm.first_stop = first_stop.data();
        for (int k = 0; k < 3; ++k) arm.gravity[k] = base[k];
        for (int k = 0; k < 12; ++k) arm.base_frame[k] = base[3 + k];
        arm.payload_mass[0] = base[15];
        for (int k = 0; k < 3; ++k) arm.payload_offset[k] = base[16 + k];

        const std::vector<double> states[3] = {read(file, 3L * n * rows), read(file, 3L * n * rows), read(file, 3L * n * rows)};
        const double places[3] = {0.0, 0.3, 1.0};
        for (int quantity = 0; quantity < quantity_count; ++quantity) {
            Request request{};
            request.step = 1e-4;
            request.quantity = Quantity(quantity);
            for (int k = 0; k < input_count(request.quantity); ++k) request.inputs[k] = states[k].data();
            if (request.quantity == damping_forces) request.inputs[0] = states[1].data();
            if (request.quantity == poses_along) request.places = places, request.place_count = 3;
            const long width = result_size(request.quantity, n, request.place_count);
            const std::vector<double> wanted = read(file, std::size_t(width * rows));
            std::vector<double> found(wanted.size());
            request.output = found.data();
            for (const long step : {1L, long(rows)}) {  // one by one, then as a batch
                for (long first = 0; first < rows; first += step) {
                    request.first = first;
                    request.last = first + step;
                    void* memory = nullptr;
                    double* work = aligned(CONTINUARM_LEVEL::scratch_size(arm, request), &memory);
                    const Outcome outcome = CONTINUARM_LEVEL::run(arm, request, work);
                    std::free(memory);
                    if (outcome != Outcome::done) return std::printf("quantity %d refused\n", quantity), 1;
                }
                double scale = 0.0;
                for (double value : wanted) scale = std::fmax(scale, std::fabs(value));
                for (std::size_t k = 0; k < wanted.size(); ++k, ++compared)
                    if (!(std::fabs(found[k] - wanted[k]) <= 1e-9 * scale))
                        return std::printf("case %d quantity %d entry %zu: %g, not %g\n", c, quantity, k, found[k], wanted[k]), 1;
            }
        }
    }
    std::fclose(file);
    std::printf("%d numbers compared\n", compared);
    return 0;
}
