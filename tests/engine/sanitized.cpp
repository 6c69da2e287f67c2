// Runs every quantity for the arms and states in a file, on memory of exactly the right size, and compares with the
// results in the file: built with the address and undefined-behaviour sanitizers by test_sanitizers.py.

#undef CONTINUARM_LEVEL  // the kernels have their own, in a file of their own
#include <cmath>

#include "read_numbers.hpp"

namespace {

double* aligned(long count, void** memory) {
    if (posix_memalign(memory, 64, std::size_t(count) * sizeof(double)) != 0) std::exit(2);
    return static_cast<double*>(*memory);
}

}  // namespace

int main(int, char** arguments) {
    std::FILE* file = std::fopen(arguments[1], "rb");
    if (!file) return 2;
    const int cases = int(read(file)[0]);
    int compared = 0;
    for (int c = 0; c < cases; ++c) {
        const auto memory = read_arm(file);
        const Arm& arm = memory->arm();
        const long rows = long(read(file)[0]);
        const double places[3] = {0.0, 0.3, 1.0};
        for (int quantity = 0; quantity < quantity_count; ++quantity) {
            Request request{};
            request.step = 1e-4;
            request.quantity = Quantity(quantity);
            std::vector<double> inputs[3];
            for (int k = 0; k < input_count(request.quantity); ++k) {
                inputs[k] = read(file);
                request.inputs[k] = inputs[k].data();
            }
            if (request.quantity == poses_along) request.places = places, request.place_count = 3;
            const std::vector<double> wanted = read(file);
            if (long(wanted.size()) != rows * result_size(request.quantity, arm.n, request.place_count))
                return std::printf("quantity %d has another size\n", quantity), 1;
            std::vector<double> found(wanted.size());
            request.output = found.data();
            for (const long step : {1L, rows}) {  // one by one, then as a batch
                for (long first = 0; first < rows; first += step) {
                    request.first = first;
                    request.last = first + step;
                    void* scratch = nullptr;
                    double* work = aligned(work_size(arm, request), &scratch);
                    const Outcome outcome = KERNELS.run(arm, request, work);
                    std::free(scratch);
                    if (outcome != Outcome::done) return std::printf("quantity %d refused\n", quantity), 1;
                }
                double scale = 0.0;
                for (double value : wanted) scale = std::fmax(scale, std::fabs(value));
                for (std::size_t k = 0; k < wanted.size(); ++k, ++compared)
                    if (!(std::fabs(found[k] - wanted[k]) <= 1e-9 * scale))
                        return std::printf("case %d quantity %d entry %zu: %g, not %g\n", c, quantity, k, found[k],
                                           wanted[k]),
                               1;
            }
        }
    }
    std::fclose(file);
    std::printf("%d numbers compared\n", compared);
    return 0;
}
