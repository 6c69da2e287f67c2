// The Python module continuarm.engine._native.

#include "module.hpp"

NB_MODULE(_native, module) {
    module.doc() = "The compiled part of continuarm.";
    nanobind::set_leak_warnings(false);  // an arm that outlives the interpreter is no concern of users
    continuarm::bind_quantities(module);
    continuarm::bind_motions(module);
    continuarm::bind_frameworks(module);
    continuarm::bind_rollouts(module);
    continuarm::bind_loops(module);
    continuarm::bind_step_slopes(module);
    continuarm::bind_build(module);
}
