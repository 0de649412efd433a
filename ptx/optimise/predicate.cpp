#include "ptx/optimise/predicate.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ptx/machine/liveness.h"
#include "ptx/machine/operands.h"
#include "ptx/optimise/facts.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

/// Most instructions of all ways together: about what region, branch and meeting cost.
constexpr std::size_t kMostInstructions = 5;
/// Most of these that are accesses to memory or others that occupy a unit.
constexpr std::size_t kMostSlow = 4;

/// True for instructions that can be guarded and then have the same effect as after the branch.
bool takes_guard(const Instruction &instruction) {
    if (instruction.mnemonic == kUndefined) {
        return true;
    }
    constexpr std::array<std::string_view, 5> kAccesses = {"LDG", "LDS", "LDL", "STG", "STS"};
    const bool access =
        std::ranges::any_of(kAccesses,
                            [&](std::string_view name) { return is_operation(instruction.mnemonic, name); }) ||
        is_operation(instruction.mnemonic, "STL");
    return !instruction.moves_threads && !instruction.spins && instruction.uses.empty() &&
           instruction.defines.empty() && (access || is_pure(instruction));
}

/// A number in a register, which others may share.
bool holds_number(const Instruction &instruction) {
    return instruction.mnemonic == "MOV" && instruction.operands[1].kind == OperandKind::kInteger;
}

class Conversion {
  public:
    explicit Conversion(Function &function)
        : function_(function), units_(function), graph_(analyse(function)), in_(live_in(function, graph_, units_)),
          touched_(function.blocks.size(), false) {}

    /// Converts all independent branches for which it pays; returns how many.
    unsigned run() {
        unsigned converted = 0;
        for (auto block = graph_.order.rbegin(); block != graph_.order.rend(); ++block) {
            converted += convert(*block) ? 1 : 0;
        }
        return converted;
    }

  private:
    /// A block that only `from` leads to and that falls through: its code can be guarded.
    bool is_way(BlockIndex block, BlockIndex from) const {
        const Block &code = function_.blocks[block];
        return block != from && !touched_[block] && graph_.predecessors[block].size() == 1 &&
               code.end.kind == EndKind::kFall && code.end.next != block && std::ranges::all_of(code.code, takes_guard);
    }

    bool convert(BlockIndex at) {
        Block &block = function_.blocks[at];
        if (touched_[at] || block.end.kind != EndKind::kBranch || !block.end.predicate.has_register() ||
            block.end.taken == block.end.next || block.end.rare) {
            return false;
        }
        const BlockIndex taken = block.end.taken;
        const BlockIndex next = block.end.next;
        const bool by_taken = is_way(taken, at);
        const bool by_next = is_way(next, at);
        std::optional<BlockIndex> meeting;
        std::vector<std::pair<BlockIndex, Operand>> ways;
        if (by_taken && function_.blocks[taken].end.next == next) {
            meeting = next;
            ways = {{taken, block.end.predicate}};
        } else if (by_next && function_.blocks[next].end.next == taken) {
            meeting = taken;
            ways = {{next, negated(block.end.predicate)}};
        } else if (by_taken && by_next && function_.blocks[taken].end.next == function_.blocks[next].end.next) {
            meeting = function_.blocks[next].end.next;
            ways = {{next, negated(block.end.predicate)}, {taken, block.end.predicate}};
        }
        if (!meeting || *meeting == at || !pays(ways) || !keeps_predicate(ways, block.end.predicate.reg)) {
            return false;
        }
        announce(block, ways, *meeting);
        for (const auto &[way, guard] : ways) {
            append(block, function_.blocks[way], guard, *meeting, ways);
            touched_[way] = true;
        }
        touched_[at] = true;
        block.end.kind = EndKind::kFall;
        block.end.next = *meeting;
        block.end.predicate = always();
        block.end.uniform = false;
        return true;
    }

    bool pays(const std::vector<std::pair<BlockIndex, Operand>> &ways) const {
        std::size_t all = 0;
        std::size_t slow = 0;
        std::size_t guarded = 0;
        for (const auto &[way, guard] : ways) {
            for (const Instruction &instruction : function_.blocks[way].code) {
                all += instruction.mnemonic == kUndefined || holds_number(instruction) ? 0 : 1;
                slow += is_slow(instruction) ? 1 : 0;
                guarded += instruction.guarded() ? 1 : 0;
            }
        }
        return all + guarded <= kMostInstructions && slow <= kMostSlow;
    }

    bool keeps_predicate(const std::vector<std::pair<BlockIndex, Operand>> &ways, Register predicate) const {
        for (const auto &[way, guard] : ways) {
            for (const Instruction &instruction : function_.blocks[way].code) {
                if (std::ranges::any_of(instruction.operands, [&](const Operand &operand) {
                        return operand.defined && operand.reg == predicate;
                    })) {
                    return false;
                }
            }
        }
        return true;
    }

    /// Registers that both ways write before they are read are undefined before: otherwise the old value would stay
    /// live.
    void announce(Block &block, const std::vector<std::pair<BlockIndex, Operand>> &ways, BlockIndex meeting) {
        if (ways.size() != 2) {
            return;
        }
        std::vector<std::vector<bool>> written;
        for (const auto &[way, guard] : ways) {
            written.emplace_back(units_.count, false);
            for (const Instruction &instruction : function_.blocks[way].code) {
                const Access access = access_of(instruction, units_);
                for (const std::uint32_t unit : access.kills()) {
                    written.back()[unit] = instruction.mnemonic != kUndefined;
                }
            }
        }
        std::vector<Register> known;
        in_[meeting].for_each([&](std::uint32_t unit) {
            const Register reg = units_.owner[unit];
            if (std::ranges::find(known, reg) != known.end() || function_.registers[reg].fixed >= 0) {
                return;
            }
            known.push_back(reg);
            const RegisterInfo &info = function_.registers[reg];
            for (unsigned i = 0; i < info.words; ++i) {
                const std::uint32_t each = units_.first[reg] + i;
                const bool wanted = in_[meeting].has(each);
                const bool before = in_[ways[0].first].has(each) || in_[ways[1].first].has(each);
                if (before || (wanted && !(written[0][each] && written[1][each]))) {
                    return;
                }
            }
            block.code.push_back({.mnemonic = std::string(kUndefined),
                                  .operands = {info.kind == RegisterClass::kPredicate ? define_predicate(reg)
                                                                                      : define(reg, info.words)}});
        });
    }

    /// None of these is read after the way.
    bool is_inner(const Access &access, BlockIndex meeting, const std::vector<std::pair<BlockIndex, Operand>> &ways,
                  const Block &own) const {
        return std::ranges::none_of(access.writes, [&](std::uint32_t unit) {
            return in_[meeting].has(unit) || std::ranges::any_of(ways, [&](const auto &way) {
                       return &function_.blocks[way.first] != &own && in_[way.first].has(unit);
                   });
        });
    }

    void append(Block &block, Block &way, const Operand &guard, BlockIndex meeting,
                const std::vector<std::pair<BlockIndex, Operand>> &ways) {
        for (Instruction &instruction : way.code) {
            const Access access = access_of(instruction, units_);
            const bool inner = is_inner(access, meeting, ways, way);
            if (instruction.mnemonic == kUndefined) {
                if (inner) {
                    block.code.push_back(std::move(instruction));
                }
                continue;
            }
            if (inner && is_pure(instruction) &&
                !is_slow(instruction)) { // speculation is harmless: the result is not read where the guard is false
                block.code.push_back(std::move(instruction));
                continue;
            }
            if (instruction.guarded()) {
                const Register both = function_.add(RegisterClass::kPredicate);
                function_.registers[both].temporary = true;
                block.code.push_back(
                    {.mnemonic = "PSETP.AND.AND",
                     .operands = {define_predicate(both), always(), guard, instruction.guard, always()},
                     .line = instruction.line});
                instruction.kills = instruction.kills && inner;
                instruction.guard = if_true(both);
            } else {
                instruction.kills = inner;
                instruction.guard = guard;
            }
            block.code.push_back(std::move(instruction));
        }
        way.code.clear();
    }

    Function &function_;
    Units units_;
    FlowGraph graph_;
    std::vector<SmallUnitSet> in_;
    std::vector<bool> touched_; ///< by block: changed since the analysis
};

} // namespace

unsigned predicate_branches(Function &function) {
    constexpr unsigned kMostRounds = 8; // ways inside of ways
    unsigned converted = 0;
    for (unsigned round = 0; round < kMostRounds; ++round) {
        const unsigned more = Conversion(function).run();
        if (more == 0) {
            break;
        }
        converted += more;
        tidy(function);
    }
    return converted;
}

} // namespace smsim::ptx::optimise
