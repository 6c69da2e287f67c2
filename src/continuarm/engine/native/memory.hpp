// Arms and plants that own their numbers, and the kernels of the instruction set that is in use.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arm.hpp"

namespace continuarm {

typedef std::vector<std::vector<double>> Rows;

// Flat numbers as structs, in the order of their fields.
template <class Struct>
void append(const std::vector<double>& numbers, std::vector<Struct>& to) {
    static_assert(sizeof(Struct) == Struct::size * sizeof(double), "a struct is its numbers");
    if (numbers.size() != std::size_t(Struct::size)) throw std::invalid_argument("a struct's numbers are incomplete");
    Struct made;
    std::memcpy(&made, numbers.data(), sizeof(Struct));
    to.push_back(made);
}

// Rows of every section one after another; where each section's begin.
template <class Struct>
void append(const std::vector<Rows>& sections, std::vector<Struct>& to, std::vector<int>& first) {
    first.assign(1, 0);
    for (const Rows& rows : sections) {
        for (const std::vector<double>& row : rows) append(row, to);
        first.push_back(int(to.size()));
    }
}

class ArmMemory {
public:
    ArmMemory(const Rows& sections, bool integral, const std::vector<double>& gravity,
              const std::vector<double>& base_frame, double payload_mass, const std::vector<double>& payload_offset,
              const std::vector<Rows>& stops) {
        for (const std::vector<double>& section : sections) append(section, sections_);
        append(stops, stops_, first_stop_);
        std::vector<Frame<double>> frame;
        append(base_frame, frame);
        if (sections.empty() || gravity.size() != 3 || payload_offset.size() != 3 || stops.size() != sections.size())
            throw std::invalid_argument("an arm's numbers do not fit together");
        arm_.n = int(sections.size());
        arm_.integral = integral;
        arm_.first_stop = first_stop_.data();
        arm_.sections = sections_.data();
        arm_.stops = stops_.data();
        arm_.base_frame = frame[0];
        std::copy(gravity.begin(), gravity.end(), arm_.gravity);
        arm_.payload_mass[0] = payload_mass;
        std::copy(payload_offset.begin(), payload_offset.end(), arm_.payload_offset);
    }
    ArmMemory(const ArmMemory&) = delete;
    ArmMemory& operator=(const ArmMemory&) = delete;

    const Arm& arm() const { return arm_; }

private:
    std::vector<Section<double>> sections_;
    std::vector<Stop<double>> stops_;
    std::vector<int> first_stop_;
    Arm arm_{};
};

// Scratch memory aligned to 64 bytes, which grows as it is asked for.
class Workspace {
public:
    double* of(long count) {
        if (count > size_) {
            memory_.assign(std::size_t(count) + 8, 0.0);
            size_ = count;
        }
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
        return reinterpret_cast<double*>((address + 63) & ~std::uintptr_t(63));
    }

    // Gives back what only an unusually large request needed.
    void shrink() {
        if (size_ <= largest_kept) return;
        std::vector<double>().swap(memory_);
        size_ = 0;
    }

private:
    static constexpr long largest_kept = 1 << 20;
    std::vector<double> memory_;
    long size_ = 0;
};

// A plant with scratch memory of its own: what solvers call. The arm must outlive it.
class PlantMemory {
public:
    PlantMemory(const Arm& arm, const std::vector<Rows>& muscles, const Rows& valves, const Rows& branches,
                const Rows& kept, bool remembers, const std::vector<long>& states, const std::vector<long>& commands) {
        append(muscles, muscles_, first_muscle_);
        for (const std::vector<double>& valve : valves) append(valve, valves_);
        for (const std::vector<double>& branch : branches) append(branch, branches_);
        for (const std::vector<double>& each : kept) append(each, kept_);
        const std::size_t count = muscles_.size();
        if (muscles.size() != std::size_t(arm.n) || valves_.size() != count || states.size() != 6 ||
            commands.size() != 3 || count == 0 || branches_.size() % count != 0 || kept_.size() != branches_.size())
            throw std::invalid_argument("a plant's numbers do not fit together");
        static_cast<PlantLayout&>(plant_) = {int(branches_.size() / count),
                                             first_muscle_.data(),
                                             remembers,
                                             states[0],
                                             states[1],
                                             states[2],
                                             states[3],
                                             states[4],
                                             states[5],
                                             commands[0],
                                             commands[1],
                                             commands[2]};
        plant_.arm = &arm;
        plant_.muscles = muscles_.data();
        plant_.valves = valves_.data();
        plant_.branches = branches_.data();
        plant_.kept = kept_.data();
        const long memory = remembers ? plant_.muscle_count() : 0;
        if (plant_.pressures != 2 * plant_.size() || plant_.hysteresis != plant_.pressures + memory ||
            plant_.creep != plant_.hysteresis + memory ||
            plant_.supplied != plant_.creep + plant_.branch_count * memory ||
            plant_.dissipated != plant_.supplied + 1 || plant_.width != plant_.dissipated + 1 ||
            plant_.forces != plant_.muscle_count() || plant_.wrench != plant_.forces + plant_.size() ||
            plant_.command_width != plant_.wrench + 6)
            throw std::invalid_argument("a plant's layouts do not fit together");
    }
    PlantMemory(const PlantMemory&) = delete;
    PlantMemory& operator=(const PlantMemory&) = delete;

    const Plant& plant() const { return plant_; }
    long width() const { return plant_.width; }
    long commands() const { return plant_.command_width; }
    long relaxing() const { return plant_.supplied - plant_.pressures; }

private:
    std::vector<Muscle<double>> muscles_;
    std::vector<ValveStep<double>> valves_;
    std::vector<Branch<double>> branches_;
    std::vector<BranchStep<double>> kept_;
    std::vector<int> first_muscle_;
    Plant plant_{};
};

// The slopes of a plant by parameters, as the kernels want them: of its constants, (constants, count), and of the
// thresholds of its commands, (muscles, count), row by row. None of either: nothing but the motion itself.
class SlopesMemory {
public:
    SlopesMemory(const PlantMemory& memory, const Kernels& kernels, const std::vector<double>& constants,
                 std::vector<double> thresholds)
        : count_(long(constants.size()) / constant_count(memory.plant())), thresholds_(std::move(thresholds)) {
        const Plant& plant = memory.plant();
        if (long(constants.size()) != count_ * constant_count(plant) ||
            long(thresholds_.size()) != count_ * plant.muscle_count())
            throw std::invalid_argument("the slopes of a plant do not fit to it");
        if (!count_) return;
        constants_ = memory_.of(sloped_size(plant, count_));
        kernels.slope(plant, constants.data(), count_, constants_);
    }
    SlopesMemory(const SlopesMemory&) = delete;
    SlopesMemory& operator=(const SlopesMemory&) = delete;

    long count() const { return count_; }
    const double* constants() const { return constants_; }
    double threshold(long muscle, long parameter) const {
        return thresholds_[std::size_t(muscle * count_ + parameter)];
    }

private:
    const long count_;
    const std::vector<double> thresholds_;
    Workspace memory_;
    double* constants_ = nullptr;
};

// What Newton's iteration on a plant keeps.
class NewtonMemory {
public:
    explicit NewtonMemory(const Plant& plant)
        : resting_(std::size_t(plant.arm->n)),
          eliminated_(resting_.size()),
          blocks_(2 * resting_.size()),
          numbers_(std::size_t(5 * memory(plant) + plant.arm->first_stop[plant.arm->n] + 2 * plant.size()), 0.0) {
        double* next = numbers_.data();
        const auto take = [&next](long count) { return std::exchange(next, next + count); };
        const long each = memory(plant);
        parts_ = {resting_.data(),    eliminated_.data(),
                  blocks_.data(),     blocks_.data() + resting_.size(),
                  take(each),         take(each),
                  take(each),         take(each),
                  take(each),         take(plant.arm->first_stop[plant.arm->n]),
                  take(plant.size()), take(plant.size())};
    }
    NewtonMemory(const NewtonMemory&) = delete;
    NewtonMemory& operator=(const NewtonMemory&) = delete;

    NewtonParts& parts() { return parts_; }

private:
    static long memory(const Plant& plant) { return plant.supplied - plant.pressures; }

    std::vector<RestingSection<double>> resting_;
    std::vector<Eliminated<double>> eliminated_;
    std::vector<Symmetric<double>> blocks_;
    std::vector<double> numbers_;
    NewtonParts parts_{};
};

}  // namespace continuarm
