// Writes a tree as a program for token_stack: regions that are pushed and left, all kinds of jumps with predicates and
// condition tests.
#pragma once

#include <string>
#include <vector>

#include "tb/fuzz/programs/stack_emitter.h"

namespace smsim::fuzz {

class TokenEmitter final : public StackEmitter {
  public:
    using StackEmitter::StackEmitter;

  private:
    const char *engine() const override { return ".engine token_stack\n"; }
    void end_kernel() override;
    void return_to_caller(unsigned index) override;
    void nothing(const Node &node) override;
    void compute(const Node &node) override;

    void open(Construct &construct) override;
    void branch(const std::string &label, const Condition &condition, std::uint32_t raw) override;
    void branch_while(const std::string &label, const std::string &counter, bool agreed, std::uint32_t raw) override;
    void go(const std::string &label, std::uint32_t raw) override;
    void unanimous(const std::string &label, const std::string &guard, const std::string &second,
                   std::uint32_t raw) override;
    void leave(std::size_t index, const Condition &condition, bool for_next, std::uint32_t raw) override;
    bool leaves_directly(std::size_t index, bool for_next) const override;
    void arrive_at_end(std::size_t index, std::uint32_t raw) override;
    bool others_may_work() const override { return true; }
    void begin_turn(Construct &construct, std::uint32_t raw) override;
    void end_turn(Construct &construct) override;
    void table(const std::vector<std::string> &cases, const std::string &selector, const std::string &predicate,
               const Node &node) override;
    void call_function(unsigned index, const std::string &predicate, const Node &node) override;
    void leave_function(const Condition &condition) override;
    void end_threads(const Condition &condition, const Node &node) override;

    void token_jump(const std::string &label, const std::string &guard, const std::string &test, std::uint32_t raw,
                    const std::string &modifier = "");
    std::string flags_of(const std::string &predicate, std::uint32_t raw);
    std::string any_flags(std::uint32_t raw);
    void call_by_pret(const std::string &name, const std::string &predicate, std::uint32_t raw);
};

} // namespace smsim::fuzz
