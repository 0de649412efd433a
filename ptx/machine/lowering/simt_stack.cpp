#include "ptx/machine/lowering/simt_stack.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "model/error.h"
#include "ptx/machine/liveness.h"
#include "ptx/machine/lowering/edges.h"
#include "ptx/machine/lowering/simt_stack_shape.h"
#include "ptx/machine/operands.h"

namespace smsim::ptx::machine {

namespace {

/// A compare of a vector branch.
struct Compare {
    std::string mnemonic;
    Operand a;
    Operand b;
};

/// How ISETP's comparisons are written as vector branches: with the operands exchanged where the comparison does not
/// exist.
struct Form {
    std::string_view compare;
    std::string_view branch;
    std::string_view opposite; ///< of the complement
    bool exchanged;
    bool complement_exchanged;
};
constexpr std::array<Form, 6> kForms = {{{"EQ", "VBEQ", "VBNE", false, false},
                                         {"NE", "VBNE", "VBEQ", false, false},
                                         {"LT", "VBLT", "VBGE", false, false},
                                         {"GE", "VBGE", "VBLT", false, false},
                                         {"GT", "VBLT", "VBGE", true, true},
                                         {"LE", "VBGE", "VBLT", true, true}}};

bool defines(const Instruction &instruction, Register reg) {
    bool found = std::ranges::find(instruction.defines, reg) != instruction.defines.end();
    for_each_register(instruction, [&](const Operand &operand) { found |= operand.defined && operand.reg == reg; });
    return found;
}

/// True when `operand` can be read again at the end of a block.
bool is_plain(const Operand &operand) {
    const bool value = operand.kind == OperandKind::kRegister
                           ? operand.words == 1
                           : operand.kind == OperandKind::kZero || operand.kind == OperandKind::kInteger;
    return value && !operand.negated && !operand.absolute;
}

/// The compare of two integers that made `predicate` in this block, if its operands are still the same at its end.
std::optional<Compare> compare_behind(const std::vector<Instruction> &code, const Operand &predicate) {
    const auto maker = std::ranges::find_if(code.rbegin(), code.rend(), [&](const Instruction &instruction) {
        return defines(instruction, predicate.reg);
    });
    if (maker == code.rend() || maker->guarded() || !maker->mnemonic.starts_with("ISETP.") ||
        !maker->mnemonic.ends_with(".AND") || maker->operands.size() != 5) {
        return std::nullopt;
    }
    const auto &to = maker->operands;
    const std::string tail = maker->mnemonic.substr(6);
    const std::string_view name = std::string_view(tail).substr(0, 2);
    const bool is_unsigned = tail == fmt::format("{}.U32.AND", name);
    const auto form = std::ranges::find(kForms, name, &Form::compare);
    const bool simple = form != kForms.end() && (is_unsigned || tail == fmt::format("{}.AND", name)) &&
                        to[0].reg == predicate.reg && to[4] == always() && is_plain(to[2]) && is_plain(to[3]);
    const bool kept = simple && std::none_of(code.rbegin(), maker, [&](const Instruction &instruction) {
                          return (to[2].has_register() && defines(instruction, to[2].reg)) ||
                                 (to[3].has_register() && defines(instruction, to[3].reg));
                      });
    if (!kept) {
        return std::nullopt;
    }
    Compare compare{std::string(predicate.negated ? form->opposite : form->branch), to[2], to[3]};
    if (is_unsigned && (compare.mnemonic == "VBLT" || compare.mnemonic == "VBGE")) {
        compare.mnemonic += 'U';
    }
    if (form->exchanged) {
        std::swap(compare.a, compare.b);
    }
    return compare;
}

class SimtStackWriter {
  public:
    SimtStackWriter(Function &function, const Regions &regions)
        : function_(function), regions_(regions), end_(end_of(regions.graph)) {}

    void run() {
        for (const Branch &branch : regions_.branches) {
            if (function_.blocks[branch.block].end.kind == EndKind::kBranch) {
                branch.divergent ? part(branch) : go_together(branch.block);
            }
        }
        for (BlockIndex block = 0; block < function_.blocks.size(); ++block) {
            if (function_.blocks[block].end.kind == EndKind::kExit) {
                joins_.insert(block);
            }
        }
        for (const BlockIndex block : joins_) {
            Block &join = function_.blocks[block];
            join.code.insert(join.code.begin(), control("JOIN", {}, line_of(join)));
            if (join.end.kind == EndKind::kExit) {
                join.code.push_back(control("ENDPRG", {}, join.end.line));
                join.end.kind = EndKind::kStop;
            }
        }
        remove_dead_code(function_);
    }

  private:
    /// All ways lead to the one end of the function.
    static BlockIndex end_of(const FlowGraph &graph) {
        const auto end =
            std::ranges::find_if(graph.order, [&](BlockIndex block) { return graph.successors[block].empty(); });
        return end == graph.order.end() ? kNoBlock : *end;
    }

    void part(const Branch &branch) {
        Block &block = function_.blocks[branch.block];
        const End end = block.end;
        Compare compare = compare_of(block, end);
        const BlockIndex meeting = branch.meeting == kNoBlock ? end_ : branch.meeting;
        joins_.insert(meeting);
        block.code.push_back(control("SETRPC", {label(meeting)}, end.line));
        block.code.push_back(control(compare.mnemonic, {compare.a, compare.b, label(end.taken)}, end.line));
        block.end.predicate = always();
        block.end.taken_written = true;
    }

    Compare compare_of(Block &block, const End &end) {
        if (auto compare = compare_behind(block.code, end.predicate)) {
            for (Operand *operand : {&compare->a, &compare->b}) {
                if (operand->kind == OperandKind::kInteger && operand->value != 0) {
                    *operand = in_register("MOV", {*operand}, block, end.line);
                } else if (operand->kind == OperandKind::kInteger) {
                    *operand = zero();
                }
            }
            return *compare;
        }
        // !p selects 0, p the number.
        const Operand flag = in_register("SEL", {zero(), number(1), if_false(end.predicate.reg)}, block, end.line);
        return {end.predicate.negated ? "VBEQ" : "VBNE", flag, zero()};
    }

    Operand in_register(const std::string &mnemonic, std::vector<Operand> sources, Block &block, std::uint32_t line) {
        const Register reg = function_.add(RegisterClass::kGeneral);
        sources.insert(sources.begin(), define(reg));
        block.code.push_back({.mnemonic = mnemonic, .operands = std::move(sources), .line = line});
        return use(reg);
    }

    void go_together(BlockIndex index) {
        Block &block = function_.blocks[index];
        Instruction jump = control("BRA.U", {label(block.end.taken)}, block.end.line);
        jump.guard = std::exchange(block.end.predicate, always());
        block.code.push_back(std::move(jump));
        block.end.taken_written = true;
    }

    Function &function_;
    const Regions &regions_;
    BlockIndex end_;
    std::set<BlockIndex> joins_; ///< blocks that begin with one
};

} // namespace

SimtStackLowering::SimtStackLowering(Module &module, const CallGraph &calls, bool force)
    : module_(module), calls_(calls), force_(force), checks_(module, calls) {}

void SimtStackLowering::prepare(std::size_t function, const CallsSync &calls_sync) {
    Function &code = module_.functions[function];
    if (calls_.in_circle(function)) {
        throw InputError(fmt::format("{}:{}:1: '{}' {}, which simt_stack cannot hold", module_.file, code.line,
                                     code.name,
                                     calls_.recursive()[function] ? "calls itself, directly or through others"
                                                                  : "may call itself through pointers"));
    }
    shape_for_simt_stack(module_, code, calls_sync);
}

void SimtStackLowering::lower(std::size_t function, const Regions &regions) {
    Function &code = module_.functions[function];
    if (!force_) {
        refuse_waiting(module_, code, regions, engine());
    }
    checks_.write(function, regions);
    SimtStackWriter(code, regions).run();
    MaskChecks::lead_to_traps(code);
}

} // namespace smsim::ptx::machine
