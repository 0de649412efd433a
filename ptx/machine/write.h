// Machine code with register numbers as assembly text of the model (docs/instruction-set.md).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/machine/alignment.h"
#include "ptx/machine/allocate.h"
#include "ptx/machine/lowering/lowering.h"
#include "ptx/machine/module.h"

namespace smsim::ptx::machine {

/// What the writer needs to know about a kernel beside its code.
struct KernelSizes {
    std::uint32_t registers = 1;
    std::uint32_t shared_bytes = 0;
    std::uint32_t local_bytes = 0;
    std::uint32_t alloca_base = 0; ///< first byte of the memory of alloca
    bool has_alloca = false;
};

/// Assembly text; line i (from 1) of the text comes from PTX line lines[i - 1], or from none (0).
struct Assembly {
    std::string text;
    std::vector<std::uint32_t> lines;
};

/// Writes text line by line.
class Writer {
  public:
    /// `source`: the lines of the PTX text, which appear as comments; `back`: how calls return; `align`: functions
    /// begin where their loops cover few lines of the instruction cache.
    Writer(const Module &module, const std::vector<std::string_view> &source, ReturnAddress back, bool align)
        : module_(module), source_(source), return_address_(back), align_(align) {}

    /// The reconvergence engine that the code is for; call first.
    void engine(std::string_view name);
    void kernel(const Function &function, const Allocation &allocation, const KernelSizes &sizes);
    void device_function(const Function &function, const Allocation &allocation);
    /// Constant banks, global memory and the tables of the functions written so far; call after all of these.
    void data();

    Assembly take() { return std::move(assembly_); }

  private:
    struct Table {
        std::string label;
        std::string base;
        std::vector<std::string> targets{};
    };

    /// A function beginning that may still need alignment.
    struct Beginning {
        std::size_t text;
        std::size_t lines;
        std::uint32_t instructions;
    };

    void line(const std::string &text, std::uint32_t from = 0);
    void line_of_code(const std::string &text, std::uint32_t from = 0);
    Beginning beginning() const { return {assembly_.text.size(), assembly_.lines.size(), instructions_}; }
    void align(const Beginning &from);
    void body(const Function &function, const Allocation &allocation);
    void end(const Function &function, BlockIndex block, BlockIndex following);
    void call(const Function &function, const Instruction &instruction);
    void jump_to_callee(const Instruction &call);
    void instruction(const Instruction &instruction);
    void comment(std::uint32_t from);
    void bytes(const Data &data, std::uint64_t first);
    std::string operand(const Operand &operand, const Instruction &instruction) const;
    std::string guard(const Operand &predicate) const;
    std::string register_name(const Operand &operand) const;
    std::string block_label(BlockIndex block) const;
    std::uint32_t table_bytes_ = 0;

    const Module &module_;
    const std::vector<std::string_view> &source_;
    ReturnAddress return_address_;
    bool align_;
    std::uint32_t instructions_ = 0;      ///< written so far
    std::vector<LoopSpan> loops_;         ///< of the current function, from the beginning of all
    std::vector<std::int64_t> positions_; ///< of its blocks, likewise; -1: not written yet
    const Allocation *allocation_ = nullptr;
    std::uint32_t function_number_ = 0;
    std::uint32_t calls_ = 0;
    std::uint32_t shown_ = 0; ///< PTX line of the last comment
    std::vector<Table> tables_;
    Assembly assembly_;
};

} // namespace smsim::ptx::machine
