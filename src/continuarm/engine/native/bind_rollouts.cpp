// Many arms of one layout, stepped together.

#include <nanobind/nanobind.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

#include "arrays.hpp"
#include "levels.hpp"
#include "memory.hpp"
#include "module.hpp"

namespace continuarm {

namespace {

// Arms in groups of as many as there are lanes, their constants and states lane by lane.
class Rollouts {
public:
    // constants: (arms, constant_count); kinds: (arms,), only arms of equal kind may be in one group.
    Rollouts(const Plant& layout, const double* constants, const double* kinds, long count, double step)
        : layout_(layout),
          kernels_(rollout_kernels()),
          lanes_(kernels_.lanes),
          count_(count),
          step_(step),
          constant_count_(constant_count(layout)),
          stopped_(std::size_t(count), -1.0),
          refused_(std::size_t(count * layout.width), 0.0) {
        std::vector<long> order(static_cast<std::size_t>(count));
        std::iota(order.begin(), order.end(), 0L);
        std::stable_sort(order.begin(), order.end(), [kinds](long a, long b) { return kinds[a] < kinds[b]; });
        for (long row : order) {
            if (groups_.empty() || long(groups_.back().size()) == lanes_ || kinds[groups_.back()[0]] != kinds[row])
                groups_.emplace_back();
            groups_.back().push_back(row);
        }
        const long groups = long(groups_.size());
        constants_ = constant_memory_.of(groups * constant_count_ * lanes_);
        states_ = state_memory_.of(groups * layout.width * lanes_);
        for (long g = 0; g < groups; ++g) pack(g, constants, constant_count_, constants_, nullptr);
    }
    Rollouts(const Rollouts&) = delete;
    Rollouts& operator=(const Rollouts&) = delete;

    long count() const { return count_; }
    const Plant& layout() const { return layout_; }

    // States of the arms that are chosen, which go on from there.
    void put(const double* states, const double* chosen) {
        const std::lock_guard<std::mutex> alone(mutex_);
        for (long g = 0; g < long(groups_.size()); ++g) pack(g, states, layout_.width, states_, chosen);
        for (long row = 0; row < count_; ++row)
            if (chosen[row] != 0.0) stopped_[std::size_t(row)] = -1.0;
    }

    // Other constants of the arms that are chosen; each stays of the kind that it was.
    void exchange(const double* constants, const double* chosen) {
        const std::lock_guard<std::mutex> alone(mutex_);
        for (long g = 0; g < long(groups_.size()); ++g) pack(g, constants, constant_count_, constants_, chosen);
    }

    // Where all arms are, the steps after which they left the model's range or -1, and the states that ended them.
    void look(double* states, double* stopped, double* refused) {
        const std::lock_guard<std::mutex> alone(mutex_);
        const long width = layout_.width;
        for (long g = 0; g < long(groups_.size()); ++g)
            for (long l = 0; l < long(groups_[std::size_t(g)].size()); ++l)
                for (long j = 0; j < width; ++j)
                    states[groups_[std::size_t(g)][std::size_t(l)] * width + j] = states_[(g * width + j) * lanes_ + l];
        std::copy(stopped_.begin(), stopped_.end(), stopped);
        std::copy(refused_.begin(), refused_.end(), refused);
    }

    // What look gave, of arms like these.
    void restore(const double* states, const double* stopped, const double* refused) {
        put(states, std::vector<double>(std::size_t(count_), 1.0).data());
        const std::lock_guard<std::mutex> alone(mutex_);
        std::copy_n(stopped, stopped_.size(), stopped_.begin());
        std::copy_n(refused, refused_.size(), refused_.begin());
    }

    // arms: (count), with commands and outputs; in order of their rows.
    void advance(RolloutRequest request, std::vector<RolloutArm>& arms, long threads) {
        const std::lock_guard<std::mutex> alone(mutex_);
        request.step = step_;
        for (long row = 0; row < count_; ++row) {
            arms[std::size_t(row)].stopped = &stopped_[std::size_t(row)];
            arms[std::size_t(row)].refused = &refused_[std::size_t(row * layout_.width)];
        }
        constexpr long least = 256;  // steps of a group below which a thread costs more than it saves
        const long groups = long(groups_.size());
        const long wanted = std::max(1L, std::min({threads, groups, groups * (request.count + 1) / least}));
        std::atomic<long> next{0};
        std::vector<std::exception_ptr> faults(static_cast<std::size_t>(wanted));
        const auto work = [&](long k) {
            try {
                Workspace workspace;
                double* memory = workspace.of(rollout_work_size(layout_));
                for (long g = next++; g < groups; g = next++) roll(g, request, arms, memory);
            } catch (...) {  // no memory: thrown again once all threads have ended
                faults[std::size_t(k)] = std::current_exception();
            }
        };
        std::vector<std::thread> workers;
        workers.reserve(std::size_t(wanted));
        try {
            for (long k = 1; k < wanted; ++k) workers.emplace_back(work, k);
        } catch (const std::system_error&) {  // the system gives no more threads: the others do their part
        }
        work(0);
        for (std::thread& worker : workers) worker.join();
        for (const std::exception_ptr& fault : faults)
            if (fault) std::rethrow_exception(fault);
    }

private:
    // Rows (arms, width) lane by lane, those of chosen arms, or of all; lanes to spare have what the last arm has.
    void pack(long g, const double* rows, long width, double* to, const double* chosen) {
        const std::vector<long>& group = groups_[std::size_t(g)];
        for (long l = 0; l < lanes_; ++l) {
            const long row = group[std::size_t(std::min(l, long(group.size()) - 1))];
            if (chosen && chosen[row] == 0.0) continue;
            for (long j = 0; j < width; ++j) to[(g * width + j) * lanes_ + l] = rows[row * width + j];
        }
    }

    void roll(long g, const RolloutRequest& request, const std::vector<RolloutArm>& arms, double* memory) {
        const std::vector<long>& group = groups_[std::size_t(g)];
        RolloutArm own[most_lanes];
        for (std::size_t l = 0; l < group.size(); ++l) own[l] = arms[std::size_t(group[l])];
        kernels_.roll(layout_, constants_ + g * constant_count_ * lanes_, request, long(group.size()), own,
                      states_ + g * layout_.width * lanes_, memory);
    }

    const Plant& layout_;
    const RolloutKernels& kernels_;
    const long lanes_, count_;
    const double step_;
    const long constant_count_;
    std::vector<std::vector<long>> groups_;  // the arms of each
    std::vector<double> stopped_, refused_;
    Workspace constant_memory_, state_memory_;
    double *constants_ = nullptr, *states_ = nullptr;
    std::mutex mutex_;  // one call at a time
};

void put(Rollouts& rollouts, nb::handle states, nb::handle chosen) {
    View where, which;
    require(where, states, 2, rollouts.layout().width, false, "states");
    require(which, chosen, 1, rollouts.count(), false, "chosen");
    if (where.shape()[0] != rollouts.count()) throw std::invalid_argument("states must have a row for each arm");
    const nb::gil_scoped_release released;
    rollouts.put(where.data(), which.data());
}

void exchange(Rollouts& rollouts, nb::handle constants, nb::handle chosen) {
    View numbers, which;
    require(numbers, constants, 2, constant_count(rollouts.layout()), false, "constants");
    require(which, chosen, 1, rollouts.count(), false, "chosen");
    if (numbers.shape()[0] != rollouts.count()) throw std::invalid_argument("constants must have a row for each arm");
    const nb::gil_scoped_release released;
    rollouts.exchange(numbers.data(), which.data());
}

// States (arms, width), when arms stopped (arms,) and the states that ended them (arms, width).
struct Looks {
    View states, stopped, refused;
    Looks(const Rollouts& rollouts, nb::handle where, nb::handle when, nb::handle why, bool writable) {
        require(states, where, 2, rollouts.layout().width, writable, "states");
        require(stopped, when, 1, rollouts.count(), writable, "stopped");
        require(refused, why, 2, rollouts.layout().width, writable, "refused");
        if (states.shape()[0] != rollouts.count() || refused.shape()[0] != rollouts.count())
            throw std::invalid_argument("states and refused must have a row for each arm");
    }
};

void look(Rollouts& rollouts, nb::handle states, nb::handle stopped, nb::handle refused) {
    const Looks looks(rollouts, states, stopped, refused, true);
    const nb::gil_scoped_release released;
    rollouts.look(looks.states.data(), looks.stopped.data(), looks.refused.data());
}

void restore(Rollouts& rollouts, nb::handle states, nb::handle stopped, nb::handle refused) {
    const Looks looks(rollouts, states, stopped, refused, false);
    const nb::gil_scoped_release released;
    rollouts.restore(looks.states.data(), looks.stopped.data(), looks.refused.data());
}

// Rows of output (arms, rows, width), or nothing for None.
double* output_of(View& view, nb::handle array, long arms, long rows, long width) {
    if (array.is_none()) return nullptr;
    require(view, array, 3, width, true, "an output");
    if (view.shape()[0] != arms || view.shape()[1] != rows) throw std::invalid_argument("an output has other rows");
    return view.data();
}

// commands: (tables, rows, given), one row that is held or one for each step from 0 on; table: (arms,), which of them
// each arm has.
void advance(Rollouts& rollouts, nb::handle commands, nb::handle table, nb::handle rest, long first, long count,
             long every, long rows, nb::handle q, nb::handle qd, nb::handle tips, nb::handle energies, long threads) {
    const Plant& plant = rollouts.layout();
    const long arms = rollouts.count(), size = plant.size();
    View given, which, other, views[4];
    if (!given.open(commands.ptr(), false) || given.ndim() != 3 || given.shape()[2] > plant.command_width)
        throw std::invalid_argument("commands must be an array of doubles of the right shape");
    require(which, table, 1, arms, false, "table");
    require(other, rest, 1, plant.command_width, false, "rest");
    const long width = long(given.shape()[2]), table_rows = long(given.shape()[1]);
    if (first < 0 || count < 0 || every < 1 || rows < 1 || table_rows < 1 ||
        (table_rows > 1 && table_rows < first + count))
        throw std::invalid_argument("the rows of a rollout do not fit together");
    const RolloutRequest request{0.0, first, count, every, width, table_rows == 1, other.data()};
    double* outputs[4] = {output_of(views[0], q, arms, rows, size), output_of(views[1], qd, arms, rows, size),
                          output_of(views[2], tips, arms, rows, size),
                          output_of(views[3], energies, arms, rows, energy_count)};
    const bool wanted = std::any_of(outputs, outputs + 4, [](double* each) { return each != nullptr; });
    if (wanted && count && rows < (first + count) / every + 1)
        throw std::invalid_argument("the rows of a rollout do not fit together");
    std::vector<RolloutArm> each(static_cast<std::size_t>(arms));
    for (long row = 0; row < arms; ++row) {
        const double chosen = which.data()[row];
        if (!(chosen >= 0.0 && chosen < double(given.shape()[0])))
            throw std::invalid_argument("there is no such table");
        const auto at = [&](double* begin, long wide) { return begin ? begin + row * rows * wide : nullptr; };
        each[std::size_t(row)] = {given.data() + long(chosen) * table_rows * width,
                                  at(outputs[0], size),
                                  at(outputs[1], size),
                                  at(outputs[2], size),
                                  at(outputs[3], energy_count),
                                  nullptr,
                                  nullptr};
    }
    const nb::gil_scoped_release released;
    rollouts.advance(request, each, threads);
}

}  // namespace

void bind_rollouts(nb::module_& module) {
    nb::class_<Rollouts>(module, "Rollouts", "Many arms of one layout, in implicit steps of one length.")
        .def(
            "__init__",
            [](Rollouts* self, const PlantMemory& layout, nb::handle constants, nb::handle kinds, double step) {
                View numbers, kind;
                require(numbers, constants, 2, constant_count(layout.plant()), false, "constants");
                require(kind, kinds, 1, numbers.shape()[0], false, "kinds");
                if (numbers.shape()[0] == 0) throw std::invalid_argument("there must be an arm");
                new (self) Rollouts(layout.plant(), numbers.data(), kind.data(), long(numbers.shape()[0]), step);
            },
            nb::keep_alive<1, 2>(), nb::arg("layout"), nb::arg("constants"), nb::arg("kinds"), nb::arg("step"))
        .def("put", &put, nb::arg("states"), nb::arg("chosen"), "Puts arms that are chosen at states.")
        .def("exchange", &exchange, nb::arg("constants"), nb::arg("chosen"), "Other numbers for arms that are chosen.")
        .def("look", &look, nb::arg("states"), nb::arg("stopped"), nb::arg("refused"),
             "Where all arms are, and after how many steps and at which state those ended that did.")
        .def("restore", &restore, nb::arg("states"), nb::arg("stopped"), nb::arg("refused"), "What look gave.")
        .def("advance", &advance, nb::arg("commands"), nb::arg("table"), nb::arg("rest"), nb::arg("first"),
             nb::arg("count"), nb::arg("every"), nb::arg("rows"), nb::arg("q").none(), nb::arg("qd").none(),
             nb::arg("tips").none(), nb::arg("energies").none(), nb::arg("threads"),
             "Steps all arms under rows of commands and writes what is wanted.");
}

}  // namespace continuarm
