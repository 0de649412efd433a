#include "ptx/machine/allocate.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>

#include "model/error.h"
#include "model/isa/instruction.h"
#include "ptx/machine/abi.h"
#include "ptx/machine/liveness.h"
#include "ptx/machine/spill.h"

namespace smsim::ptx::machine {

namespace {

/// The number of register `other` must not be this one's plus `distance`.
struct Conflict {
    Register other;
    std::int8_t distance;
    friend auto operator<=>(const Conflict &, const Conflict &) = default;
};

/// Pairs of registers that may be found to conflict, limited by time and memory: 160 values live after each of 100000
/// instructions. Half of them may be different ones: 2900 values live at the same time.
constexpr std::size_t kMostConflicts = std::size_t{1} << 24;

/// A preference: `other`'s number plus `distance`.
using Hint = Conflict;

/// An instruction reads word `word` of register `other` together with this one, as a pipe of fixed latency does: best
/// from another bank.
struct Neighbour {
    Register other;
    std::uint8_t word;
    double weight; ///< by loops
};

/// Registers are allocated to warps in multiples of this number per thread (model/config).
constexpr int kGranule = 8;

/// Instructions after which an access has certainly read or written its registers.
constexpr std::uint32_t kFarAway = 24;

/// True for instructions that wait for the ports of the register banks.
bool reads_at_fixed_time(const std::string &mnemonic) {
    static const std::set<std::string_view> kNames = [] {
        std::set<std::string_view> names;
        for (const isa::OpSpec &spec : isa::all_operations()) {
            if (isa::reads_at_fixed_time(spec)) {
                names.insert(spec.name);
            }
        }
        return names;
    }();
    return kNames.contains(std::string_view(mnemonic).substr(0, mnemonic.find('.')));
}

/// Which registers are live at the same time.
class Interference {
  public:
    Interference(const Function &function, const FlowGraph &graph, const CallEffects &calls, const std::string &file)
        : function_(function), graph_(graph), calls_(calls), units_(function), file_(file) {
        const std::size_t count = function.registers.size();
        tidied_.assign(count, 64);
        different_.assign(count, 0);
        conflicts.resize(count);
        hints.resize(count);
        neighbours.resize(count);
        forbidden.resize(count);
        cost.assign(count, 0);
        defined_at.assign(count, 0);
        busy_at.assign(count, 0);
        build();
    }

    std::vector<std::vector<Conflict>> conflicts;
    std::vector<std::vector<Hint>> hints;
    std::vector<std::vector<Neighbour>> neighbours; ///< of registers of one word
    std::vector<RegisterSet> forbidden;             ///< numbers that calls change while the register is live
    std::vector<double> cost;                       ///< of spilling: accesses, weighted by loops
    std::vector<Register> order;                    ///< in the order of their definition
    std::vector<std::uint32_t> defined_at;          ///< number of the instruction that defines a register first
    std::vector<std::uint32_t> busy_at; ///< number of the last variable-latency instruction that has the register; 0:
                                        ///< none

  private:
    void build() {
        const std::vector<SmallUnitSet> in = live_in(function_, graph_, units_);
        seen_.assign(function_.registers.size(), false);
        std::uint32_t at = 0;
        in[0].for_each([&](std::uint32_t unit) { meet(units_.owner[unit], at); });
        for (const BlockIndex block : graph_.order) {
            for (const Instruction &instruction : function_.blocks[block].code) {
                ++at;
                const Access access = access_of(instruction, units_);
                for (const std::uint32_t unit : access.writes) {
                    meet(units_.owner[unit], at);
                }
                if (!reads_at_fixed_time(instruction.mnemonic)) {
                    const auto busy = [&](std::uint32_t unit) { busy_at[units_.owner[unit]] = at; };
                    std::ranges::for_each(access.reads, busy);
                    std::ranges::for_each(access.writes, busy);
                }
            }
        }
        for (const BlockIndex block : graph_.order) {
            this->block(block, in);
        }
        // What is live at the beginning without being written is live together.
        in[0].for_each([&](std::uint32_t a) { in[0].for_each([&](std::uint32_t b) { conflict(a, b); }); });
        std::ranges::for_each(conflicts, tidy);
    }

    void meet(Register reg, std::uint32_t at) {
        if (!seen_[reg]) {
            seen_[reg] = true;
            order.push_back(reg);
            defined_at[reg] = at;
        }
    }

    void block(BlockIndex block, const std::vector<SmallUnitSet> &in) {
        const double weight = graph_.loop_weight(block);
        UnitSet live = live_before_end(function_, units_, in, block);
        for (const std::uint32_t unit : reads_of_end(function_.blocks[block].end, units_)) {
            cost[units_.owner[unit]] += weight;
        }
        const auto &code = function_.blocks[block].code;
        for (auto instruction = code.rbegin(); instruction != code.rend(); ++instruction) {
            this->instruction(*instruction, live, weight);
        }
    }

    void instruction(const Instruction &instruction, UnitSet &live, double weight) {
        const Access access = access_of(instruction, units_);
        if (instruction.mnemonic == kUndefined) { // nothing is written, so nothing conflicts
            return step_back(access, live);
        }
        const bool copy = is_copy(instruction);
        if (reads_at_fixed_time(instruction.mnemonic)) {
            banks(instruction, weight);
        }
        if (copy) {
            hint(access.writes[0], access.reads[0]);
        }
        for (const std::uint32_t written : access.writes) {
            cost[units_.owner[written]] += weight;
            live.for_each([&](std::uint32_t other) {
                if (!(copy && other == access.reads[0])) {
                    conflict(written, other);
                }
            });
            for (const std::uint32_t beside : access.writes) {
                conflict(written, beside);
            }
        }
        if (instruction.mnemonic == "CALL") {
            const RegisterSet &clobbered = calls_.clobbered(instruction);
            live.for_each([&](std::uint32_t unit) {
                if (std::ranges::find(access.writes, unit) == access.writes.end()) {
                    forbidden[units_.owner[unit]] |= clobbered;
                }
            });
            for (const std::uint32_t unit : access.reads) { // the target is read after the return address
                forbidden[units_.owner[unit]] |= return_address();
            }
        }
        step_back(access, live);
        for (const std::uint32_t unit : access.reads) {
            cost[units_.owner[unit]] += weight;
        }
    }

    /// Registers that the instruction reads at the same time are neighbours.
    void banks(const Instruction &instruction, double weight) {
        for (const Operand &operand : instruction.operands) {
            if (!is_source(operand) || function_.registers[operand.reg].words != 1) {
                continue;
            }
            for (const Operand &beside : instruction.operands) {
                if (is_source(beside) && beside.reg != operand.reg) {
                    neighbours[operand.reg].push_back({beside.reg, beside.first, weight});
                }
            }
        }
    }
    static bool is_source(const Operand &operand) {
        return operand.kind == OperandKind::kRegister && !operand.defined && operand.has_register();
    }

    static RegisterSet return_address() {
        RegisterSet set;
        set.general.set(kReturnAddress);
        set.general.set(kReturnAddress + 1);
        return set;
    }

    void conflict(std::uint32_t a, std::uint32_t b) {
        const Register x = units_.owner[a];
        const Register y = units_.owner[b];
        if (x == y || function_.registers[x].kind != function_.registers[y].kind) {
            return;
        }
        const auto i = static_cast<int>(a - units_.first[x]);
        const auto j = static_cast<int>(b - units_.first[y]);
        add(x, {y, static_cast<std::int8_t>(i - j)});
        add(y, {x, static_cast<std::int8_t>(j - i)});
        if (++found_ > kMostConflicts || all_ > kMostConflicts / 2) {
            throw InputError(file_ + ":" + std::to_string(function_.line) + ":1: '" + function_.name +
                             "' keeps too many values at the same time; expected smaller functions");
        }
    }

    /// Duplicates are dropped when a list has doubled in length.
    void add(Register reg, Conflict conflict) {
        std::vector<Conflict> &list = conflicts[reg];
        if (!list.empty() && list.back() == conflict) {
            return;
        }
        list.push_back(conflict);
        if (list.size() < tidied_[reg]) {
            return;
        }
        all_ += tidy(list) - different_[reg];
        different_[reg] = list.size();
        tidied_[reg] = 2 * list.size() + 64;
    }

    static std::size_t tidy(std::vector<Conflict> &list) {
        std::ranges::sort(list);
        list.erase(std::unique(list.begin(), list.end()), list.end());
        return list.size();
    }

    void hint(std::uint32_t to, std::uint32_t from) {
        const Register x = units_.owner[to];
        const Register y = units_.owner[from];
        const int i = static_cast<int>(to - units_.first[x]);
        const int j = static_cast<int>(from - units_.first[y]);
        // number(x) + i == number(y) + j
        hints[x].push_back({y, static_cast<std::int8_t>(j - i)});
        hints[y].push_back({x, static_cast<std::int8_t>(i - j)});
    }

    const Function &function_;
    const FlowGraph &graph_;
    const CallEffects &calls_;
    Units units_;
    const std::string &file_;
    std::vector<bool> seen_;
    std::vector<std::size_t> tidied_;    ///< by register, the length at which its conflicts are deduplicated
    std::vector<std::size_t> different_; ///< by register, the conflicts that it had then
    std::size_t all_ = 0;                ///< sum of these
    std::size_t found_ = 0;
};

/// One attempt to give every register a number.
class Colouring {
  public:
    /// `rotate`: prefers a free number that is not busy; otherwise the lowest.
    Colouring(const Function &function, const AllocationRules &rules, const Interference &interference, bool rotate)
        : function_(function), rules_(rules), interference_(interference), rotate_(rotate),
          number_(function.registers.size(), -1), spilled_(function.registers.size(), false) {}

    /// Registers to spill; empty when all have a number.
    std::vector<Register> run() {
        for (Register reg = 0; reg < number_.size(); ++reg) {
            give(reg, function_.registers[reg].fixed);
        }
        for (const Register reg : interference_.order) {
            if (number_[reg] < 0 && !spilled_[reg] && !colour(reg)) {
                spill_for(reg);
            }
        }
        return spills_;
    }

    const std::vector<std::int16_t> &numbers() const { return number_; }
    /// General registers that have been assigned, from 0 on.
    int most() const { return most_; }
    /// The register that found no number although it cannot be spilled; kNoRegister when there is none.
    Register stuck() const { return stuck_; }

  private:
    unsigned limit(const RegisterInfo &info) const {
        return info.kind == RegisterClass::kPredicate ? kPredicates : rules_.general;
    }

    bool colour(Register reg) {
        const RegisterInfo &info = function_.registers[reg];
        taken_.reset();
        for (const Conflict &conflict : interference_.conflicts[reg]) {
            const int other = number_[conflict.other];
            // this + i == other + j is excluded: this == other - (i - j).
            const int place = other - conflict.distance;
            if (other >= 0 && place >= 0 && place < static_cast<int>(taken_.size())) {
                taken_.set(static_cast<std::size_t>(place));
            }
        }
        for (const Hint &hint : interference_.hints[reg]) {
            const int other = number_[hint.other];
            if (other >= 0 && fits(reg, info, other + hint.distance)) {
                give(reg, other + hint.distance);
                return true;
            }
        }
        const int lowest = lowest_from(reg, info, 0, info.words);
        if (lowest < 0) {
            return false;
        }
        if (rotate_ && info.kind == RegisterClass::kGeneral) {
            give(reg, least_busy(reg, info, lowest));
            return true;
        }
        give(reg, better_bank(reg, info, lowest));
        return true;
    }

    /// The lowest place from `first` on, in such steps; -1: there is none.
    int lowest_from(Register reg, const RegisterInfo &info, int first, int step) const {
        for (int place = first; place + info.words <= static_cast<int>(limit(info)); place += step) {
            if (fits(reg, info, place)) {
                return place;
            }
        }
        return -1;
    }

    /// The place whose last slow access lies farthest back, or far enough; among several the one in the bank where
    /// less is read together with the register, then the lowest.
    int least_busy(Register reg, const RegisterInfo &info, int lowest) const {
        const std::array<double, isa::kRegisterBanks> beside = read_beside(reg);
        const auto rank = [&](int place) {
            std::uint32_t busy = 0;
            for (int i = 0; i < info.words; ++i) {
                busy = std::max(busy, busy_[static_cast<std::size_t>(place + i)]);
            }
            const std::uint32_t at = interference_.defined_at[reg];
            const std::uint32_t behind = busy == 0 || busy >= at ? kFarAway : std::min(at - busy, kFarAway);
            return std::pair(kFarAway - behind, beside[static_cast<std::size_t>(place) % isa::kRegisterBanks]);
        };
        int best = lowest;
        for (int place = lowest; place >= 0; place = lowest_from(reg, info, place + info.words, info.words)) {
            if (rank(place) < rank(best)) {
                best = place;
            }
        }
        return best;
    }

    /// `lowest`, or the lowest place in the other bank if less of what is read together with the register is there, at
    /// the cost of at most one additional register.
    int better_bank(Register reg, const RegisterInfo &info, int lowest) const {
        const std::vector<Neighbour> &neighbours = interference_.neighbours[reg];
        if (neighbours.empty() || info.kind != RegisterClass::kGeneral) {
            return lowest;
        }
        const std::array<double, isa::kRegisterBanks> beside = read_beside(reg);
        const std::size_t bank = static_cast<std::size_t>(lowest) % isa::kRegisterBanks;
        if (beside[bank] <= beside[1 - bank]) {
            return lowest;
        }
        const int other = lowest_from(reg, info, lowest + 1, isa::kRegisterBanks);
        return other < 0 || other > most_ ? lowest : other;
    }

    /// How often something of each bank is read together with the register.
    std::array<double, isa::kRegisterBanks> read_beside(Register reg) const {
        std::array<double, isa::kRegisterBanks> beside{};
        for (const Neighbour &neighbour : interference_.neighbours[reg]) {
            if (number_[neighbour.other] >= 0) {
                beside[static_cast<std::size_t>(number_[neighbour.other] + neighbour.word) % isa::kRegisterBanks] +=
                    neighbour.weight;
            }
        }
        return beside;
    }

    void give(Register reg, int place) {
        number_[reg] = static_cast<std::int16_t>(place);
        if (function_.registers[reg].kind == RegisterClass::kGeneral && place >= 0) {
            most_ = std::max(most_, place + function_.registers[reg].words);
            for (int i = 0; i < function_.registers[reg].words; ++i) {
                std::uint32_t &busy = busy_[static_cast<std::size_t>(place + i)];
                busy = std::max(busy, interference_.busy_at[reg]);
            }
        }
    }

    bool fits(Register reg, const RegisterInfo &info, int place) const {
        if (place < 0 || place % info.words != 0 || place + info.words > static_cast<int>(limit(info)) ||
            taken_.test(static_cast<std::size_t>(place))) {
            return false;
        }
        const RegisterSet &forbidden = interference_.forbidden[reg];
        if (info.kind == RegisterClass::kPredicate) {
            return !forbidden.predicates.test(static_cast<std::size_t>(place));
        }
        for (unsigned i = 0; i < info.words; ++i) {
            const std::size_t number = static_cast<std::size_t>(place) + i;
            if (forbidden.general.test(number) || rules_.reserved.general.test(number)) {
                return false;
            }
        }
        return true;
    }

    /// Spills what costs least: the register itself, or all that conflict with it at one place.
    void spill_for(Register reg) {
        const RegisterInfo &info = function_.registers[reg];
        const auto price = [&](Register candidate) {
            return interference_.cost[candidate] / static_cast<double>(interference_.conflicts[candidate].size() + 1);
        };
        std::map<int, std::vector<Register>> in_the_way; // by place
        for (const Conflict &conflict : interference_.conflicts[reg]) {
            if (number_[conflict.other] >= 0) {
                in_the_way[number_[conflict.other] - conflict.distance].push_back(conflict.other);
            }
        }
        taken_.reset();
        double lowest = can_spill(reg) ? price(reg) : std::numeric_limits<double>::infinity();
        int best = -1;
        for (const auto &[place, others] : in_the_way) {
            if (!fits(reg, info, place) ||
                !std::ranges::all_of(others, [&](Register other) { return can_spill(other); })) {
                continue;
            }
            double sum = 0;
            for (const Register other : others) {
                sum += price(other);
            }
            if (sum < lowest) {
                lowest = sum;
                best = place;
            }
        }
        if (best >= 0) {
            for (const Register other : in_the_way.at(best)) {
                if (number_[other] >= 0) { // several words of one register conflict
                    spill(other);
                    number_[other] = -1;
                }
            }
            give(reg, best);
        } else if (can_spill(reg)) {
            spill(reg);
        } else {
            stuck_ = stuck_ == kNoRegister ? reg : stuck_;
        }
    }

    bool can_spill(Register reg) const {
        const RegisterInfo &info = function_.registers[reg];
        return info.fixed < 0 && !info.spilled && !spilled_[reg];
    }

    void spill(Register reg) {
        spills_.push_back(reg);
        spilled_[reg] = true;
    }

    const Function &function_;
    const AllocationRules &rules_;
    const Interference &interference_;
    bool rotate_;
    std::vector<std::int16_t> number_;
    std::array<std::uint32_t, kGeneralRegisters + 1> busy_{}; ///< by number, as Interference::busy_at
    int most_ = 0;                                            ///< general registers that have been assigned, from 0 on
    std::vector<Register> spills_;
    std::vector<bool> spilled_; ///< by register
    std::bitset<512> taken_;
    Register stuck_ = kNoRegister;
};

RegisterSet used_by(const Function &function, const std::vector<std::int16_t> &number) {
    RegisterSet used;
    const auto add = [&](Register reg) {
        const RegisterInfo &info = function.registers[reg];
        for (unsigned i = 0; number[reg] >= 0 && i < info.words; ++i) {
            const auto at = static_cast<std::size_t>(number[reg]) + i;
            if (info.kind == RegisterClass::kPredicate) {
                used.predicates.set(at);
            } else {
                used.general.set(at);
            }
        }
    };
    for (const Block &block : function.blocks) {
        for (const Instruction &instruction : block.code) {
            for_each_register(instruction, [&](const Operand &operand) { add(operand.reg); });
            std::ranges::for_each(instruction.uses, add);
            std::ranges::for_each(instruction.defines, add);
        }
        if (block.end.predicate.has_register()) {
            add(block.end.predicate.reg);
        }
        if (block.end.index.has_register()) {
            add(block.end.index.reg);
        }
    }
    return used;
}

/// Colours again with the numbers of the granules that `most` registers need; `number` stays unchanged when that
/// fails.
void rotate(const Function &function, AllocationRules rules, const Interference &interference, int most,
            std::vector<std::int16_t> &number) {
    rules.general = std::min(rules.general, static_cast<unsigned>((most + kGranule - 1) / kGranule * kGranule));
    Colouring again(function, rules, interference, true);
    if (again.run().empty() && again.stuck() == kNoRegister) {
        number = again.numbers();
    }
}

} // namespace

Allocation allocate(Function &function, const AllocationRules &rules, const CallEffects &calls,
                    const std::string &file) {
    Allocation allocation;
    for (;;) {
        const FlowGraph graph = analyse(function);
        const Interference interference(function, graph, calls, file);
        Colouring colouring(function, rules, interference, false);
        const std::vector<Register> spills = colouring.run();
        if (spills.empty() && colouring.stuck() == kNoRegister) {
            allocation.number = colouring.numbers();
            if (rules.rotate) {
                rotate(function, rules, interference, colouring.most(), allocation.number);
            }
            allocation.used = used_by(function, allocation.number);
            return allocation;
        }
        if (spills.empty()) {
            throw InputError(file + ":" + std::to_string(function.line) + ":1: '" + function.name +
                             "' needs more than " + std::to_string(rules.general) +
                             " registers in one instruction; expected a higher limit");
        }
        allocation.spills += static_cast<unsigned>(spills.size());
        insert_spills(function, spills);
    }
}

} // namespace smsim::ptx::machine
