// Writes kernels of many independent instructions: each thread takes the operands of each instruction from a table in
// global memory and writes the results to a buffer.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ptx/interpreter/operation.h"
#include "tb/ptx_differential/values.h"
#include "tb/ptx_differential/variants.h"

namespace smsim::ptx_differential {

/// An operand of an instruction: a value of the table, or a constant.
struct Input {
    bool constant = false;
    bool negated = false;    ///< !p
    std::uint64_t value = 0; ///< constant
    unsigned set = 0;        ///< of values.h
    unsigned operand = 0;    ///< of values.h
    unsigned bits = 64;      ///< of the type as which it is read
};

/// One result: kThreads 64-bit words from `slot` on, and how it may differ.
struct Check {
    std::string name; ///< the instruction as written
    const Variant *variant = nullptr;
    unsigned slot = 0;
    ptx::Type type;              ///< of the result
    bool any_nan = false;        ///< the PTX ISA does not define which NaN
    bool flushed_or_not = false; ///< subnormal numbers may count as zero
    bool computed = false;       ///< operation and inputs determine undefined results and allowed errors
    ptx::interpreter::Operation operation;
    std::vector<Input> inputs;
};

/// One kernel "k" with parameters block (64 bytes), in, out, scratch.
class KernelWriter {
  public:
    explicit KernelWriter(unsigned batch) : batch_(batch) {}

    /// Appends one instruction; the variant must outlive the writer. `number` chooses registers or constants, single
    /// results or pairs, and guards.
    void add(const Variant &variant, unsigned number);

    std::string text() const;
    unsigned slots() const { return slots_; }
    unsigned batch() const { return batch_; }
    const std::vector<Check> &checks() const { return checks_; }
    /// The arguments of `add`.
    const std::vector<std::pair<const Variant *, unsigned>> &added() const { return added_; }

    static constexpr unsigned kParameterBytes = 64; ///< of the block
    static constexpr unsigned kScratchBytes = 16;   ///< by thread

  private:
    struct Case; ///< state of the instruction being written

    void compute(Case &c);
    void memory(Case &c);
    void atomic(Case &c);
    void addresses(Case &c);
    void hint(Case &c);
    void synchronise(Case &c);
    void carry_before(Case &c);
    void carry_after(Case &c);

    void line(const std::string &text);
    std::string fresh(std::string_view type);
    std::string fresh_of(ptx::Type type, unsigned wider = 0);
    std::string loaded(const Input &input, ptx::Type type, unsigned wider = 0);
    std::string predicate(const Input &input);
    std::string source(Case &c, char letter);
    std::string target(Case &c, char letter);
    void keep(Case &c, const std::string &name, ptx::Type type, unsigned register_bits);
    std::string place(Case &c, bool prepared, bool read_back);
    void finish_place(Case &c);

    unsigned batch_;
    std::string body_;
    unsigned registers_ = 0;
    unsigned slots_ = 0;
    std::vector<Check> checks_;
    std::vector<std::pair<const Variant *, unsigned>> added_;
};

} // namespace smsim::ptx_differential
