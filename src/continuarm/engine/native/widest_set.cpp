// Prints the widest instruction set of this processor. CMakeLists.txt runs it.

#include <cstdio>

#include "instruction_sets.hpp"

int main() { std::puts(continuarm::processor_sets().back().c_str()); }
