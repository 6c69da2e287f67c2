#include "array_calls.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "batches.hpp"

namespace continuarm {

namespace {

// Which row of an operand belongs to a row of the result.
class Broadcast {
public:
    Broadcast(const Operand& operand, const Operand& result, long width, const char* what) : width_(width) {
        const std::size_t axes = result.shape.size();
        bool fits = axes >= 1 && operand.shape.size() == axes && operand.shape.back() == width;
        for (std::size_t k = 0; fits && k + 1 < axes; ++k)
            fits = operand.shape[k] == result.shape[k] || operand.shape[k] == 1;
        if (!fits) throw std::invalid_argument(std::string(what) + " of an arm's quantity do not fit to its result");
        long stride = 1;
        for (std::size_t k = axes - 1; k-- > 0;) {
            lengths_.push_back(long(result.shape[k]));
            strides_.push_back(operand.shape[k] == result.shape[k] ? stride : 0);
            stride *= long(operand.shape[k]);
            full_ &= operand.shape[k] == result.shape[k];
        }
    }

    bool full() const { return full_; }

    // How many rows of the result one after another share a row of the operand.
    long shared() const {
        long rows = 1;
        for (std::size_t k = 0; k < lengths_.size() && (strides_[k] == 0 || lengths_[k] == 1); ++k) rows *= lengths_[k];
        return rows;
    }

    long row(long index) const {
        long found = 0;
        for (std::size_t k = 0; k < lengths_.size(); ++k) {
            found += index % lengths_[k] * strides_[k];
            index /= lengths_[k];
        }
        return found;
    }

    // The rows of the operand, those that are shared written out in `memory`.
    const double* rows(const Operand& operand, long count, std::vector<double>& memory) const {
        if (full_) return operand.data;
        memory.resize(std::size_t(count * width_));
        for (long k = 0; k < count; ++k)
            std::memcpy(memory.data() + k * width_, operand.data + row(k) * width_,
                        std::size_t(width_) * sizeof(double));
        return memory.data();
    }

private:
    long width_;
    std::vector<long> lengths_, strides_;  // the last axis first
    bool full_ = true;
};

// An arm whose numbers are a row, which must outlive it.
Arm arm_of(const ArrayCall& call, const std::vector<int>& first_stop, const double* numbers) {
    Arm arm{};
    arm.n = int(call.stops.size());
    arm.integral = call.integral;
    arm.first_stop = first_stop.data();
    arm.sections = reinterpret_cast<const Section<double>*>(numbers);
    numbers += arm.n * long(Section<double>::size);
    arm.stops = reinterpret_cast<const Stop<double>*>(numbers);
    numbers += first_stop.back() * long(Stop<double>::size);
    std::copy(numbers, numbers + 3, arm.gravity);
    std::memcpy(&arm.base_frame, numbers + 3, sizeof(arm.base_frame));
    numbers += 3 + Frame<double>::size;
    arm.payload_mass[0] = numbers[0];
    std::copy(numbers + 1, numbers + 4, arm.payload_offset);
    return arm;
}

// Whether nothing is asked of a row: its gradient is then zero, also where the model does not hold.
bool weighs_nothing(const Arm& arm, const Request& request, long row) {
    if (!request.weights) return false;
    const long results = result_size(request.quantity, arm.n, 0);
    const double* weights = request.weights + row * results;
    return std::all_of(weights, weights + results, [](double weight) { return weight == 0.0; });
}

// Rows first to last; those that are not good are NaN. Halves are tried where something is not: a run ends there, so
// that a few bad rows among many cost little.
void run_or_nan(const Arm& arm, Request request, long width, int threads) {
    if (request.first >= request.last || run_threads(arm, request, threads) == Outcome::done) return;
    if (request.last - request.first == 1) {
        const bool nothing = weighs_nothing(arm, request, request.first);
        std::fill_n(request.output + request.first * width, width,
                    nothing ? 0.0 : std::numeric_limits<double>::quiet_NaN());
        return;
    }
    const long middle = request.first + (request.last - request.first) / 2;
    Request left = request, right = request;
    left.last = right.first = middle;
    run_or_nan(arm, left, width, threads);
    run_or_nan(arm, right, width, threads);
}

// Adds how one row of results changes along a tangent of the arm's numbers: Σ (∂result/∂number) tangent, each result's
// derivatives by a pass backward.
void add_along_numbers(const Arm& arm, const Request& request, long row, const double* tangent, double* out) {
    const long results = result_size(request.quantity, arm.n, 0), inputs = input_numbers(request.quantity, arm.n);
    Request backward = request;
    backward.constants = true;
    const long width = gradient_size(arm, backward);
    std::vector<double> repeated[3], unit(std::size_t(results * results), 0.0), gradients(std::size_t(results * width));
    for (int k = 0; k < input_count(request.quantity); ++k) {
        const long size = input_width(request.quantity, k, arm.n);
        const double* begin = request.inputs[k] + row * size;
        for (long r = 0; r < results; ++r) repeated[k].insert(repeated[k].end(), begin, begin + size);
        backward.inputs[k] = repeated[k].data();
        backward.tangents[k] = nullptr;
    }
    for (long r = 0; r < results; ++r) unit[std::size_t(r * results + r)] = 1.0;
    backward.weights = unit.data();
    backward.output = gradients.data();
    backward.first = 0;
    backward.last = results;
    run_or_nan(arm, backward, width, 1);
    for (long r = 0; r < results; ++r)
        for (long j = inputs; j < width; ++j) out[r] += gradients[std::size_t(r * width + j)] * tangent[j - inputs];
}

}  // namespace

void run(const ArrayCall& call) {
    const long n = long(call.stops.size());
    std::vector<int> first_stop(1, 0);
    for (const std::int64_t count : call.stops) {
        if (count < 0 || count > 1000) throw std::invalid_argument("an arm's stops are not good");
        first_stop.push_back(first_stop.back() + int(count));
    }
    if (n == 0 || call.operands.empty() || call.result.shape.empty() || !(call.step >= 0.0))
        throw std::invalid_argument("an arm's quantity has too few arguments");
    long rows = 1;
    for (std::size_t k = 0; k + 1 < call.result.shape.size(); ++k) rows *= long(call.result.shape[k]);

    const Quantity quantity = call.quantity;
    const std::size_t count = std::size_t(input_count(quantity));
    const bool along = call.mode == Mode::tangent;
    const std::size_t more = call.mode == Mode::value ? 0 : along ? count + (call.constants ? 1 : 0) : 1;
    if (call.operands.size() != 1 + count + more)
        throw std::invalid_argument("an arm's quantity has the wrong number of arguments");

    const Arm shape = arm_of(call, first_stop, call.operands[0].data);
    const long constants = constant_numbers(shape), results = result_size(quantity, n, 0);
    Request request{};
    request.quantity = quantity;
    request.step = call.step;
    request.constants = call.constants && call.mode == Mode::gradient;
    const long width = call.mode == Mode::gradient ? gradient_size(shape, request) : results;
    if (call.result.shape.back() != width)
        throw std::invalid_argument("the result of an arm's quantity has the wrong width");

    const Broadcast numbers(call.operands[0], call.result, constants, "the numbers");
    std::vector<double> memory[7];
    for (std::size_t k = 0; k < count; ++k) {
        const long size = input_width(quantity, int(k), n);
        const Operand& input = call.operands[1 + k];
        request.inputs[k] = Broadcast(input, call.result, size, "the inputs").rows(input, rows, memory[k]);
        if (!along) continue;
        const Operand& tangent = call.operands[1 + count + k];
        request.tangents[k] = Broadcast(tangent, call.result, size, "the tangents").rows(tangent, rows, memory[3 + k]);
    }
    if (call.mode == Mode::gradient) {
        const Operand& weights = call.operands[1 + count];
        request.weights = Broadcast(weights, call.result, results, "the weights").rows(weights, rows, memory[6]);
    }
    request.output = call.result.data;
    const long shared = std::max(1L, numbers.shared());
    for (long first = 0; first < rows; first += shared) {
        request.first = first;
        request.last = std::min(rows, first + shared);
        run_or_nan(arm_of(call, first_stop, call.operands[0].data + numbers.row(first) * constants), request, width,
                   call.threads);
    }
    if (!along || !call.constants) return;
    const Operand& turned = call.operands.back();
    const Broadcast tangents(turned, call.result, constants, "the tangents of the numbers");
    for (long row = 0; row < rows; ++row)
        add_along_numbers(arm_of(call, first_stop, call.operands[0].data + numbers.row(row) * constants), request, row,
                          turned.data + tangents.row(row) * constants, call.result.data + row * width);
}

}  // namespace continuarm
