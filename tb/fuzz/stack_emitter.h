// The emitter for the engines with a stack: constructs that open, part their threads and close, and ways out of them.
//
// The tree is the same as for convergence barriers. Left out, since on these engines no thread of a warp gets on while
// others have their turn: kLock, kChain, kLate. They have no instructions for kYield and kBarrierRegister.
// kBreakOut may also leave for the next turn of a loop, and kExit in a function returns from it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "tb/fuzz/emitter.h"

namespace smsim::fuzz {

class StackEmitter : public Emitter {
  public:
    using Emitter::Emitter;

  protected:
    /// How a construct is kept together on token_stack; one that simt_stack has no use for.
    enum class Keeps : std::uint8_t { kSync, kBreak, kContinue };

    /// A construct that can be left.
    struct Construct {
        std::string end;
        std::string next; ///< of a loop whose turns can be left: where the next one begins
        Keeps keeps = Keeps::kSync;
        bool turns = false;                ///< a token for the turn is open
        std::size_t scope = 0;             ///< index of its first inner scope
        std::set<std::uint32_t> passing{}; ///< ways (`way_to`) on which threads may come to its end
    };
    /// Threads that go another way: those in which a predicate holds ("P4", "!P0", "PT").
    struct Condition {
        std::string predicate;
        bool known = true;   ///< the structure relies on it; else any condition of a thread will do
        bool agreed = false; ///< all threads of a warp that come here agree in it
    };

    // What the two engines do in ways of their own.
    virtual void open(Construct &construct) = 0;
    /// Threads of `condition` go to `label`, a place inside of the innermost construct; the others go on.
    virtual void branch(const std::string &label, const Condition &condition, std::uint32_t raw) = 0;
    /// The same where `counter`, a small number, is positive; `agreed` as in Condition.
    virtual void branch_while(const std::string &label, const std::string &counter, bool agreed, std::uint32_t raw) = 0;
    /// All who are here go to `label`, inside of the innermost construct.
    virtual void go(const std::string &label, std::uint32_t raw) = 0;
    /// All who are here go to `label` if `guard` and `second` hold for all of them, else nobody.
    virtual void unanimous(const std::string &label, const std::string &guard, const std::string &second,
                           std::uint32_t raw) = 0;
    /// Threads of `condition` leave construct number `index` for its end (or for its next turn).
    virtual void leave(std::size_t index, const Condition &condition, bool for_next, std::uint32_t raw) = 0;
    /// Whether `leave` can do so from here.
    virtual bool leaves_directly(std::size_t index, bool for_next) const = 0;
    /// All who are here leave construct number `index`, whose end follows.
    virtual void arrive_at_end(std::size_t index, std::uint32_t raw) = 0;
    /// Whether threads that do not come to a barrier of the CTA may have something to do meanwhile.
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

    /// A predicate that holds where `guard` ("@P0 ") and `second` ("P1, ") do.
    std::string both(const std::string &guard, const std::string &second);
    /// `predicate`, or now and then one in which all threads agree.
    std::string or_agreed(const std::string &predicate, std::uint32_t raw);
    static std::string inverse(const std::string &predicate);

    /// Opens a construct around what follows.
    void enter(Construct construct);
    /// All who are here leave the innermost construct, which ends here.
    void close(std::uint32_t raw);
    /// Threads of `condition` leave the innermost construct, to go on from its end on `way`.
    void leave_on(std::uint32_t way, const Condition &condition, std::uint32_t raw);
    static std::uint32_t way_to(std::size_t index, bool for_next);
    static constexpr std::uint32_t kWayOut = 0x7f; ///< the way of threads that end

    std::vector<Construct> constructs_;

  private:
    void go_on(const std::set<std::uint32_t> &passing, std::size_t closed);
};

} // namespace smsim::fuzz
