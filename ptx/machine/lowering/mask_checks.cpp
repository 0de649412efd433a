#include "ptx/machine/lowering/mask_checks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "model/program/compiler_traps.h"
#include "ptx/machine/convergence.h"
#include "ptx/machine/lowering/edges.h"
#include "ptx/machine/operands.h"

namespace smsim::ptx::machine {

namespace {

/// The warp's register for the alive threads, which called functions read. The compiler has no other use for uniform
/// registers.
constexpr const char *kAlive = "UR0";

/// All present threads leave for a TRAP, or none: nothing is pushed. It has no target until `lead_to_traps`.
constexpr const char *kCheck = "VBNE";
constexpr std::size_t kCheckOperands = 2;

bool is_meeting(const Instruction &instruction) {
    return instruction.mnemonic == "WARPSYNC" &&
           (instruction.meeting == Meeting::kAlone || instruction.meeting == Meeting::kLanes);
}

/// The checks of one function.
class Writer {
  public:
    Writer(Function &function, const Regions &regions, bool apart)
        : function_(function), regions_(regions), apart_(apart), divergence_(find_divergence(function, regions.graph)),
          masks_(function) {}

    /// By block: whether threads that have not ended may be in another place while others are there.
    template <typename Concerns> std::vector<bool> find_inside(Concerns concerns) const {
        const FlowGraph &graph = regions_.graph;
        std::vector<BlockIndex> open;
        for (const BlockIndex block : graph.order) {
            if (std::ranges::any_of(function_.blocks[block].code, concerns)) {
                open.push_back(block);
            }
        }
        std::vector<bool> leads(function_.blocks.size(), false);
        spread(graph.predecessors, std::move(open), leads);
        std::vector<bool> inside(function_.blocks.size(), apart_);
        for (const Branch &branch : regions_.branches) {
            if (branch.divergent && !apart_ && parts(branch, leads)) {
                std::vector<bool> seen(function_.blocks.size(), false);
                spread(graph.successors, graph.successors[branch.block], seen,
                       [&](BlockIndex at) { return at != branch.meeting; });
                for (BlockIndex at = 0; at < seen.size(); ++at) {
                    inside[at] = inside[at] || seen[at];
                }
            }
        }
        return inside;
    }

    /// The block above `block` at whose end all threads that have not ended are together.
    BlockIndex front_of(BlockIndex block, const std::vector<bool> &inside) const {
        while (block != 0 && inside[block]) {
            block = regions_.graph.idom[block];
        }
        return block;
    }

    /// The register that holds the alive threads at the end of `block`, or, apart, at the beginning of the function.
    Register alive_at(BlockIndex block) {
        const auto [at, is_new] = alive_.try_emplace(block, kNoRegister);
        if (is_new) {
            at->second = function_.add(RegisterClass::kGeneral);
            std::vector<Instruction> &code = function_.blocks[block].code;
            const std::uint32_t line = line_of(function_.blocks[block]);
            if (apart_) {
                code.insert(code.begin(), control("MOV", {define(at->second), text(kAlive)}, line));
            } else {
                code.push_back(control("VOTE.ANY", {define(at->second), always(), always()}, line));
            }
        }
        return at->second;
    }

    /// Passes the alive threads to called functions.
    void tell(BlockIndex block) {
        const Register alive = alive_at(block);
        if (std::exchange(told_[block], true)) {
            return;
        }
        std::vector<Instruction> &code = function_.blocks[block].code;
        code.push_back(control("R2UR", {text(kAlive), use(alive)}, line_of(function_.blocks[block])));
    }

    /// Writes checks before the meetings of `block`. Without `alive`, where all threads that have not ended are
    /// present, only checks for threads that their own mask leaves out.
    void check(BlockIndex block, Register alive = kNoRegister) {
        std::vector<Instruction> checked;
        for (Instruction &instruction : function_.blocks[block].code) {
            if (is_meeting(instruction) && (alive != kNoRegister || !masks_.names_all(instruction))) {
                put_check(checked, instruction, alive);
            }
            checked.push_back(std::move(instruction));
        }
        function_.blocks[block].code = std::move(checked);
    }

  private:
    /// True when threads of several sides of a branch may not have ended while one of them reaches a place of concern:
    /// when the sides meet, or several of them reach one and then end.
    bool parts(const Branch &branch, const std::vector<bool> &leads) const {
        const bool ends = function_.kernel &&
                          (branch.meeting == kNoBlock || function_.blocks[branch.meeting].end.kind == EndKind::kExit);
        return !ends || std::ranges::count_if(regions_.graph.successors[branch.block],
                                              [&](BlockIndex to) { return leads[to]; }) > 1;
    }

    void put_check(std::vector<Instruction> &code, const Instruction &sync, Register alive) {
        const Operand mask = sync.operands[0];
        const bool differs = mask.has_register() && divergence_.registers[mask.reg];
        const auto put = [&](std::string mnemonic, std::vector<Operand> operands) {
            code.push_back({.mnemonic = std::move(mnemonic), .operands = std::move(operands), .line = sync.line});
        };
        const auto made = [&](std::string mnemonic, const std::vector<Operand> &sources) {
            const Register to = function_.add(RegisterClass::kGeneral);
            std::vector<Operand> operands = {define(to)};
            operands.insert(operands.end(), sources.begin(), sources.end());
            put(std::move(mnemonic), std::move(operands));
            return to;
        };
        Register wrong = kNoRegister;
        if (alive != kNoRegister || !differs) {
            const Register here = made("VOTE.ANY", {always(), always()});
            // here & ~mask; alive & mask & ~here; (alive & mask) ^ here.
            wrong = alive == kNoRegister ? made("LOP3", {use(here), mask, zero(), number(0x30)})
                                         : made("LOP3", {use(alive), mask, use(here), number(differs ? 0x40 : 0x6a)});
        }
        if (differs) { // wrong | own & ~mask
            const Register own = made("S2R", {text("SR_EQMASK")});
            wrong = made("LOP3", {wrong == kNoRegister ? zero() : use(wrong), use(own), mask, number(0xf4)});
            wrong = made("REDUX.OR", {use(wrong)});
        }
        code.push_back(control(kCheck, {use(wrong), zero()}, sync.line));
    }

    Function &function_;
    const Regions &regions_;
    bool apart_;
    Divergence divergence_;
    WholeMasks masks_;
    std::map<BlockIndex, Register> alive_;
    std::map<BlockIndex, bool> told_;
};

} // namespace

MaskChecks::MaskChecks(Module &module, const CallGraph &calls)
    : module_(module), calls_(calls), apart_(module.functions.size(), false) {
    std::vector<bool> own;
    for (const Function &function : module.functions) {
        own.push_back(std::ranges::any_of(
            function.blocks, [](const Block &block) { return std::ranges::any_of(block.code, is_meeting); }));
    }
    meets_ = calls.reaching(own);
    for (const std::size_t function : calls.addressed()) {
        apart_[function] = true;
    }
}

void MaskChecks::lead_to_traps(Function &function) {
    for (BlockIndex block = 0; block < function.blocks.size(); ++block) { // what follows a check is visited later
        std::vector<Instruction> &code = function.blocks[block].code;
        const auto check = std::ranges::find_if(code, [](const Instruction &instruction) {
            return instruction.mnemonic == kCheck && instruction.operands.size() == kCheckOperands;
        });
        if (check == code.end()) {
            continue;
        }
        const std::size_t index = static_cast<std::size_t>(check - code.begin());
        const std::uint32_t line = check->line;
        const BlockIndex trap = function.add_block();
        const BlockIndex rest = function.add_block();
        function.blocks[trap] = {.code = {control("TRAP", {number(kMaskTrap)}, line)},
                                 .end = {.kind = EndKind::kStop, .line = line}};
        Block &from = function.blocks[block];
        Block &to = function.blocks[rest];
        const auto behind = from.code.begin() + static_cast<std::ptrdiff_t>(index) + 1;
        std::move(behind, from.code.end(), std::back_inserter(to.code));
        from.code.erase(behind, from.code.end());
        from.code.back().operands.push_back(label(trap));
        to.end = std::exchange(
            from.end, {.kind = EndKind::kBranch, .taken = trap, .next = rest, .taken_written = true, .line = line});
    }
}

void MaskChecks::write(std::size_t index, const Regions &regions) {
    Function &function = module_.functions[index];
    const auto calls_meeting = [&](const Instruction &instruction) {
        return instruction.mnemonic == "CALL" &&
               std::ranges::any_of(calls_.targets(instruction), [&](std::size_t target) { return meets_[target]; });
    };
    const auto concerns = [&](const Instruction &instruction) {
        return is_meeting(instruction) || calls_meeting(instruction);
    };
    const bool any = std::ranges::any_of(function.blocks,
                                         [&](const Block &block) { return std::ranges::any_of(block.code, concerns); });
    if (!any) {
        return;
    }
    Writer writer(function, regions, apart_[index]);
    const std::vector<bool> inside = writer.find_inside(concerns);
    for (const BlockIndex block : regions.graph.order) {
        if (!inside[block]) {
            writer.check(block);
            continue;
        }
        bool calls = false;
        for (const Instruction &instruction : function.blocks[block].code) {
            if (calls_meeting(instruction)) {
                calls = true;
                for (const std::size_t target : calls_.targets(instruction)) {
                    apart_[target] = true;
                }
            }
        }
        const BlockIndex front = writer.front_of(block, inside);
        if (calls && !apart_[index]) {
            writer.tell(front);
        }
        if (std::ranges::any_of(function.blocks[block].code, is_meeting)) {
            writer.check(block, writer.alive_at(front));
        }
    }
}

} // namespace smsim::ptx::machine
