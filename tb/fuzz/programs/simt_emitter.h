// Writes a tree as a program for simt_stack: register branches that reconverge at their immediate post-dominators.
#pragma once

#include <string>
#include <vector>

#include "tb/fuzz/programs/reconvergence_points.h"
#include "tb/fuzz/programs/stack_emitter.h"

namespace smsim::fuzz {

class SimtEmitter final : public StackEmitter {
  public:
    /// `free_exits`: a thread that ends branches to the end of the program from wherever it is. The enclosing branches
    /// then meet only there, so the program must not require threads to meet earlier.
    SimtEmitter(const Tree &tree, bool free_exits) : StackEmitter(tree), free_exits_(free_exits) {}

    /// Whether threads must meet somewhere.
    bool meets() const { return meets_; }

  private:
    const char *engine() const override { return ".engine simt_stack\n"; }
    std::string code() override { return with_reconvergence(out_, transfers_); }
    void end_kernel() override;
    void return_to_caller(unsigned index) override;
    void arrive_all(std::uint32_t id, std::uint32_t raw) override;
    void part_arrival(const Node &node) override;
    void note_jump(const std::string &label, bool conditional) override;

    void open(Construct & /*construct*/) override {}
    void branch(const std::string &label, const Condition &condition, std::uint32_t raw) override;
    void branch_while(const std::string &label, const std::string &counter, bool agreed, std::uint32_t raw) override;
    void go(const std::string &label, std::uint32_t raw) override;
    void unanimous(const std::string &label, const std::string &guard, const std::string &second,
                   std::uint32_t raw) override;
    void leave(std::size_t index, const Condition &condition, bool for_next, std::uint32_t raw) override;
    bool leaves_directly(std::size_t /*index*/, bool /*for_next*/) const override { return true; }
    void arrive_at_end(std::size_t index, std::uint32_t raw) override;
    bool others_may_work() const override { return false; }
    void begin_turn(Construct &construct, std::uint32_t raw) override;
    void end_turn(Construct &construct) override;
    void table(const std::vector<std::string> &cases, const std::string &selector, const std::string &predicate,
               const Node &node) override;
    void call_function(unsigned index, const std::string &predicate, const Node &node) override;
    void leave_function(const Condition &condition) override;
    void end_threads(const Condition &condition, const Node &node) override;

    void transfer(std::vector<std::string> targets, bool falls, bool parts);
    void vector_branch(const std::string &label, const std::string &text, bool parts = true);

    bool free_exits_;
    bool calling_ = false;
    std::vector<ControlTransfer> transfers_;
};

} // namespace smsim::fuzz
