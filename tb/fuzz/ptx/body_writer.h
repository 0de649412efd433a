// Writes the statements of one function of a tree. Each statement knows what its context guarantees: which lanes of a
// warp are certainly together, and whether the whole CTA is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tb/fuzz/ptx/tree.h"

namespace smsim::ptx_fuzz {

/// Values a function computes with: %r0 to %r7.
inline constexpr unsigned kValues = 8;

/// Shared by the functions of a program while they are written.
struct ProgramState {
    const Tree &tree;
    unsigned labels = 0;
    unsigned flag_sites = 0;  ///< rows of flags used, one word for each thread of all CTAs
    unsigned chain_sites = 0; ///< counters of turns used, one for each CTA
};

inline constexpr unsigned kMostFlagSites = 4;
inline constexpr unsigned kMostChainSites = 4;

class BodyWriter {
  public:
    /// `function`: index into the tree's functions; -1: the kernel.
    BodyWriter(ProgramState &program, int function) : program_(program), function_(function) {}

    /// The statements, with the declarations they need.
    std::string write(const std::vector<Node> &nodes);

  private:
    struct Loop {
        std::string next; ///< label of the next iteration
        std::string out;  ///< label after the loop
    };
    /// What holds for the threads that reach a statement.
    struct Context {
        bool together = false;    ///< all living lanes of `mask` arrive here, each once
        bool whole_cta = false;   ///< all threads of the CTA arrive here, each once
        std::uint32_t mask = ~0U; ///< lanes
        unsigned depth = 0;
    };

    bool in_kernel() const { return function_ < 0; }
    std::string label() { return "L" + std::to_string(program_.labels++); }
    void line(const std::string &text);
    static std::string value(std::uint32_t random) { return "%r" + std::to_string(random % kValues); }
    std::string mask_of(const Context &context);
    bool usable(const Context &context) const { return context.together && context.mask != 0; }
    std::string condition(std::uint32_t random, std::uint32_t other);
    void own_word(std::uint32_t random, std::string &space, std::string &address);

    void sequence(const std::vector<Node> &nodes, Context context);
    void one(const Node &node, Context &context);
    void control(const Node &node, Context &context);
    void team(const Node &node, const Context &context);
    void shared_state(const Node &node, const Context &context);

    void arithmetic(const Node &node);
    void floating(const std::string &d, const std::string &a, const std::string &b, std::uint32_t random);
    void predicated(const Node &node);
    void memory(const Node &node);
    void branch(const Node &node, const Context &context);
    void lane_branch(const Node &node, Context &context);
    void loop(const Node &node, const Context &context);
    void leave_loop(const Node &node);
    void select(const Node &node, const Context &context);
    void pass_arguments(const Node &node, std::string_view depth);
    void call(const Node &node);
    void recurse(const Node &node);
    void leave_early(const Node &node, Context &context);
    void wild(const Node &node, const Context &context);
    void shuffle(const Node &node, const Context &context);
    void vote(const Node &node, const Context &context);
    static std::string values(std::uint32_t random, unsigned count);
    void matrix(const Node &node, const Context &context);
    void exchange_matrices(const Node &node);
    void exchange(const Node &node);
    void barrier_reduce(const Node &node);
    void split_barrier(const Node &node);
    void hand_over(const Node &node);
    void atomic(const Node &node);
    void own_atomic(const Node &node);
    /// True if threads of a warp may wait for one another.
    bool is_independent() const { return program_.tree.engine == ReconvergenceEngineKind::kConvergenceBarrier; }
    void lock(const Node &node);
    void peer_wait(const Node &node, const Context &context);
    void chain(const Node &node);

    ProgramState &program_;
    int function_;
    std::string body_;
    std::string declarations_;
    std::vector<Loop> loops_;
    std::vector<std::string> counters_; ///< of loops: zero at the start of the program
    bool exited_ = false;               ///< threads may have ended at unknown places
    std::uint32_t live_ = ~0U;          ///< lanes that have certainly not ended
    bool all_live_ = true;
};

/// True if threads can leave a region before its end.
bool leaves(const std::vector<Node> &nodes);

} // namespace smsim::ptx_fuzz
