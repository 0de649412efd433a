#include "ptx/optimise/unread.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ptx/machine/liveness.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

class Marking {
  public:
    explicit Marking(Function &function) : function_(function), units_(function), wanted_(units_.count, false) {}

    void run() {
        find_writers();
        for (Block &block : function_.blocks) {
            for (const Instruction &instruction : block.code) {
                if (stays(instruction)) {
                    want_all(access_of(instruction, units_).reads);
                }
            }
            want_all(reads_of_end(block.end, units_));
        }
        while (!open_.empty()) {
            const std::uint32_t unit = open_.back();
            open_.pop_back();
            for (const Instruction *writer : writers_[unit]) {
                want_all(access_of(*writer, units_).reads);
            }
        }
        for (Block &block : function_.blocks) {
            std::erase_if(block.code, [&](const Instruction &instruction) { return !is_wanted(instruction); });
        }
    }

  private:
    void find_writers() {
        writers_.resize(units_.count);
        for (const Block &block : function_.blocks) {
            for (const Instruction &instruction : block.code) {
                for (const std::uint32_t unit : access_of(instruction, units_).writes) {
                    writers_[unit].push_back(&instruction);
                }
            }
        }
    }

    void want_all(const UnitList &units) {
        for (const std::uint32_t unit : units) {
            if (!wanted_[unit]) {
                wanted_[unit] = true;
                open_.push_back(unit);
            }
        }
    }

    /// Has an effect, or writes a register with a number, which calls and ends of functions read without naming it.
    bool stays(const Instruction &instruction) const {
        return has_effect(instruction) || std::ranges::any_of(instruction.operands, [&](const Operand &operand) {
                   return operand.defined && operand.has_register() && function_.registers[operand.reg].fixed >= 0;
               });
    }

    bool is_wanted(const Instruction &instruction) const {
        if (stays(instruction)) {
            return true;
        }
        const Access access = access_of(instruction, units_);
        return std::ranges::any_of(access.writes, [&](std::uint32_t unit) { return wanted_[unit]; });
    }

    Function &function_;
    Units units_;
    std::vector<std::vector<const Instruction *>> writers_; ///< by unit
    std::vector<bool> wanted_;                              ///< by unit
    std::vector<std::uint32_t> open_;
};

} // namespace

void remove_unread(Function &function) {
    Marking(function).run();
}

} // namespace smsim::ptx::optimise
