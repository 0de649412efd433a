#include "ptx/optimise/alignment.h"

#include <algorithm>
#include <bit>

#include "ptx/optimise/facts.h"
#include "ptx/optimise/fold.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

constexpr unsigned kAll = 32;

class Analysis {
  public:
    Analysis(const Function &function, const Units &units)
        : function_(function), units_(units), zeros_(units.count, kAll) {}

    std::vector<std::uint8_t> run(const FlowGraph &graph) {
        std::vector<bool> written(units_.count, false);
        // From the best value downwards, so that variables of loops are found too.
        for (bool changed = true; changed;) {
            changed = false;
            for (const BlockIndex block : graph.order) {
                for (const Instruction &instruction : function_.blocks[block].code) {
                    if (instruction.mnemonic == kUndefined) {
                        continue;
                    }
                    const unsigned zeros = result_of(instruction);
                    bool first = true; // the lower word of a pair
                    for (const std::uint32_t unit : access_of(instruction, units_).writes) {
                        const unsigned known = first ? zeros : 0;
                        first = false;
                        written[unit] = true;
                        if (known < zeros_[unit]) {
                            zeros_[unit] = static_cast<std::uint8_t>(known);
                            changed = true;
                        }
                    }
                }
            }
        }
        for (std::uint32_t unit = 0; unit < units_.count; ++unit) {
            if (!written[unit] || function_.registers[units_.owner[unit]].kind == RegisterClass::kPredicate ||
                function_.registers[units_.owner[unit]].fixed >= 0) {
                zeros_[unit] = 0;
            }
        }
        return zeros_;
    }

  private:
    unsigned of(const Operand &operand) const {
        if (const auto number = number_of(operand)) {
            return static_cast<unsigned>(std::countr_zero(*number));
        }
        if (operand.kind != OperandKind::kRegister || operand.absolute || function_.registers[operand.reg].fixed >= 0) {
            return 0;
        }
        return zeros_[units_.first[operand.reg] + operand.first];
    }

    unsigned result_of(const Instruction &instruction) const {
        const auto &operands = instruction.operands;
        const std::string &name = instruction.mnemonic;
        const std::size_t first = operands.size() > 1 && operands[1].kind == OperandKind::kPredicate ? 2 : 1;
        if (name == "MOV") {
            return of(operands[1]);
        }
        if (name == "IADD3" && operands.size() >= first + 3) {
            return std::min({of(operands[first]), of(operands[first + 1]), of(operands[first + 2])});
        }
        if (name == "SHL" && operands[2].kind == OperandKind::kInteger) {
            return std::min<unsigned>(kAll, of(operands[1]) +
                                                static_cast<unsigned>(std::min<std::int64_t>(operands[2].value, kAll)));
        }
        if (name == "LEA" && operands.size() == 4 && operands[3].kind == OperandKind::kInteger) {
            return std::min(of(operands[1]) + static_cast<unsigned>(operands[3].value & 31), of(operands[2]));
        }
        const bool product = name == "IMAD" || name == "IMAD.WIDE" || name == "IMAD.WIDE.U32";
        if (product && operands.size() == 4) {
            return std::min({kAll, of(operands[1]) + of(operands[2]), of(operands[3])});
        }
        if (name == "LOP3" && operands.size() == 5 && operands[4].value == 0xc0) {
            return std::max(of(operands[1]), of(operands[2]));
        }
        if (name == "SEL" && operands.size() == 4) {
            return std::min(of(operands[1]), of(operands[2]));
        }
        return 0;
    }

    const Function &function_;
    const Units &units_;
    std::vector<std::uint8_t> zeros_;
};

} // namespace

std::vector<std::uint8_t> trailing_zeros(const Function &function, const FlowGraph &graph, const Units &units) {
    return Analysis(function, units).run(graph);
}

} // namespace smsim::ptx::optimise
