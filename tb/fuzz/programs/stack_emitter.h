// The emitter for the engines with a stack: constructs that open, split their threads and close, and ways to leave
// them.
//
// The tree is the same as for convergence barriers. Left out, because on these engines no thread of a warp advances
// while others have their turn: kLock, kChain, kLate. There are no instructions for kYield and kBarrierRegister.
// kBreakOut may also leave for the next turn of a loop, and kExit in a function returns from it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tb/fuzz/programs/emitter.h"

namespace smsim::fuzz {

class StackEmitter : public Emitter {
  public:
    using Emitter::Emitter;

  protected:
    /// How token_stack keeps a construct together; simt_stack does not use it.
    enum class Keeps : std::uint8_t { kSync, kBreak, kContinue };

    /// A construct that can be left.
    struct Construct {
        std::string end;
        std::string next; ///< for a loop whose turns can be left: where the next turn begins
        Keeps keeps = Keeps::kSync;
        bool turns = false;                ///< a token for the turn is open
        std::size_t scope = 0;             ///< index of its first inner scope
        std::set<std::uint32_t> passing{}; ///< exit paths (`way_to`) on which threads may reach its end
    };
    /// Threads that take another path: those in which a predicate holds ("P4", "!P0", "PT").
    struct Condition {
        std::string predicate;
        bool known = true;   ///< the structure relies on it; otherwise any condition of a thread will do
        bool agreed = false; ///< it is uniform among the threads of a warp that arrive here
    };

    // Operations that differ between the two engines.
    virtual void open(Construct &construct) = 0;
    /// Threads of `condition` go to `label`, a place inside the innermost construct; the others continue.
    virtual void branch(const std::string &label, const Condition &condition, std::uint32_t raw) = 0;
    /// The same where `counter`, a small number, is positive; `agreed` as in Condition.
    virtual void branch_while(const std::string &label, const std::string &counter, bool agreed, std::uint32_t raw) = 0;
    /// All present threads go to `label`, inside the innermost construct.
    virtual void go(const std::string &label, std::uint32_t raw) = 0;
    /// All present threads go to `label` if `guard` and `second` hold for all of them, otherwise none.
    virtual void unanimous(const std::string &label, const std::string &guard, const std::string &second,
                           std::uint32_t raw) = 0;
    /// Threads of `condition` leave construct number `index` for its end (or for its next turn).
    virtual void leave(std::size_t index, const Condition &condition, bool for_next, std::uint32_t raw) = 0;
    /// Whether `leave` is possible from here.
    virtual bool leaves_directly(std::size_t index, bool for_next) const = 0;
    /// All present threads leave construct number `index`, whose end follows.
    virtual void arrive_at_end(std::size_t index, std::uint32_t raw) = 0;
    /// Whether threads that do not reach a CTA barrier may have other work meanwhile.
    virtual bool others_may_work() const = 0;
    virtual void begin_turn(Construct &construct, std::uint32_t raw) = 0;
    virtual void end_turn(Construct &construct) = 0;
    virtual void table(const std::vector<std::string> &cases, const std::string &selector, const std::string &predicate,
                       const Node &node) = 0;
    virtual void call_function(unsigned index, const std::string &predicate, const Node &node) = 0;
    virtual void leave_function(const Condition &condition) = 0;
    /// Threads of `condition` end.
    virtual void end_threads(const Condition &condition, const Node &node) = 0;

    void branch_if(const Node &node) override;
    void loop(const Node &node) override;
    void jump_table(const Node &node) override;
    void call(const Node &node) override;
    void break_out(const Node &node) override;
    void exit(const Node &node) override;
    void either(const Node &node) override;
    void lock(const Node & /*node*/) override {}
    void chain(const Node & /*node*/) override {}
    void late(const Node & /*node*/) override {}
    void yield(std::uint32_t /*raw*/) override {}
    void barrier_register(const Node & /*node*/) override {}
    void known_branch(const Node &node) override;
    void part_barrier(const Node &node) override;
    void arrive_by_parity(std::uint32_t id, std::uint32_t lanes, const Node &node) override;
    void repeat(const std::string &label) override;

    /// A predicate that is true where `guard` ("@P0 ") and `second` ("P1, ") are.
    std::string both(const std::string &guard, const std::string &second);
    /// `predicate`, or sometimes one in which all threads agree.
    std::string or_agreed(const std::string &predicate, std::uint32_t raw);
    static std::string inverse(const std::string &predicate);

    /// Opens a construct around the following code.
    void enter(Construct construct);
    /// All present threads leave the innermost construct, which ends here.
    void close(std::uint32_t raw);
    /// Threads of `condition` leave the innermost construct and continue from its end on `way`.
    void leave_on(std::uint32_t way, const Condition &condition, std::uint32_t raw);
    static std::uint32_t way_to(std::size_t index, bool for_next);
    static constexpr std::uint32_t kWayOut = 0x7f; ///< the exit path of threads that end

    std::vector<Construct> constructs_;

  private:
    void go_on(const std::set<std::uint32_t> &passing, std::size_t closed);
};

} // namespace smsim::fuzz
