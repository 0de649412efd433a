// The pass is a forward dataflow analysis that adds missing fields as it goes.
//
// State at an instruction: which earlier instructions may still be in flight, and the least number of cycles for which
// they have been. Three kinds of entry: a result available after a fixed time, a result that a scoreboard announces,
// and source registers that have not been read yet. States only grow from sweep to sweep, and so do stalls and waits;
// what turns out superfluous at the end (in loops) is trimmed, and the growth repeated.
//
// Scoreboards are assigned after a first run with an unlimited number of them, which shows where each value is awaited
// first: values awaited together share a scoreboard, unrelated ones do not.
#include "assembler/scheduler.h"

#include <algorithm>
#include <map>

#include "assembler/reuse_choice.h"
#include "assembler/schedule_block.h"
#include "assembler/schedule_node.h"
#include "assembler/scoreboard_choice.h"
#include "assembler/token_regions.h"

namespace smsim::assembler {
namespace {

using isa::Instruction;
using isa::Op;
using timing::SchedulingModel;
using Node = ScheduleNode;
using Block = ScheduleBlock;

constexpr unsigned kMaxStall = 15;
constexpr unsigned kTrimRounds = 3;
constexpr int kLateScoreboard = 0;

class Pass {
  public:
    Pass(const Program &program, std::span<const CodeRange> ranges, const SchedulingModel &model)
        : model_(model),
          pool_(program.code.size(), [this](const Entry &entry, FlightSummary &summary) { describe(entry, summary); }),
          nodes_(program.code.size()) {
        std::vector<bool> adjustable(nodes_.size());
        for (const CodeRange &range : ranges) {
            for (std::size_t i = range.first; i < std::min(range.last, nodes_.size()); ++i) {
                adjustable[i] = true;
            }
        }
        const std::vector<std::optional<std::uint32_t>> ends = region_ends(program);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            nodes_[i] = describe_instruction(program, i, model, adjustable[i], ends[i]);
        }
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            for (const std::uint32_t next : nodes_[i].successors) {
                nodes_[next].predecessors.push_back(static_cast<std::uint32_t>(i));
                // code scheduled by hand cannot take over what is in flight
                nodes_[i].settles = nodes_[i].settles || (nodes_[i].adjustable && !nodes_[next].adjustable);
            }
        }
        blocks_ = find_blocks(nodes_);
    }

    void run() {
        give_own_scoreboards();
        grow();
        assign_scoreboards();
        grow();
        for (unsigned round = 0; round < kTrimRounds && trim(); ++round) {
            grow();
        }
        drop_unused_scoreboards();
    }

    std::vector<NopRequest> missing_nops() const {
        std::vector<NopRequest> requests;
        for (const auto &[index, cycles] : missing_) {
            requests.push_back({index, (cycles + kMaxStall - 1) / kMaxStall});
        }
        return requests;
    }

    void store(Program &program) const {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            const Node &node = nodes_[i];
            if (!node.adjustable) {
                continue;
            }
            Instruction &insn = program.code[i];
            insn.stall = static_cast<std::uint8_t>(node.stall);
            insn.yield = false;
            insn.wsb = node.wsb == kUnassigned ? isa::kNoScoreboard : static_cast<std::uint8_t>(node.wsb);
            insn.rsb = node.rsb == kUnassigned ? isa::kNoScoreboard : static_cast<std::uint8_t>(node.rsb);
            insn.req = 0;
            for (const int scoreboard : node.req) {
                insn.req = static_cast<std::uint8_t>(insn.req | (1U << static_cast<unsigned>(scoreboard)));
            }
        }
        for (const Block &block : blocks_) {
            choose_reuse_in(program, block);
        }
    }

  private:
    /// The reuse bits of the instructions that the pass may change.
    void choose_reuse_in(Program &program, const Block &block) const {
        for (std::size_t i = block.first; i <= block.last; ++i) {
            const std::size_t first = i;
            while (i <= block.last && nodes_[i].adjustable) {
                ++i;
            }
            choose_reuse(std::span(program.code).subspan(first, i - first));
        }
    }

    void describe(const Entry &entry, FlightSummary &summary) const {
        const Node &producer = nodes_[entry.producer];
        const auto add_scoreboard = [&](int scoreboard) {
            if (is_real(scoreboard)) {
                summary.scoreboards = static_cast<std::uint8_t>(summary.scoreboards | bit(scoreboard));
            }
        };
        if (entry.flight == Flight::kFixed) {
            summary.young = true;
            return;
        }
        summary.young = summary.young || entry.elapsed < timing::kScoreboardVisible;
        add_scoreboard(producer.wsb);
        if (entry.flight == Flight::kSources) {
            summary.sources.add(producer.reads);
            add_scoreboard(producer.rsb);
        } else {
            summary.results.add(producer.writes);
        }
    }

    static bool is_young(const FlightSummary &summary) { return summary.young; }

    // --- scoreboards as numbers --------------------------------------------------------------------------------

    static bool is_real(int scoreboard) { return scoreboard >= 0 && scoreboard < static_cast<int>(isa::kScoreboards); }
    static unsigned bit(int scoreboard) { return 1U << static_cast<unsigned>(scoreboard); }
    /// In the first run each value has its own scoreboard.
    static int own_scoreboard(std::uint32_t producer, Flight flight) {
        return static_cast<int>(isa::kScoreboards + 2 * producer + (flight == Flight::kSources ? 1 : 0));
    }
    static std::uint32_t owner(int scoreboard) {
        return (static_cast<std::uint32_t>(scoreboard) - isa::kScoreboards) / 2;
    }

    // --- what one instruction needs of an entry ----------------------------------------------------------------

    int scoreboard_of(const Entry &entry) const {
        const Node &producer = nodes_[entry.producer];
        return entry.flight == Flight::kResult ? producer.wsb : producer.rsb;
    }

    /// Whether the sources of `producer` must have been read before `node`, whatever it writes: a path of the warp that
    /// continues after it may write the uniform ones.
    static bool settles_sources(const Node &node, const Node &producer) {
        return node.settles || (node.switches && producer.uniform_source);
    }

    /// Whether the instruction must not issue before the scoreboard of `entry` is clear.
    bool must_wait(const Node &node, const Entry &entry) const {
        const Node &producer = nodes_[entry.producer];
        if (entry.flight == Flight::kResult) {
            return node.settles || (node.switches && producer.uniform_result) ||
                   timing::touches_result(producer.deps, node.deps);
        }
        return entry.flight == Flight::kSources &&
               (settles_sources(node, producer) || timing::overwrites_source(producer.deps, node.deps));
    }

    /// Cycles that must pass after the issue of a fixed-latency producer.
    unsigned distance(const Node &node, const Entry &entry) const {
        const Node &producer = nodes_[entry.producer];
        unsigned cycles = timing::required_distance(model_, *producer.insn, producer.deps, *node.insn, node.deps);
        if (producer.insn->unit == isa::Unit::kTensor && node.insn->unit == isa::Unit::kTensor) {
            // Their pipe makes the second one wait anyway; later distances count from when it really issues.
            cycles = std::max(cycles, model_.pipes.interval(*producer.insn));
        }
        if (node.settles) {
            cycles = std::max(cycles, producer.settle);
        }
        if (node.switches) {
            cycles = std::max(cycles, producer.uniform_settle);
        }
        return cycles;
    }

    /// The entries that `node` itself waits for, of those in flight before it. The arrival of a result implies that the
    /// sources of the same instruction have been read.
    std::vector<Entry> awaited(const Node &node, const FlightSet &in) const {
        std::vector<Entry> entries;
        const auto concerns = [&](const FlightSummary &summary) {
            return node.settles || (node.switches && (summary.results.uniform | summary.sources.uniform) != 0) ||
                   summary.results.overlaps(node.touches) || summary.sources.overlaps(node.writes);
        };
        pool_.visit(in, concerns, [&](const Entry &entry) { // a result precedes the sources of the same producer
            const bool covered =
                entry.flight == Flight::kSources && !entries.empty() && entries.back().producer == entry.producer;
            if (!covered && must_wait(node, entry)) {
                entries.push_back(entry);
            }
        });
        return entries;
    }

    // --- states ------------------------------------------------------------------------------------------------

    FlightSet aged(const FlightSet &out, unsigned cycles) {
        return pool_.changed(out, is_young, [&](Entry &entry) {
            entry.elapsed += cycles;
            if (entry.flight == Flight::kFixed) {
                return entry.elapsed < nodes_[entry.producer].settle;
            }
            entry.elapsed = std::min(entry.elapsed, timing::kScoreboardVisible);
            return true;
        });
    }

    bool is_cleared(const Node &node, const Entry &entry) const {
        if (entry.flight == Flight::kFixed || entry.elapsed < timing::kScoreboardVisible) {
            return false;
        }
        const Node &producer = nodes_[entry.producer];
        return node.waits_for(producer.wsb) || (entry.flight == Flight::kSources && node.waits_for(producer.rsb));
    }

    /// The real scoreboards that the node waits for, as bits.
    static unsigned awaited_scoreboards(const Node &node) {
        unsigned mask = 0;
        for (const int scoreboard : node.req) {
            mask |= is_real(scoreboard) ? bit(scoreboard) : 0;
        }
        return mask;
    }

    /// `in` without the entries that the waits of the node end.
    FlightSet cleared(const Node &node, const FlightSet &in) {
        const unsigned mask = awaited_scoreboards(node);
        FlightSet left = in;
        if (mask != 0) {
            left = pool_.changed(
                in, [&](const FlightSummary &summary) { return (summary.scoreboards & mask) != 0; },
                [&](const Entry &entry) { return !is_cleared(node, entry); });
        }
        const auto clear_producer = [&](std::uint32_t producer) {
            std::vector<Entry> entries = pool_.entries_of(left, producer);
            if (std::erase_if(entries, [&](const Entry &entry) { return is_cleared(node, entry); }) != 0) {
                left = pool_.replace(left, producer, entries);
            }
        };
        for (const int scoreboard : node.req) {
            if (!is_real(scoreboard)) {
                clear_producer(owner(scoreboard));
            }
        }
        if ((mask & bit(kLateScoreboard)) != 0) { // earlier summaries do not show it
            for (const std::uint32_t producer : late_) {
                clear_producer(producer);
            }
        }
        return left;
    }

    FlightSet behind(std::uint32_t index, const FlightSet &in) {
        const Node &node = nodes_[index];
        std::vector<Entry> own;
        if (node.settle != 0) {
            own.push_back({index, Flight::kFixed, 0});
        }
        if (node.has_result) {
            own.push_back({index, Flight::kResult, 0});
        }
        if (node.has_sources) {
            own.push_back({index, Flight::kSources, 0});
        }
        return pool_.replace(cleared(node, in), index, own);
    }

    /// Cycles of stall that an instruction followed by the state `out` needs before `node`.
    unsigned needed_stall(const FlightSet &out, const Node &node) const {
        unsigned needed = 1;
        const auto raise = [&](unsigned cycles, unsigned elapsed) {
            if (cycles > elapsed) {
                needed = std::max(needed, cycles - elapsed);
            }
        };
        pool_.visit(out, is_young, [&](const Entry &entry) {
            if (entry.flight == Flight::kFixed) {
                raise(distance(node, entry), entry.elapsed);
            }
        });
        for (const Entry &entry : awaited(node, out)) {
            raise(timing::kScoreboardVisible, entry.elapsed);
        }
        return needed;
    }

    /// What is in flight after `from`, the last instruction of its block.
    const FlightSet &out_of(std::uint32_t from) const { return blocks_[nodes_[from].block].out; }

    /// What is in flight before the first instruction of the block.
    FlightSet in_state(const Block &block) {
        FlightSet in;
        for (const std::uint32_t from : nodes_[block.first].predecessors) {
            in = pool_.merge(in, aged(out_of(from), nodes_[from].elapses()));
        }
        return in;
    }

    Block::Inputs inputs(const Block &block) const {
        Block::Inputs inputs;
        for (const std::uint32_t from : nodes_[block.first].predecessors) {
            inputs.outs.push_back(out_of(from));
            inputs.stalls.push_back(nodes_[from].stall);
        }
        inputs.late_scoreboards = static_cast<unsigned>(late_.size());
        return inputs;
    }

    /// Calls `visit(index, in, out)` for every instruction in order, with what is in flight before and after it.
    /// `visit` must not change stalls.
    template <typename Visit> void for_each_state(Visit &&visit) {
        for (const Block &block : blocks_) {
            FlightSet in = in_state(block);
            for (std::uint32_t i = block.first; i != block.last; ++i) {
                const FlightSet out = behind(i, in);
                visit(i, in, out);
                in = aged(out, nodes_[i].elapses());
            }
            visit(block.last, in, block.out);
        }
    }

    // --- growing -----------------------------------------------------------------------------------------------

    /// The first instruction whose stall has changed; kNone: none has.
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    /// Raises the stall of `from`, which is followed by the state `out`, to what `index` needs. Where that is too much
    /// for one stall, those before NOPs in the same block take a part. Returns the first one that has changed.
    std::uint32_t raise_stall(std::uint32_t from, const FlightSet &out, std::uint32_t index) {
        const unsigned before = nodes_[from].stall;
        const unsigned needed = needed_stall(out, nodes_[index]);
        if (nodes_[from].adjustable) {
            nodes_[from].stall = std::max(before, std::min(needed, kMaxStall));
        }
        std::uint32_t changed = nodes_[from].stall != before ? from : kNone;
        unsigned lack = needed - std::min(needed, nodes_[from].stall);
        if (lack == 0 || (!nodes_[from].adjustable && !nodes_[index].adjustable)) {
            return changed;
        }
        // Only NOPs are between those that are raised and `from`.
        for (std::uint32_t i = from; lack != 0 && nodes_[i].insn->op == Op::kNop && i != blocks_[nodes_[i].block].first;
             --i) {
            Node &node = nodes_[i - 1];
            const unsigned more = node.adjustable ? std::min(lack, kMaxStall - node.stall) : 0;
            node.stall += more;
            lack -= more;
            changed = more != 0 ? i - 1 : changed;
        }
        if (lack != 0) {
            // a NOP after a jump would not be on the way to its target
            const bool jump = nodes_[from].insn->op == Op::kBra && nodes_[from].adjustable;
            miss(jump || index != from + 1 ? from : index, lack, jump || index != from + 1);
        }
        return changed;
    }

    /// NOPs for `cycles` cycles are missing before `at`: on all ways to it, or only after the previous instruction.
    void miss(std::uint32_t at, unsigned cycles, bool on_all_ways) {
        const auto put = [&](std::uint32_t in_front_of) {
            unsigned &missing = missing_[in_front_of];
            missing = std::max(missing, cycles);
        };
        put(at);
        if (nodes_[at].insn->op == Op::kJoin && on_all_ways) { // a jump to a JOIN skips NOPs before it
            for (const std::uint32_t from : nodes_[at].predecessors) {
                put(from + 1 == at ? at : from);
            }
        }
    }

    /// Adds the waits that the node lacks; true if there were any.
    bool add_waits(Node &node, const FlightSet &in) {
        if (!node.adjustable) {
            return false;
        }
        const std::size_t before = node.req.size();
        for (const Entry &entry : awaited(node, in)) {
            int scoreboard = scoreboard_of(entry);
            if (scoreboard == kUnassigned && nodes_[entry.producer].adjustable) {
                scoreboard = kLateScoreboard; // not foreseen by the assignment: any scoreboard will do
                late_.push_back(entry.producer);
                (entry.flight == Flight::kResult ? nodes_[entry.producer].wsb : nodes_[entry.producer].rsb) =
                    scoreboard;
            }
            if (scoreboard != kUnassigned && !node.waits_for(scoreboard)) {
                node.wait_for(scoreboard);
            }
        }
        return node.req.size() != before;
    }

    /// Computes what is in flight after the block, and if `growing` the missing fields; true when a field has changed.
    bool walk(const Block &block, bool growing, FlightSet &out) {
        bool changed = false;
        if (growing) {
            for (const std::uint32_t from : nodes_[block.first].predecessors) {
                changed |= raise_stall(from, out_of(from), block.first) != kNone;
            }
        }
        std::vector<FlightSet> before = {in_state(block)}; // the states before each instruction so far
        for (std::uint32_t i = block.first;; ++i) {
            if (growing) {
                changed |= add_waits(nodes_[i], before.back());
            }
            out = behind(i, before.back());
            if (i == block.last) {
                return changed;
            }
            if (const std::uint32_t raised = growing ? raise_stall(i, out, i + 1) : kNone; raised != kNone) {
                changed = true;
                if (raised < i) { // the states since then have changed
                    i = raised;
                    before.resize(i - block.first + 1);
                    out = behind(i, before.back());
                }
            }
            before.push_back(aged(out, nodes_[i].elapses()));
        }
    }

    /// One walk over the code; returns whether any state or field has changed.
    bool sweep(bool growing, bool accumulate) {
        bool changed = false;
        for (Block &block : blocks_) {
            Block::Inputs now = inputs(block);
            if (block.seen == now) {
                continue;
            }
            FlightSet out;
            changed |= walk(block, growing, out);
            if (accumulate) {
                out = pool_.merge(out, block.out);
            }
            if (out != block.out) {
                block.out = std::move(out);
                changed = true;
            }
            block.seen = std::move(now);
        }
        return changed;
    }

    void settle_states(bool growing) {
        for (Block &block : blocks_) {
            block.out = {};
            block.seen.reset();
        }
        late_.clear();
        // New waits remove entries, and an entry that has lost its source could circulate in a loop forever. After some
        // sweeps states therefore only grow; the excess is trimmed.
        constexpr unsigned kFreeSweeps = 8;
        for (unsigned sweeps = 0; sweep(growing, growing && sweeps >= kFreeSweeps); ++sweeps) {
        }
    }

    void grow() {
        missing_.clear();
        settle_states(true);
    }

    // --- trimming ----------------------------------------------------------------------------------------------

    /// Removes what nothing needs any more; true if there was something.
    bool trim() {
        settle_states(false);
        bool trimmed = false;
        std::vector<unsigned> stalls(nodes_.size()); // the states are those of the old stalls
        for_each_state([&](std::uint32_t i, const FlightSet &in, const FlightSet &out) {
            Node &node = nodes_[i];
            stalls[i] = node.stall;
            if (!node.adjustable) {
                return;
            }
            const std::vector<Entry> entries = awaited(node, in);
            trimmed |= std::erase_if(node.req, [&](int scoreboard) {
                           return std::ranges::none_of(
                               entries, [&](const Entry &entry) { return scoreboard_of(entry) == scoreboard; });
                       }) != 0;
            unsigned needed = 1;
            for (const std::uint32_t next : node.successors) {
                needed = std::max(needed, needed_stall(out, nodes_[next]));
            }
            if (needed < node.stall) {
                stalls[i] = needed;
                trimmed = true;
            }
        });
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            nodes_[i].stall = stalls[i];
        }
        return trimmed;
    }

    // --- scoreboards -------------------------------------------------------------------------------------------

    struct Candidate {
        std::uint32_t producer;
        Flight flight;
        ScoreboardUse use;
    };

    /// First run: every value has its own scoreboard.
    void give_own_scoreboards() {
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].adjustable) {
                nodes_[i].wsb = nodes_[i].has_result ? own_scoreboard(i, Flight::kResult) : kUnassigned;
                nodes_[i].rsb = nodes_[i].has_sources ? own_scoreboard(i, Flight::kSources) : kUnassigned;
            }
        }
    }

    static unsigned traffic_of(const Instruction &insn, Flight flight) {
        if (flight == Flight::kSources) {
            return 0;
        }
        if (insn.unit == isa::Unit::kLoadStore) {
            return insn.spec().has(isa::kGlobal) || insn.spec().has(isa::kLocal) ? 1 : 2;
        }
        return 3 + static_cast<unsigned>(insn.unit);
    }

    std::vector<Candidate> candidates() {
        std::map<std::pair<std::uint32_t, Flight>, std::size_t> ends;
        for_each_state([&](std::uint32_t i, const FlightSet &in, const FlightSet &) {
            for (const Entry &entry : awaited(nodes_[i], in)) {
                // awaited only around a loop: in flight to the end of the code, as far as positions show
                const std::size_t end = i > entry.producer ? i : nodes_.size();
                const auto [place, fresh] = ends.try_emplace({entry.producer, entry.flight}, end);
                if (!fresh) {
                    place->second = std::min(place->second, end);
                }
            }
        });
        std::vector<Candidate> result;
        for (const auto &[key, end] : ends) {
            if (nodes_[key.first].adjustable) {
                const unsigned traffic = traffic_of(*nodes_[key.first].insn, key.second);
                result.push_back({key.first, key.second, {key.first, end, traffic}});
            }
        }
        return result;
    }

    /// Second run: the six scoreboards, values awaited by the same instruction together.
    void assign_scoreboards() {
        ScoreboardChoice choice;
        const std::vector<Candidate> all = candidates();
        for (Node &node : nodes_) {
            if (node.adjustable) {
                node.wsb = node.rsb = kUnassigned;
                node.req.clear();
                node.stall = 1;
            }
        }
        for (const Candidate &candidate : all) {
            Node &node = nodes_[candidate.producer];
            (candidate.flight == Flight::kResult ? node.wsb : node.rsb) = choice.choose(candidate.use);
        }
    }

    /// Removes read scoreboards whose waits all turned out to wait for the result as well.
    void drop_unused_scoreboards() {
        std::vector<bool> used(nodes_.size());
        for_each_state([&](std::uint32_t i, const FlightSet &in, const FlightSet &) {
            const Node &node = nodes_[i];
            const unsigned mask = awaited_scoreboards(node);
            const auto look = [&](const Entry &entry) {
                if (entry.flight == Flight::kSources && is_cleared(node, entry) &&
                    !node.waits_for(nodes_[entry.producer].wsb)) {
                    used[entry.producer] = true;
                }
            };
            if (mask != 0) {
                pool_.visit(
                    in, [&](const FlightSummary &summary) { return (summary.scoreboards & mask) != 0; }, look);
                for (const std::uint32_t producer : late_) {
                    std::ranges::for_each(pool_.entries_of(in, producer), look);
                }
            }
        });
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].adjustable && !used[i]) {
                nodes_[i].rsb = kUnassigned;
            }
        }
    }

    const SchedulingModel &model_;
    FlightPool pool_; ///< must outlive the sets in `blocks_`
    std::vector<Node> nodes_;
    std::vector<Block> blocks_;
    std::vector<std::uint32_t> late_;         ///< producers that were given kLateScoreboard since states were reset
    std::map<std::size_t, unsigned> missing_; ///< instruction to cycles that a stall cannot provide
};

} // namespace

std::vector<NopRequest> schedule(Program &program, std::span<const CodeRange> ranges, const SchedulingModel &model) {
    if (ranges.empty()) {
        return {};
    }
    Pass pass(program, ranges, model);
    pass.run();
    pass.store(program);
    return pass.missing_nops();
}

} // namespace smsim::assembler
