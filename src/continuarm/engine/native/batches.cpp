#include "batches.hpp"

#include <algorithm>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

#include "levels.hpp"
#include "memory.hpp"

namespace continuarm {

Outcome run_here(const Arm& arm, const Request& request) {
    thread_local Workspace workspace;
    const auto run = request.weights ? kernels().vjp : request.tangents[0] ? kernels().jvp : kernels().run;
    const Outcome outcome = run(arm, request, workspace.of(work_size(arm, request)));
    workspace.shrink();
    return outcome;
}

// Rows in parts of whole registers, a part for each thread; what no thread can be had for is done here.
Outcome run_threads(const Arm& arm, const Request& request, int threads) {
    constexpr long least = 256;  // rows below which a thread costs more than it saves
    const long rows = request.last - request.first;
    const long count = std::max(1L, std::min<long>(threads, rows / least));
    if (count == 1) return run_here(arm, request);
    const long part = ((rows + count - 1) / count + 7) / 8 * 8;
    std::vector<Outcome> outcomes(std::size_t(count), Outcome::done);
    std::vector<std::exception_ptr> faults(static_cast<std::size_t>(count));
    std::vector<std::thread> workers;
    workers.reserve(std::size_t(count));
    const auto work = [&](long k) {
        try {
            Request mine = request;
            mine.first = std::min(request.last, request.first + k * part);
            mine.last = std::min(request.last, mine.first + part);
            outcomes[std::size_t(k)] = run_here(arm, mine);
        } catch (...) {  // no memory: thrown again once all threads have ended
            faults[std::size_t(k)] = std::current_exception();
        }
    };
    long started = 1;
    try {
        for (; started < count; ++started) workers.emplace_back(work, started);
    } catch (const std::system_error&) {  // the system gives no more threads
    }
    work(0);
    for (long k = started; k < count; ++k) work(k);
    for (std::thread& worker : workers) worker.join();
    for (const std::exception_ptr& fault : faults)
        if (fault) std::rethrow_exception(fault);
    return *std::max_element(outcomes.begin(), outcomes.end(), [](Outcome a, Outcome b) { return int(a) < int(b); });
}

}  // namespace continuarm
