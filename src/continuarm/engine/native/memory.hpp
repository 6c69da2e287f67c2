// Arms and plants that own their numbers, and the kernels of the instruction set that is in use.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
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
        arm_ = {
            int(sections.size()), integral, sections_.data(), stops_.data(), first_stop_.data(), {}, frame[0], {}, {}};
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
        plant_ = {&arm,
                  muscles_.data(),
                  valves_.data(),
                  branches_.data(),
                  kept_.data(),
                  int(branches_.size() / count),
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

}  // namespace continuarm
