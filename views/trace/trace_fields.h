// What an instruction trace consists of: its form (`smsim run --trace-format`), and what it holds beside its default
// members (`--trace-fields`).
#pragma once

#include <string>

namespace smsim::views {

enum class TraceForm : unsigned char {
    kJson,         ///< a line of JSON for each instruction (trace.h)
    kControl,      ///< a line of text for each instruction of the branch unit (control_log.h)
    kTimedControl, ///< the same with the cycle at its end
};

struct TraceFields {
    bool registers = false;  ///< general and uniform registers written
    bool predicates = false; ///< predicates written
    bool memory = false;     ///< addresses and values of memory instructions
    bool rpc = false;        ///< RPC of each thread
    bool barriers = false;   ///< lines for changes of CTA barriers
    bool timers = false;     ///< lines for sleep timers
    bool release = false;    ///< lines for threads and warps that are released

    /// True when lines wait for the result of their instruction.
    bool of_results() const { return registers || predicates || memory; }
    /// True when there are lines other than those of instructions.
    bool of_events() const { return barriers || timers || release; }
    bool any() const { return of_results() || of_events() || rpc; }
};

/// Reads a list "registers,memory"; "all" stands for all of them. Throws InputError that names all fields when one is
/// unknown.
TraceFields parse_trace_fields(const std::string &list);

} // namespace smsim::views
