// Which functions of a compiled module call which, in which order they are compiled, and which may be re-entered
// recursively.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "ptx/machine/module.h"

namespace smsim::ptx::machine {

/// A call from one function to another: the first of them.
struct Callee {
    std::uint32_t line = 0;
    bool by_name = false; ///< some call is not through a pointer
};

class CallGraph {
  public:
    /// `words`: what each function takes and returns; a call through a pointer may reach all functions of its shape
    /// whose address is taken.
    CallGraph(const Module &module, const std::vector<CallWords> &words);

    /// Functions that `function` calls.
    const std::map<std::size_t, Callee> &callees(std::size_t function) const { return callees_[function]; }
    /// Functions that a CALL may reach.
    std::vector<std::size_t> targets(const Instruction &call) const;
    /// Functions whose address is taken.
    const std::set<std::size_t> &addressed() const { return addressed_; }
    bool has_calls() const { return has_calls_; }
    /// Functions that are `marked`, or call one that is, directly or through others.
    std::vector<bool> reaching(std::vector<bool> marked) const;

    /// Functions in an order in which callees precede callers, as far as rings allow.
    const std::vector<std::size_t> &order() const { return order_; }
    /// The functions that might call one another in a circle, including `function`; the last of them in the order
    /// represents them. A function alone is a ring of one.
    const std::vector<std::size_t> &ring(std::size_t function) const { return rings_[ring_of_[function]]; }
    /// True for a call that may lead back to its caller.
    bool within_ring(std::size_t caller, std::size_t target) const;
    /// True when `function` is the last one of its ring in the order.
    bool ends_ring(std::size_t function) const { return ring(function).back() == function; }

    /// True for a function that may be re-entered recursively, through pointers or by name.
    bool in_circle(std::size_t function) const;
    /// By function: whether it is recursive through calls by name alone.
    const std::vector<bool> &recursive() const { return recursive_; }

  private:
    void find_rings();
    void find_recursion();

    const std::vector<CallWords> &words_;
    const std::vector<CallWords> &prototypes_;
    std::set<std::size_t> addressed_;
    std::vector<std::map<std::size_t, Callee>> callees_;
    std::vector<std::size_t> order_;
    std::vector<std::size_t> ring_of_;
    std::vector<std::vector<std::size_t>> rings_;
    std::vector<bool> recursive_;
    bool has_calls_ = false;
};

} // namespace smsim::ptx::machine
