// The tokens at each instruction, found by following the program from its kernels and called functions.
#include "assembler/token_regions.h"

#include <map>
#include <utility>

namespace smsim::assembler {
namespace {

using isa::Instruction;
using isa::Op;

/// The open regions at an instruction: the innermost one, which knows those around it.
using Regions = std::int32_t;
constexpr Regions kUnseen = -2;  ///< no path found yet
constexpr Regions kUnknown = -1; ///< paths disagree
constexpr Regions kNone = 0;     ///< none in this function

/// Where threads that leave by SYNC, BRK and CONT continue; none if there is no such region.
struct Region {
    std::optional<std::uint32_t> sync;
    std::optional<std::uint32_t> brk;
    std::optional<std::uint32_t> cont;
};

class Search {
  public:
    explicit Search(const Program &program) : program_(program), at_(program.code.size(), kUnseen), regions_(1) {
        for (const Kernel &kernel : program.kernels) {
            reach(kernel.entry / kInstructionBytes, kNone);
        }
        reach(0, kNone);
        while (!open_.empty()) {
            const std::uint32_t index = open_.back();
            open_.pop_back();
            follow(index);
        }
    }

    std::vector<std::optional<std::uint32_t>> ends() const {
        std::vector<std::optional<std::uint32_t>> ends(program_.code.size());
        for (std::size_t i = 0; i < ends.size(); ++i) {
            ends[i] = end_of(program_.code[i].op, at_[i]);
        }
        return ends;
    }

  private:
    void reach(std::size_t index, Regions regions) {
        if (index >= at_.size() || at_[index] == regions || at_[index] == kUnknown) {
            return;
        }
        at_[index] = at_[index] == kUnseen ? regions : kUnknown;
        open_.push_back(static_cast<std::uint32_t>(index));
    }

    /// The regions after `index` for threads that do not jump there.
    Regions fall_through(std::uint32_t index, Regions here) {
        const Instruction &insn = program_.code[index];
        if (insn.op == Op::kPret) { // a function knows nothing of its callers
            return kNone;
        }
        const bool behind_pret = index > 0 && program_.code[index - 1].op == Op::kPret;
        if (isa::obeys_call_limit(insn) && behind_pret) { // threads that stay here found no room for the token
            return at_[index - 1];
        }
        return isa::opens_region(insn.op) ? inside(here, index) : here;
    }

    void reach_named(const Instruction &insn, Regions regions) {
        if (const auto address = isa::named_address(insn); address && *address >= 0) {
            reach(static_cast<std::size_t>(*address) / kInstructionBytes, regions);
        }
    }

    /// The region that `insn` opens inside `around`. SYNC leaves only the innermost one, BRK and CONT the innermost of
    /// their kind.
    Region opened(const Region &around, const Instruction &insn) const {
        const auto address = static_cast<Pc>(*isa::named_address(insn));
        const std::optional<std::uint32_t> end =
            program_.contains(address) ? std::optional(static_cast<std::uint32_t>(address / kInstructionBytes))
                                       : std::nullopt;
        return {insn.op == Op::kSsy ? end : std::nullopt, insn.op == Op::kPbk ? end : around.brk,
                insn.op == Op::kPcnt ? end : around.cont};
    }

    Regions inside(Regions around, std::uint32_t index) {
        if (around == kUnknown) {
            return kUnknown;
        }
        const auto [found, is_new] = known_.try_emplace({around, index}, static_cast<Regions>(regions_.size()));
        if (is_new) {
            regions_.push_back(opened(regions_[static_cast<std::size_t>(around)], program_.code[index]));
        }
        return found->second;
    }

    void follow(std::uint32_t index) {
        const Instruction &insn = program_.code[index];
        const Regions here = at_[index];
        reach_named(insn, insn.op == Op::kCal ? kNone : here);
        if (may_fall_through(insn)) {
            reach(index + 1, fall_through(index, here));
        }
    }

    std::optional<std::uint32_t> end_of(Op op, Regions here) const {
        if (here <= kNone) {
            return std::nullopt;
        }
        const Region &region = regions_[static_cast<std::size_t>(here)];
        return op == Op::kSync   ? region.sync
               : op == Op::kBrk  ? region.brk
               : op == Op::kCont ? region.cont
                                 : std::nullopt;
    }

    const Program &program_;
    std::vector<Regions> at_;
    std::vector<Region> regions_; ///< the first means none
    std::map<std::pair<Regions, std::uint32_t>, Regions> known_;
    std::vector<std::uint32_t> open_;
};

} // namespace

bool may_fall_through(const Instruction &insn) {
    const bool goes = isa::leaves_region(insn.op) || insn.op == Op::kExit ||
                      (isa::is_token_jump(insn.op) && insn.op != Op::kCal && !isa::obeys_call_limit(insn));
    const bool always =
        insn.pg == isa::kPt && !insn.pg_not && insn.pp == isa::kPt && !insn.pp_not && insn.test == ConditionTest::kT;
    return !(goes && always);
}

std::vector<std::optional<std::uint32_t>> region_ends(const Program &program) {
    return Search(program).ends();
}

} // namespace smsim::assembler
