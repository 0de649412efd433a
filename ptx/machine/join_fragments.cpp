#include "ptx/machine/join_fragments.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "ptx/machine/liveness.h"

namespace smsim::ptx::machine {

namespace {

/// More words than this are not looked at: the table of conflicts grows with their square.
constexpr std::uint32_t kMostJoinedWords = 8192;

constexpr std::uint32_t kNoWord = 0xffffffff;

/// A copy of a word.
struct WordCopy {
    std::uint32_t to; ///< units
    std::uint32_t from;
    double weight; ///< by loops
};

/// Registers that have become one: `words` words, in which each member has a place.
struct Fragment {
    std::vector<Register> members;
    unsigned words = 0;
};

/// One round: finds what can be joined in the code as it is, and joins it.
class JoiningRound {
  public:
    explicit JoiningRound(Function &function)
        : function_(function), graph_(analyse(function)), units_(function),
          candidate_(function.registers.size(), false), joined_(function.registers.size()),
          group_(function.registers.size()), offset_(function.registers.size(), 0) {
        for (Register reg = 0; reg < function.registers.size(); ++reg) {
            joined_[reg] = {{reg}, function.registers[reg].words};
            group_[reg] = reg;
        }
    }

    unsigned run() {
        find_copies();
        find_candidates();
        number_words();
        if (words_.empty() || words_.size() > kMostJoinedWords) {
            return 0;
        }
        find_conflicts();
        std::ranges::stable_sort(copies_, std::ranges::greater{}, &WordCopy::weight);
        unsigned joined = 0;
        for (const WordCopy &copy : copies_) {
            joined += join(copy) ? 1 : 0;
        }
        return joined == 0 ? 0 : rewrite();
    }

  private:
    bool is_free(Register reg) const {
        const RegisterInfo &info = function_.registers[reg];
        return info.kind == RegisterClass::kGeneral && info.fixed < 0 && !pinned_[reg];
    }

    void find_copies() {
        pinned_.assign(function_.registers.size(), false);
        for (const BlockIndex block : graph_.order) {
            const double weight = graph_.loop_weight(block);
            const Block &code = function_.blocks[block];
            for (const Instruction &instruction : code.code) {
                look_at(instruction, weight);
            }
            pin(code.end.index);
        }
    }

    void look_at(const Instruction &instruction, double weight) {
        for (const Operand &operand : instruction.operands) {
            if (operand.kind != OperandKind::kRegister) {
                pin(operand); // names the whole register
            }
        }
        for (const std::vector<Register> *list : {&instruction.uses, &instruction.defines}) {
            for (const Register reg : *list) {
                pinned_[reg] = true;
            }
        }
        if (!is_copy(instruction) || instruction.operands[1].negated || instruction.operands[1].absolute) {
            return;
        }
        const Operand &to = instruction.operands[0];
        const Operand &from = instruction.operands[1];
        for (unsigned i = 0; i < to.words && from.has_register(); ++i) {
            copies_.push_back({units_.first[to.reg] + to.first + i, units_.first[from.reg] + from.first + i, weight});
        }
    }

    void pin(const Operand &operand) {
        if (operand.has_register()) {
            pinned_[operand.reg] = true;
        }
    }

    /// Operands of matrix instructions, and what copies connect with them.
    void find_candidates() {
        for (const Block &block : function_.blocks) {
            for (const Instruction &instruction : block.code) {
                if (has_fragments(instruction)) {
                    for_each_register(instruction, [&](const Operand &operand) {
                        candidate_[operand.reg] = candidate_[operand.reg] || is_free(operand.reg);
                    });
                }
            }
        }
        for (bool more = true; more;) {
            more = false;
            for (const WordCopy &copy : copies_) {
                const Register to = units_.owner[copy.to];
                const Register from = units_.owner[copy.from];
                if (candidate_[to] != candidate_[from] && is_free(to) && is_free(from)) {
                    candidate_[to] = candidate_[from] = true;
                    more = true;
                }
            }
        }
        std::erase_if(copies_, [&](const WordCopy &copy) {
            return !candidate_[units_.owner[copy.to]] || !candidate_[units_.owner[copy.from]];
        });
    }

    void number_words() {
        word_of_.assign(units_.count, kNoWord);
        for (std::uint32_t unit = 0; unit < units_.count; ++unit) {
            if (candidate_[units_.owner[unit]]) {
                word_of_[unit] = static_cast<std::uint32_t>(words_.size());
                words_.push_back(unit);
            }
        }
    }

    void find_conflicts() {
        conflict_.assign(words_.size(), std::vector<bool>(words_.size(), false));
        const std::vector<SmallUnitSet> in = live_in(function_, graph_, units_);
        for (const BlockIndex block : graph_.order) {
            UnitSet live = live_before_end(function_, units_, in, block);
            const auto &code = function_.blocks[block].code;
            for (auto instruction = code.rbegin(); instruction != code.rend(); ++instruction) {
                const Access access = access_of(*instruction, units_);
                if (instruction->mnemonic != kUndefined) {
                    find_conflicts(access, is_copy(*instruction), live);
                }
                step_back(access, live);
            }
        }
        in[0].for_each([&](std::uint32_t a) { in[0].for_each([&](std::uint32_t b) { add_conflict(a, b); }); });
    }

    /// A word that is written conflicts with what is live after the instruction, except the word that it is a copy of.
    void find_conflicts(const Access &access, bool is_move, const UnitSet &live) {
        const bool copy = is_move && access.reads.size() == access.writes.size();
        for (std::size_t i = 0; i < access.writes.size(); ++i) {
            const std::uint32_t written = access.writes[i];
            if (word_of_[written] != kNoWord) {
                live.for_each([&](std::uint32_t other) {
                    if (!copy || other != access.reads[i]) {
                        add_conflict(written, other);
                    }
                });
                std::ranges::for_each(access.writes, [&](std::uint32_t beside) { add_conflict(written, beside); });
            }
        }
    }

    void add_conflict(std::uint32_t a, std::uint32_t b) {
        const std::uint32_t x = word_of_[a];
        const std::uint32_t y = word_of_[b];
        if (x != kNoWord && y != kNoWord && a != b) {
            conflict_[x][y] = conflict_[y][x] = true;
        }
    }

    /// Gives both words of a copy the same place, if the groups that they are in can be one.
    bool join(const WordCopy &copy) {
        Register a = group_[units_.owner[copy.to]];
        Register b = group_[units_.owner[copy.from]];
        if (a == b) {
            return false;
        }
        unsigned place_a = place_of(copy.to);
        unsigned place_b = place_of(copy.from);
        if (joined_[a].words < joined_[b].words) {
            std::swap(a, b);
            std::swap(place_a, place_b);
        }
        const unsigned size = joined_[b].words;
        if (place_a < place_b || (place_a - place_b) % size != 0 || place_a - place_b + size > joined_[a].words ||
            conflicts(a, b, place_a - place_b)) {
            return false;
        }
        for (const Register member : joined_[b].members) {
            group_[member] = a;
            offset_[member] += place_a - place_b;
            joined_[a].members.push_back(member);
        }
        joined_[b].members.clear();
        return true;
    }

    unsigned place_of(std::uint32_t unit) const {
        const Register reg = units_.owner[unit];
        return offset_[reg] + unit - units_.first[reg];
    }

    /// Whether words of the groups `a` and `b`, `b` at `offset` of `a`, that get one place are needed at one time.
    bool conflicts(Register a, Register b, unsigned offset) const {
        for (const Register x : joined_[a].members) {
            for (const Register y : joined_[b].members) {
                const unsigned at = offset_[y] + offset;
                const unsigned first = std::max(offset_[x], at);
                const unsigned last =
                    std::min(offset_[x] + function_.registers[x].words, at + function_.registers[y].words);
                for (unsigned place = first; place < last; ++place) {
                    if (conflict_[word_of_[units_.first[x] + place - offset_[x]]]
                                 [word_of_[units_.first[y] + place - at]]) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    /// Gives the members of each group its register, and drops copies of a word to itself.
    unsigned rewrite() {
        unsigned gone = 0;
        for (Block &block : function_.blocks) {
            std::erase_if(block.code, [&](const Instruction &instruction) {
                // Undefined is one member only, and not at all times the place that it shares.
                return instruction.mnemonic == kUndefined && instruction.operands[0].has_register() &&
                       joined_[group_[instruction.operands[0].reg]].members.size() > 1;
            });
            for (Instruction &instruction : block.code) {
                for_each_register(instruction, [&](Operand &operand) {
                    operand.first = static_cast<std::uint8_t>(operand.first + offset_[operand.reg]);
                    operand.reg = group_[operand.reg];
                });
            }
            gone += static_cast<unsigned>(std::erase_if(block.code, [](const Instruction &instruction) {
                return is_copy(instruction) && instruction.operands[0].reg == instruction.operands[1].reg &&
                       instruction.operands[0].first == instruction.operands[1].first;
            }));
        }
        for (Register reg = 0; reg < group_.size(); ++reg) {
            function_.registers[group_[reg]].temporary =
                function_.registers[group_[reg]].temporary && function_.registers[reg].temporary;
        }
        return gone;
    }

    Function &function_;
    FlowGraph graph_;
    Units units_;
    std::vector<bool> pinned_;
    std::vector<bool> candidate_; ///< by register
    std::vector<WordCopy> copies_;
    std::vector<Fragment> joined_;            ///< by register that gives a group its name
    std::vector<Register> group_;             ///< by register
    std::vector<unsigned> offset_;            ///< by register, in its group
    std::vector<std::uint32_t> word_of_;      ///< by unit: its number among `words_`
    std::vector<std::uint32_t> words_;        ///< units of candidates
    std::vector<std::vector<bool>> conflict_; ///< by two of these numbers
};

} // namespace

bool has_fragments(const Instruction &instruction) {
    constexpr std::array<std::string_view, 7> kNames = {"HMMA", "IMMA", "BMMA", "DMMA", "LDSM", "STSM", "MOVM"};
    return std::ranges::any_of(kNames, [&](std::string_view name) { return instruction.mnemonic.starts_with(name); });
}

unsigned join_fragments(Function &function) {
    const bool any = std::ranges::any_of(
        function.blocks, [](const Block &block) { return std::ranges::any_of(block.code, has_fragments); });
    unsigned gone = 0;
    // A round sees copies of one value as different values; the next one finds them joined.
    for (unsigned now = any ? JoiningRound(function).run() : 0; now != 0; now = JoiningRound(function).run()) {
        gone += now;
    }
    return gone;
}

} // namespace smsim::ptx::machine
