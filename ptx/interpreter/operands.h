// Prepares the operands of an instruction: registers become slots, names addresses, constants bits of the requested
// type.
#pragma once

#include <string_view>
#include <vector>

#include "ptx/ast.h"
#include "ptx/interpreter/names.h"
#include "ptx/interpreter/program.h"

namespace smsim::ptx::interpreter {

class Operands {
  public:
    Operands(Names &names, unsigned &slots) : names_(names), slots_(slots) {}

    /// A value of type `asked`.
    Source read(const ptx::Operand &operand, ptx::Type asked);
    /// A register that gets a value of type `from`.
    Target write(const ptx::Operand &operand, ptx::Type from);
    /// The elements of a vector, of a vector register, or the single value.
    std::vector<Source> read_all(const ptx::Operand &operand, ptx::Type asked);
    std::vector<Target> write_all(const ptx::Operand &operand, ptx::Type from);
    /// Makes the address of a memory instruction its first source, `memory` and `offset`.
    void address(const ptx::Operand &operand, Step &step);
    /// The entity of a name; null for special registers.
    const Entity *find(std::string_view name) { return names_.find(name, slots_); }

  private:
    static Source constant(const ptx::Operand &operand, ptx::Type asked);
    Source special(const ptx::Operand &operand, ptx::Type asked);
    static Source variable(const Entity &entity, std::int64_t offset, ptx::Type asked);

    Names &names_;
    unsigned &slots_;
};

} // namespace smsim::ptx::interpreter
