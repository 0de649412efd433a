// The common part of the emitters of both stacks: functions after the kernel, and the pieces that both write alike.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tb/state_space/listing.h"
#include "tb/state_space/structured_program.h"

namespace smsim::state_space {

/// Assembly text for `stack_program.h`: the common body for both engines.
std::string simt_text_of(const Block &program, unsigned threads);
std::string token_text_of(const Block &program, unsigned threads);

/// R0 is the lane, R1 the result, R2 scratch, R3 the factor, R4 is 1 in odd lanes, R5 is 1 in the lower half, R6 is 1;
/// P0 and P1 are true where R4 and R5 are 1. By depth, R8.. count rounds, R16.. hold return addresses, R32.. flags.
class StackWriter : protected Listing {
  public:
    explicit StackWriter(unsigned threads) : threads_(threads) {}
    StackWriter(const StackWriter &) = delete;
    StackWriter &operator=(const StackWriter &) = delete;
    virtual ~StackWriter() = default;

    /// The text of a program; call once.
    std::string write(const Block &program);

  protected:
    /// The kernel, a function after it, and one piece.
    virtual void body(const Block &program) = 0;
    virtual void function(const Block &block) = 0;
    virtual void one(const Piece &piece, unsigned number) = 0;

    /// Pieces, each followed by its number.
    void block(const Block &pieces);
    /// Pieces of a function are numbered where it is called, and written after everything else.
    Label called(const Block &body);
    /// Arrival by `instruction`, adding the number of arrived threads to R1.
    void barrier(unsigned number, const char *instruction);
    /// The rounds of a loop at its start, and one fewer.
    void count(const Piece &loop);
    void count_down() { line("IADD3 R{}, R{}, -1, RZ", counter(), counter()); }
    unsigned counter() const { return 8 + depth_; }
    static unsigned return_address(unsigned calls) { return 16 + 2 * calls; }
    unsigned flag() const { return 32 + depth_; }

    unsigned depth_ = 0;    ///< of loops, including those of callers
    unsigned calls_ = 0;    ///< depth of calls
    std::size_t begin_ = 0; ///< first line of the function

  private:
    struct Function {
        Label label;
        const Block *body;
        unsigned number; ///< of the piece before the first
        unsigned depth;
        unsigned calls;
    };
    void skip(const Block &pieces);

    unsigned threads_;
    unsigned numbers_ = 0;
    std::vector<Function> functions_;
};

} // namespace smsim::state_space
