// The emitter: its knowledge about the place where it writes, and one function per kind of statement.
//
// Registers of a generated program:
//   R0-R7     data: compared at the end, changed by all statements
//   R8-R11    lane, thread number in the CTA, warp, the number 4
//   R[12:13]  address of the thread's own 64 bytes of global memory
//   R14, R15  offset of its own 32 bytes of shared memory, of its word of the exchange area
//   R16-R19   loop counters
//   R[20:21]  address of the global cells with random contents, R[22:23] of those that begin as 0
//   R24-R39   scratch: may depend on timing, never compared, never flows into anything compared
//   P0-P3     data; P4-P6 scratch
//   UR[0:1], UR[2:3], UR[60:61]  addresses of the input, of the cells that begin as 0, of the others
//   UR4-UR7   set just before the instruction that reads them
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tb/fuzz/programs/case.h"
#include "tb/fuzz/programs/tree.h"
#include "tb/fuzz/programs/writer.h"

namespace smsim::fuzz {

inline constexpr unsigned kCells = 16;           ///< 8-byte cells of atomics
inline constexpr unsigned kSharedLock = 128;     ///< byte offset of lock, sum and count in shared memory
inline constexpr unsigned kSharedExchange = 256; ///< of the exchange area, a word per thread
inline constexpr unsigned kGlobalLock = 128;     ///< byte offset of lock, sum and count after R[22:23]
/// Byte offset, in shared memory and from R[22:23], of a word that always equals R11; the 16 bytes after it are 0.
inline constexpr unsigned kSame = 192;
inline constexpr std::uint32_t kAllLanes = 0xffffffff;

class Emitter {
  public:
    explicit Emitter(const Tree &tree);
    Emitter(const Emitter &) = delete;
    Emitter &operator=(const Emitter &) = delete;
    virtual ~Emitter() = default;
    Case finish();

  protected:
    /// What is known about the threads that arrive here.
    struct Scope {
        std::uint32_t lanes = kAllLanes; ///< lanes that may be here
        bool exact = true;     ///< all that have not exited arrive here, equally often, in every warp that arrives
        bool all_warps = true; ///< every warp arrives
        bool once = true;      ///< no enclosing loop
        unsigned loops = 0;
        unsigned depth = 0;
    };
    /// A statement that a break can leave.
    struct Region {
        std::string end;
        unsigned barrier;
        std::size_t scope; ///< index of its first inner scope
    };

    /// How an if splits its threads: those of `condition` and `also` ("@P0 ", "P1, ") go to the other block.
    struct Parting {
        std::string condition;
        std::string also;
    };

    // Engine-specific operations. Here: convergence_barrier.
    virtual const char *engine() const { return ""; } ///< its directive; none for the default
    virtual std::string code() { return out_.code(); }
    virtual void end_kernel() { out_.line("EXIT"); }
    virtual void branch_if(const Node &node);
    virtual void loop(const Node &node);
    virtual void jump_table(const Node &node);
    virtual void call(const Node &node);
    virtual void return_to_caller(unsigned index);
    virtual void break_out(const Node &node);
    virtual void exit(const Node &node);
    virtual void either(const Node &node);
    virtual void lock(const Node &node);
    virtual void chain(const Node &node);
    virtual void late(const Node &node);
    virtual void yield(std::uint32_t raw);
    virtual void barrier_register(const Node &node);
    virtual void nothing(const Node &node);
    virtual void compute(const Node &node);
    virtual void known_branch(const Node &node);
    virtual void part_barrier(const Node &node);
    virtual void part_arrival(const Node &node);
    virtual void arrive_by_parity(std::uint32_t id, std::uint32_t lanes, const Node &node);
    virtual void arrive_all(std::uint32_t id, std::uint32_t raw);
    virtual void repeat(const std::string &label); ///< of the whole set, where P5, which is uniform in it, is true
    /// A jump to `label` follows as the next instruction.
    virtual void note_jump(const std::string &label, bool conditional);

    // emit.cpp
    void prologue(Writer &to) const;
    void functions();
    void function(unsigned index);
    void block(const Block &nodes, Scope scope);
    void node(const Node &node);
    Scope &here() { return scopes_.back(); }
    std::uint32_t warps() const { return (tree_.threads + 31) / 32; }
    bool together_possible() const;
    bool whole_cta() const;

    // Text of operands, from raw numbers
    static std::string data(std::uint32_t raw);
    static std::string data2(std::uint32_t raw);
    static std::string data4(std::uint32_t raw);
    static std::string source(std::uint32_t raw);
    static std::string predicate(std::uint32_t raw);
    static std::string second(std::uint32_t raw);
    static std::string wish(std::uint32_t raw);
    /// A guard of any kind: none, data, or one in which all threads agree (P6, set just before the instruction).
    std::string guard(std::uint32_t raw);
    std::string agreed_guard(bool value);

    // emit_plain.cpp
    void compute_wide(const Node &node);
    void compute_half(const Node &node);
    void private_access(const Node &node);
    void uniform_access(const Node &node);
    std::string uniform_address(std::uint32_t raw, unsigned offset);
    void gather(const Node &node);
    void atomic(const Node &node);
    void trap(const Node &node);
    void sleep(std::uint32_t raw);
    /// For a spinning thread: gives its turn away, in one of three ways; sleeps for `nanoseconds` in one of them.
    void let_others_run(std::uint32_t raw, std::uint32_t nanoseconds);

    // emit_control.cpp
    void jump(const std::string &label, const std::string &guard, const std::string &second, std::uint32_t raw);
    void lanes_to_p4(std::uint32_t lanes);
    static std::uint32_t spread(std::uint32_t raw);
    Parting part_if(const Node &node, Scope &then, Scope &otherwise);
    std::string begin_loop(const Node &node, Scope &body);
    std::string exit_condition(const Node &node);

    // emit_team.cpp
    void meet(std::uint32_t lanes, std::uint32_t raw, const std::string &guard = "");
    void meet_groups(const Node &node);
    static std::string offered_word(const Node &node);
    void offer_values(const Node &node);
    void pass_values(const Node &node);
    void meeting(const Node &node);
    void exchange(const Node &node);
    void lane_operation(const Node &node, std::uint32_t lanes);
    std::string known_guard(const Node &node);
    void barrier(const Node &node);
    void reduce(const Node &node);
    void producer(const Node &node);
    void arrival_by_parity(std::uint32_t id, std::uint32_t lanes, const Node &node, bool arrives);
    void context(const Node &node);
    std::string own_uniform(std::uint32_t value);
    std::string arrival(const std::string &operation, std::uint32_t id, std::uint32_t count, const std::string &pp,
                        std::uint32_t raw);
    std::string team_guard(std::uint32_t raw);

    // emit_loop_meetings.cpp
    void butterfly(const Node &node);
    void load_exchanged(const std::string &to);

    const Tree &tree_;
    Writer out_;
    std::vector<Scope> scopes_;
    std::vector<Region> regions_;
    bool exits_ = false;    ///< some thread may have exited before this place
    unsigned function_ = 0; ///< functions before this one cannot be called from here
    bool in_function_ = false;
    bool in_lock_ = false;
    unsigned chains_ = 0;
    unsigned uniforms_ = 0; ///< uniform registers in use
    bool uses_shared_ = false;
    bool meets_ = false; ///< some threads have met after the prologue
    bool uses_local_ = false;
    bool uses_uniform_ = false; ///< addresses in uniform registers that the prologue sets
    std::vector<bool> called_;
};

} // namespace smsim::fuzz
