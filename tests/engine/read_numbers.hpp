// Numbers that test_sanitizers.py wrote: parts, each with its length before it.

#pragma once

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <vector>

#include "memory.hpp"

using namespace continuarm;

inline std::vector<double> read(std::FILE* file) {
    double count = 0.0;
    if (std::fread(&count, sizeof(double), 1, file) != 1) std::exit(2);
    std::vector<double> numbers(static_cast<std::size_t>(count));
    if (!numbers.empty() && std::fread(numbers.data(), sizeof(double), numbers.size(), file) != numbers.size())
        std::exit(2);
    return numbers;
}

// A part as rows of so many numbers.
inline Rows rows_of(const std::vector<double>& part, std::size_t width) {
    Rows rows;
    for (std::size_t k = 0; k < part.size(); k += width)
        rows.emplace_back(part.begin() + long(k), part.begin() + long(k + width));
    return rows;
}

// Rows as those of sections with equally many each.
inline std::vector<Rows> by_section(const Rows& rows, int sections, int each) {
    std::vector<Rows> found(static_cast<std::size_t>(sections));
    for (std::size_t k = 0; k < rows.size(); ++k) found[k / std::size_t(each)].push_back(rows[k]);
    return found;
}

inline std::unique_ptr<ArmMemory> read_arm(std::FILE* file) {
    const std::vector<double> head = read(file);  // n, integral, stops of each section
    const Rows sections = rows_of(read(file), Section<double>::size);
    const std::vector<double> gravity = read(file), base_frame = read(file), mass = read(file), offset = read(file);
    const Rows stops = rows_of(read(file), Stop<double>::size);
    return std::make_unique<ArmMemory>(sections, head[1] != 0.0, gravity, base_frame, mass[0], offset,
                                       by_section(stops, int(head[0]), int(head[2])));
}
