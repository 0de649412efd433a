#include "ptx/machine/mask_synchronisation.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "ptx/machine/convergence.h"
#include "ptx/machine/flow_graph.h"
#include "ptx/machine/liveness.h"
#include "ptx/machine/operands.h"
#include "ptx/machine/regions.h"

namespace smsim::ptx::machine {

namespace {

/// Far beyond what kernels have; each is compared with all others.
constexpr std::size_t kMostPlaces = 256;

/// A WARPSYNC and its instruction over lanes, by their positions in a block; for a WARPSYNC alone both are the same.
struct Place {
    BlockIndex block = 0;
    std::size_t sync = 0;
    std::size_t last = 0;
};

bool is_meeting(const Instruction &instruction) {
    return instruction.mnemonic == "WARPSYNC" && !instruction.guarded() &&
           (instruction.meeting == Meeting::kAlone || instruction.meeting == Meeting::kLanes);
}

bool defines(const Instruction &instruction, Register reg) {
    return std::ranges::any_of(instruction.operands,
                               [&](const Operand &operand) { return operand.defined && operand.reg == reg; });
}

/// True when `a` writes what `b` reads or writes.
bool comes_first(const Instruction &a, const Instruction &b) {
    bool found = false;
    for_each_register(b, [&](const Operand &operand) { found = found || defines(a, operand.reg); });
    return found;
}

/// The place of a meeting. What is between its instructions must be movable before it; otherwise there is none.
std::optional<Place> place_at(const Function &function, BlockIndex block, std::size_t sync) {
    const std::vector<Instruction> &code = function.blocks[block].code;
    if (code[sync].meeting == Meeting::kAlone) {
        return Place{block, sync, sync};
    }
    for (std::size_t i = sync + 1; i < code.size(); ++i) {
        if (code[i].meeting == Meeting::kOfLanes) {
            return code[i].guarded() ? std::nullopt : std::optional(Place{block, sync, i});
        }
        constexpr std::array<std::string_view, 7> kStays = {"LD", "S2R", "CS2R", "VOTE", "MATCH", "REDUX", "SHFL"};
        const bool stays = has_effect(code[i]) || std::ranges::any_of(kStays, [&](std::string_view name) {
                               return code[i].mnemonic.starts_with(name);
                           });
        if (stays || comes_first(code[i], code[sync])) {
            break;
        }
    }
    return std::nullopt;
}

/// True for an operand that can be moved to a register, or come from one.
bool is_value(const Operand &operand) {
    const bool kind = operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kInteger ||
                      operand.kind == OperandKind::kZero || operand.kind == OperandKind::kConstant;
    return kind && !operand.negated && !operand.absolute;
}

/// True when one operand can replace both.
bool can_be_one(const Operand &a, const Operand &b) {
    if (a == b) {
        return true;
    }
    if (a.kind == OperandKind::kPredicate || b.kind == OperandKind::kPredicate) {
        return a.kind == b.kind && a.defined == b.defined;
    }
    const auto dropped = [](const Operand &operand) { return operand.kind == OperandKind::kZero; };
    const bool fit = is_value(a) && is_value(b) && (a.words == b.words || dropped(a) || dropped(b));
    return fit && (a.defined == b.defined || dropped(a) || dropped(b));
}

/// True when threads may meet at both places according to PTX: the same operation, and masks that may be the same.
bool is_same_operation(const Function &function, const Place &a, const Place &b) {
    const Instruction &sync = function.blocks[a.block].code[a.sync];
    const Instruction &other_sync = function.blocks[b.block].code[b.sync];
    const Operand &mask = sync.operands[0];
    const Operand &other_mask = other_sync.operands[0];
    const bool numbers = mask.kind == OperandKind::kInteger && other_mask.kind == OperandKind::kInteger;
    if (sync.meeting != other_sync.meeting || (numbers && mask.value != other_mask.value) || !is_value(mask) ||
        !is_value(other_mask)) {
        return false;
    }
    const Instruction &one = function.blocks[a.block].code[a.last];
    const Instruction &other = function.blocks[b.block].code[b.last];
    return a.last == a.sync ||
           (one.mnemonic == other.mnemonic && std::ranges::equal(one.operands, other.operands, can_be_one));
}

class Meetings {
  public:
    Meetings(Function &function, bool together)
        : function_(function), graph_(analyse(function)), divergence_(find_divergence(function, graph_)),
          regions_(find_regions(function, divergence_)) {
        if (!graph_.reducible) {
            return;
        }
        const std::vector<bool> converged = find_converged(function, regions_, divergence_, together);
        for (const BlockIndex block : graph_.order) {
            collect(block, converged[block]);
        }
    }

    /// Merges the first two places that threads may reach at the same time; false when there are none.
    bool move_one() {
        if (places_.size() < 2 || places_.size() > kMostPlaces) {
            return false;
        }
        for (std::size_t a = 0; a < places_.size(); ++a) {
            for (std::size_t b = a + 1; b < places_.size(); ++b) {
                if (places_[a].block != places_[b].block &&
                    graph_.loop_of[places_[a].block] == graph_.loop_of[places_[b].block] &&
                    is_same_operation(function_, places_[a], places_[b]) &&
                    at_the_same_time(places_[a].block, places_[b].block)) {
                    make_one(places_[a], places_[b]);
                    return true;
                }
            }
        }
        return false;
    }

  private:
    /// Places of a block at which the warp is not certainly together. After the first one of all lanes it is.
    void collect(BlockIndex block, bool together) {
        const std::vector<Instruction> &code = function_.blocks[block].code;
        for (std::size_t i = 0; i < code.size(); ++i) {
            if (is_meeting(code[i]) && !together) {
                if (const auto place = place_at(function_, block, i)) {
                    places_.push_back(*place);
                }
            }
            together = together_behind(code[i], together);
        }
    }

    /// Blocks that lead to `to` inside of one round of its loop, including itself.
    std::vector<bool> leading_to(BlockIndex to) const {
        const LoopIndex loop = graph_.loop_of[to];
        std::vector<bool> found(function_.blocks.size(), false);
        std::vector<BlockIndex> open = {to};
        while (!open.empty()) {
            const BlockIndex at = open.back();
            open.pop_back();
            if (found[at] || !graph_.inside(at, loop)) {
                continue;
            }
            found[at] = true;
            if (loop == kNoLoop || at != graph_.loops[loop].header) {
                open.insert(open.end(), graph_.predecessors[at].begin(), graph_.predecessors[at].end());
            }
        }
        return found;
    }

    /// True when a branch may send some threads of a warp to one of the blocks and others to the other, neither of
    /// which leads to the other in the same round.
    bool at_the_same_time(BlockIndex a, BlockIndex b) const {
        const std::vector<bool> to_a = leading_to(a);
        const std::vector<bool> to_b = leading_to(b);
        if (to_a[b] || to_b[a]) {
            return false;
        }
        return std::ranges::any_of(regions_.branches, [&](const Branch &branch) {
            if (!branch.divergent || !to_a[branch.block] || !to_b[branch.block]) {
                return false;
            }
            const BlockIndex meeting = branch.region == kNoRegion ? kNoBlock : regions_.regions[branch.region].meeting;
            if (meeting != kNoBlock && to_a[meeting] && to_b[meeting]) {
                return false; // together again before them
            }
            const std::vector<BlockIndex> &ways = graph_.successors[branch.block];
            return std::ranges::any_of(ways, [&](BlockIndex one) {
                return to_a[one] &&
                       std::ranges::any_of(ways, [&](BlockIndex other) { return other != one && to_b[other]; });
            });
        });
    }

    /// Moves what follows `place` in its block to a new block; the block falls through to `next`.
    BlockIndex cut(const Place &place, BlockIndex next) {
        const BlockIndex rest = function_.add_block();
        Block &from = function_.blocks[place.block];
        Block &to = function_.blocks[rest];
        const auto behind = from.code.begin() + static_cast<std::ptrdiff_t>(place.last) + 1;
        std::move(behind, from.code.end(), std::back_inserter(to.code));
        from.code.erase(behind, from.code.end());
        const std::uint32_t line = from.code[place.sync].line;
        to.end = std::exchange(from.end, {.kind = EndKind::kFall, .next = next, .line = line});
        if (place.last != place.sync) {
            from.code.pop_back();
        }
        from.code.erase(from.code.begin() + static_cast<std::ptrdiff_t>(place.sync));
        return rest;
    }

    static void copy(std::vector<Instruction> &code, const Operand &to, const Operand &from, std::uint32_t line) {
        if (to.kind == OperandKind::kPredicate) {
            code.push_back(
                {.mnemonic = "PSETP.AND.AND", .operands = {to, always(), always(), from, always()}, .line = line});
            return;
        }
        for (unsigned i = 0; i < to.words; ++i) {
            code.push_back({.mnemonic = "MOV", .operands = {word(to, i), word(from, i)}, .line = line});
        }
    }

    void make_one(const Place &a, const Place &b) {
        const auto take = [&](const Place &place) {
            std::vector<Instruction> taken = {function_.blocks[place.block].code[place.sync]};
            if (place.last != place.sync) {
                taken.push_back(function_.blocks[place.block].code[place.last]);
            }
            return taken;
        };
        std::vector<Instruction> one = take(a);
        const std::vector<Instruction> other = take(b);
        const BlockIndex shared = function_.add_block();
        const std::array<BlockIndex, 2> rest = {cut(a, shared), cut(b, shared)};
        std::array<std::vector<Instruction>, 2> front;
        std::array<std::vector<Instruction>, 2> back;
        for (std::size_t i = 0; i < one.size(); ++i) {
            for (std::size_t k = 0; k < one[i].operands.size(); ++k) {
                Operand &operand = one[i].operands[k];
                const std::array<Operand, 2> both = {operand, other[i].operands[k]};
                if (both[0] == both[1]) {
                    continue;
                }
                const bool predicate = operand.kind == OperandKind::kPredicate;
                const unsigned words = std::max(both[0].words, both[1].words);
                const Register common =
                    function_.add(predicate ? RegisterClass::kPredicate : RegisterClass::kGeneral, words);
                const bool defined = both[0].defined || both[1].defined;
                operand = predicate ? (defined ? define_predicate(common) : if_true(common))
                                    : (defined ? define(common, words) : use(common, words));
                for (std::size_t side = 0; side < 2; ++side) {
                    if (!defined) {
                        const Operand to = predicate ? define_predicate(common) : define(common, words);
                        copy(front[side], to, both[side], one[i].line);
                    } else if (both[side].has_register()) {
                        copy(back[side], both[side], predicate ? if_true(common) : use(common, words), one[i].line);
                    }
                }
            }
        }
        const std::uint32_t line = one[0].line;
        const Register first = function_.add(RegisterClass::kPredicate);
        const std::array<BlockIndex, 2> from = {a.block, b.block};
        for (std::size_t side = 0; side < 2; ++side) {
            std::vector<Instruction> &before = function_.blocks[from[side]].code;
            std::ranges::move(front[side], std::back_inserter(before));
            before.push_back({.mnemonic = side == 0 ? "ISETP.EQ.U32.AND" : "ISETP.NE.U32.AND",
                              .operands = {define_predicate(first), always(), zero(), zero(), always()},
                              .line = line});
            std::vector<Instruction> &behind = function_.blocks[rest[side]].code;
            behind.insert(behind.begin(), std::make_move_iterator(back[side].begin()),
                          std::make_move_iterator(back[side].end()));
        }
        function_.blocks[shared].code = std::move(one);
        function_.blocks[shared].end = {
            .kind = EndKind::kBranch, .predicate = if_true(first), .taken = rest[0], .next = rest[1], .line = line};
    }

    Function &function_;
    FlowGraph graph_;
    Divergence divergence_;
    Regions regions_;
    std::vector<Place> places_; ///< in the order of blocks and of their code
};

std::size_t count_meetings(const Function &function) {
    std::size_t blocks = 0;
    for (const Block &block : function.blocks) {
        blocks += std::ranges::any_of(block.code, is_meeting) ? 1 : 0;
    }
    return blocks;
}

/// The next meeting of a block, from `first` on, whose threads may hold different masks and depend on them; a shuffle
/// does not, because it reads from the lane that it names.
std::optional<Place> next_by_masks(const Function &function, const Divergence &divergence, BlockIndex block,
                                   std::size_t first) {
    const std::vector<Instruction> &code = function.blocks[block].code;
    for (std::size_t i = first; i < code.size(); ++i) {
        if (is_meeting(code[i]) && code[i].meeting == Meeting::kLanes && code[i].operands[0].has_register() &&
            divergence.registers[code[i].operands[0].reg]) {
            const auto over_lanes =
                std::find_if(code.begin() + static_cast<std::ptrdiff_t>(i), code.end(),
                             [](const Instruction &instruction) { return instruction.meeting == Meeting::kOfLanes; });
            if (over_lanes != code.end() && !over_lanes->mnemonic.starts_with("SHFL")) {
                return Place{block, i, static_cast<std::size_t>(over_lanes - code.begin())};
            }
        }
    }
    return std::nullopt;
}

/// Turns a vote or match over all present lanes into one over those of the mask of each thread.
class OverMembers {
  public:
    OverMembers(Function &function, const Place &place)
        : function_(function), code_(function.blocks[place.block].code), at_(place.last),
          instruction_(code_[place.last]), members_(code_[place.sync].operands[0]) {}

    /// Returns how many instructions replace the one.
    std::size_t write() {
        const bool vote = instruction_.mnemonic.starts_with("VOTE");
        const bool match = instruction_.mnemonic.starts_with("MATCH");
        if (vote || match) {
            code_.erase(code_.begin() + static_cast<std::ptrdiff_t>(at_));
            vote ? this->vote() : this->match();
            code_.insert(code_.begin() + static_cast<std::ptrdiff_t>(at_), made_.begin(), made_.end());
        }
        return made_.size();
    }

  private:
    void put(std::string mnemonic, std::vector<Operand> operands) {
        made_.push_back({.mnemonic = std::move(mnemonic), .operands = std::move(operands), .line = instruction_.line});
    }

    Operand over_lanes(const std::string &mnemonic, const Operand &second, const Operand &value) {
        const Register lanes = function_.add(RegisterClass::kGeneral);
        put(mnemonic, {define(lanes), second, value});
        const Register members = function_.add(RegisterClass::kGeneral);
        put("LOP3", {define(members), use(lanes), members_, zero(), number(0xc0)});
        return use(members);
    }
    Operand ballot(const Operand &value) { return over_lanes("VOTE.ANY", always(), value); }

    void vote() {
        const Operand to = instruction_.operands[0];
        const Operand holds = instruction_.operands[1];
        const Operand value = instruction_.operands[2];
        if (!holds.defined) {
            put("MOV", {to, ballot(value)});
        } else if (instruction_.mnemonic == "VOTE.EQ") {
            const Operand here = ballot(always());
            const Operand found = ballot(value);
            const Register none = function_.add(RegisterClass::kPredicate);
            put("ISETP.EQ.U32.AND", {define_predicate(none), always(), found, zero(), always()});
            put("ISETP.EQ.U32.OR", {holds, always(), found, here, if_true(none)});
        } else {
            const bool all = instruction_.mnemonic == "VOTE.ALL";
            const Operand found = ballot(all ? negated(value) : value);
            put(all ? "ISETP.EQ.U32.AND" : "ISETP.NE.U32.AND", {holds, always(), found, zero(), always()});
        }
    }

    void match() {
        const Operand to = instruction_.operands[0];
        const Operand holds = instruction_.operands[1];
        const bool all = instruction_.mnemonic.starts_with("MATCH.ALL");
        const Operand here = all ? ballot(always()) : zero();
        const std::string any = "MATCH.ANY" + instruction_.mnemonic.substr(std::string_view("MATCH.ANY").size());
        const Operand found = over_lanes(any, define_predicate(kNoRegister), instruction_.operands[2]);
        if (!all) {
            put("MOV", {to, found});
            return;
        }
        const Register same = function_.add(RegisterClass::kPredicate);
        put("ISETP.EQ.U32.AND", {define_predicate(same), always(), found, here, always()});
        if (to.has_register()) {
            put("SEL", {to, found, zero(), if_true(same)});
        }
        if (holds.has_register()) {
            put("PSETP.AND.AND", {holds, always(), always(), if_true(same), always()});
        }
    }

    Function &function_;
    std::vector<Instruction> &code_;
    std::size_t at_;
    const Instruction instruction_;
    const Operand members_;
    std::vector<Instruction> made_;
};

/// Writes the rounds of one reduction at `place`; what follows it moves after them.
BlockIndex reduce_in_rounds(Function &function, const Place &place) {
    const BlockIndex round = function.add_block();
    const BlockIndex meets = function.add_block();
    const BlockIndex check = function.add_block(); // so that waiting threads do not overtake the others
    const BlockIndex behind = function.add_block();
    Block &before = function.blocks[place.block];
    const auto at = [&](std::size_t index) { return before.code.begin() + static_cast<std::ptrdiff_t>(index); };
    std::vector<Instruction> &rest = function.blocks[behind].code;
    std::move(at(place.last + 1), before.code.end(), std::back_inserter(rest));
    std::vector<Instruction> &inside = function.blocks[meets].code;
    std::move(at(place.sync), at(place.last + 1), std::back_inserter(inside));
    before.code.erase(at(place.sync), before.code.end());
    const std::uint32_t line = inside.front().line;
    function.blocks[behind].end = std::exchange(before.end, {.kind = EndKind::kFall, .next = round, .line = line});
    const Operand mask = inside.front().operands[0];
    const Register lowest = function.add(RegisterClass::kGeneral);
    const Register waits = function.add(RegisterClass::kPredicate);
    function.blocks[round].code = {{.mnemonic = "REDUX.MIN", .operands = {define(lowest), mask}, .line = line},
                                   {.mnemonic = "ISETP.NE.U32.AND",
                                    .operands = {define_predicate(waits), always(), mask, use(lowest), always()},
                                    .line = line}};
    function.blocks[round].end = {
        .kind = EndKind::kBranch, .predicate = if_true(waits), .taken = check, .next = meets, .line = line};
    function.blocks[meets].end = {.kind = EndKind::kFall, .next = check, .line = line};
    function.blocks[check].end = {
        .kind = EndKind::kBranch, .predicate = if_true(waits), .taken = round, .next = behind, .line = line};
    return behind;
}

} // namespace

unsigned meet_in_one_place(Function &function, bool together) {
    unsigned moved = 0;
    while (moved < kMostMeetingsMoved && count_meetings(function) > 1) {
        Function changed = function;
        normalise_loops(changed);
        if (!Meetings(changed, together).move_one()) {
            break;
        }
        tidy(changed);
        function = std::move(changed);
        ++moved;
    }
    return moved;
}

unsigned separate_masks(Function &function) {
    const bool any = std::ranges::any_of(function.blocks, [&](const Block &block) {
        return std::ranges::any_of(block.code, [&](const Instruction &instruction) {
            return is_meeting(instruction) && instruction.operands[0].has_register();
        });
    });
    if (!any) {
        return 0;
    }
    const Divergence divergence = find_divergence(function, analyse(function));
    unsigned found = 0;
    const auto blocks = static_cast<BlockIndex>(function.blocks.size());
    for (BlockIndex block = 0; block < blocks; ++block) {
        BlockIndex at = block;
        std::size_t first = 0;
        while (const auto place = next_by_masks(function, divergence, at, first)) {
            ++found;
            if (function.blocks[at].code[place->last].mnemonic.starts_with("REDUX")) {
                at = reduce_in_rounds(function, *place);
                first = 0;
            } else {
                first = place->last + OverMembers(function, *place).write();
            }
        }
    }
    return found;
}

} // namespace smsim::ptx::machine
