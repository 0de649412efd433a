// The pass is a forward dataflow analysis that sets what it finds missing on the way.
//
// State at an instruction: which earlier instructions may still be in flight, and for how many cycles at least they
// have been. Three kinds of entry: a result that comes after a fixed time, a result that a scoreboard announces, and
// source registers that have not been read yet. States only grow from sweep to sweep, and so do stalls and waits;
// what turns out superfluous at the end (in loops) is trimmed, and the growth repeated.
//
// Scoreboards are given out after a first run with an unlimited number of them, which tells where each value is
// awaited first: values awaited together share a scoreboard, unrelated ones do not.
#include "model/assembler/scheduler.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace smsim::assembler {
namespace {

using isa::Instruction;
using isa::Op;
using timing::SchedulingModel;

constexpr unsigned kMaxStall = 15;
constexpr unsigned kTrimRounds = 3;
constexpr int kNone = -1;

enum class Flight : std::uint8_t { kFixed, kResult, kSources };

struct Entry {
    std::uint32_t producer = 0;
    Flight flight = Flight::kFixed;
    unsigned elapsed = 0; ///< cycles since the issue of the producer, at least

    auto key() const { return std::tie(producer, flight); }
    friend bool operator==(const Entry &, const Entry &) = default;
};
using State = std::vector<Entry>; ///< sorted by key

/// Adds the entries of `from`; of two with the same key the one that was issued later counts.
void merge(State &into, const State &from) {
    State result;
    result.reserve(into.size() + from.size());
    auto a = into.begin();
    auto b = from.begin();
    while (a != into.end() || b != from.end()) {
        if (b == from.end() || (a != into.end() && a->key() < b->key())) {
            result.push_back(*a++);
        } else if (a == into.end() || b->key() < a->key()) {
            result.push_back(*b++);
        } else {
            result.push_back(a->elapsed <= b->elapsed ? *a : *b);
            ++a;
            ++b;
        }
    }
    into = std::move(result);
}

bool always_true(const Instruction &insn) {
    return insn.pg == isa::kPt && !insn.pg_not &&
           (!insn.spec().has(isa::kGuardPp) || (insn.pp == isa::kPt && !insn.pp_not));
}

/// What the pass knows about one instruction.
struct Node {
    const Instruction *insn = nullptr;
    isa::Dependences deps;
    bool adjustable = false; ///< its control fields are set here
    std::vector<std::uint32_t> successors;
    std::vector<std::uint32_t> predecessors;
    bool settles = false;        ///< everything in flight is awaited before it
    bool switches = false;       ///< another path of the warp may go on behind it
    unsigned settle = 0;         ///< cycles until a fixed result can be read by everybody
    unsigned uniform_settle = 0; ///< the same for a uniform result
    bool has_result = false;     ///< result announced by a scoreboard
    bool has_sources = false;    ///< sources read late
    bool uniform_result = false;

    // control fields
    unsigned stall = 1;
    int wsb = kNone;
    int rsb = kNone;
    std::vector<int> req;
    State out; ///< behind the instruction, at the cycle of its issue

    bool waits_for(int scoreboard) const {
        return scoreboard != kNone && std::ranges::find(req, scoreboard) != req.end();
    }
};

class Pass {
  public:
    Pass(const Program &program, std::span<const CodeRange> ranges, const SchedulingModel &model)
        : program_(program), model_(model), nodes_(program.code.size()) {
        for (const CodeRange &range : ranges) {
            for (std::size_t i = range.first; i < std::min(range.last, nodes_.size()); ++i) {
                nodes_[i].adjustable = true;
            }
        }
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            describe(i);
        }
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            for (const std::uint32_t next : nodes_[i].successors) {
                nodes_[next].predecessors.push_back(static_cast<std::uint32_t>(i));
                // code scheduled by hand cannot be told what is in flight
                nodes_[i].settles = nodes_[i].settles || (nodes_[i].adjustable && !nodes_[next].adjustable);
            }
        }
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
            insn.wsb = node.wsb == kNone ? isa::kNoScoreboard : static_cast<std::uint8_t>(node.wsb);
            insn.rsb = node.rsb == kNone ? isa::kNoScoreboard : static_cast<std::uint8_t>(node.rsb);
            insn.req = 0;
            for (const int scoreboard : node.req) {
                insn.req = static_cast<std::uint8_t>(insn.req | (1U << static_cast<unsigned>(scoreboard)));
            }
        }
    }

  private:
    // --- the graph ---------------------------------------------------------------------------------------------

    void describe(std::size_t i) {
        Node &node = nodes_[i];
        const Instruction &insn = program_.code[i];
        node.insn = &insn;
        node.deps = isa::dependences_of(insn);
        node.settle = timing::settle_latency(model_, insn);
        node.uniform_settle = timing::uniform_settle_latency(model_, insn);
        node.has_result = timing::needs_write_scoreboard(insn);
        node.has_sources = timing::needs_read_scoreboard(insn);
        node.uniform_result = node.deps.uniform_write.count != 0;
        if (!node.adjustable) {
            node.stall = insn.stall_cycles();
            node.wsb = insn.wsb == isa::kNoScoreboard ? kNone : insn.wsb;
            node.rsb = insn.rsb == isa::kNoScoreboard ? kNone : insn.rsb;
            for (unsigned s = 0; s < isa::kScoreboards; ++s) {
                if (((insn.req >> s) & 1U) != 0) {
                    node.req.push_back(static_cast<int>(s));
                }
            }
        }
        bool falls_through = true;
        switch (insn.op) {
        case Op::kBra: {
            const auto condition = static_cast<isa::BraCondition>(insn.mod[0]);
            const bool conditional = insn.form == isa::Form::kU || condition == isa::BraCondition::kDivergent ||
                                     condition == isa::BraCondition::kConvergent;
            falls_through = conditional || !always_true(insn);
            const std::int64_t target = static_cast<std::int64_t>(i) + 1 + insn.imm;
            if (target >= 0 && target < static_cast<std::int64_t>(nodes_.size())) {
                node.successors.push_back(static_cast<std::uint32_t>(target));
            }
            break;
        }
        case Op::kBrx:
        case Op::kCall:
        case Op::kRet:
        case Op::kRtt:
        case Op::kTrap:
            node.settles = true;
            break;
        case Op::kExit:
            node.switches = true;
            falls_through = !always_true(insn);
            break;
        case Op::kBsync:
        case Op::kWarpsync:
        case Op::kYield:
        case Op::kNanosleep:
            node.switches = true;
            break;
        default:
            break;
        }
        if (falls_through && i + 1 < nodes_.size() &&
            std::ranges::find(node.successors, i + 1) == node.successors.end()) {
            node.successors.push_back(static_cast<std::uint32_t>(i + 1));
        }
    }

    // --- what one instruction needs of an entry ----------------------------------------------------------------

    int scoreboard_of(const Entry &entry) const {
        const Node &producer = nodes_[entry.producer];
        return entry.flight == Flight::kResult ? producer.wsb : producer.rsb;
    }

    /// True when the instruction must not issue before the scoreboard of `entry` is clear.
    bool must_wait(const Node &node, const Entry &entry) const {
        const Node &producer = nodes_[entry.producer];
        if (entry.flight == Flight::kResult) {
            return node.settles || (node.switches && producer.uniform_result) ||
                   timing::touches_result(producer.deps, node.deps);
        }
        return entry.flight == Flight::kSources &&
               (node.settles || timing::overwrites_source(producer.deps, node.deps));
    }

    /// Cycles that must have passed since the issue of a fixed-latency producer.
    unsigned distance(const Node &node, const Entry &entry) const {
        const Node &producer = nodes_[entry.producer];
        unsigned cycles = timing::required_distance(model_, *producer.insn, producer.deps, *node.insn, node.deps);
        if (node.settles) {
            cycles = std::max(cycles, producer.settle);
        }
        if (node.switches) {
            cycles = std::max(cycles, producer.uniform_settle);
        }
        return cycles;
    }

    /// The entries that `node` itself waits for, of those in flight in front of it. The arrival of a result says that
    /// the sources of the same instruction have been read.
    std::vector<Entry> awaited(const Node &node, const State &in) const {
        std::vector<Entry> entries;
        for (const Entry &entry : in) { // a result stands before the sources of the same producer
            const bool covered =
                entry.flight == Flight::kSources && !entries.empty() && entries.back().producer == entry.producer;
            if (!covered && must_wait(node, entry)) {
                entries.push_back(entry);
            }
        }
        return entries;
    }

    // --- states ------------------------------------------------------------------------------------------------

    State aged(const State &out, unsigned cycles) const {
        State result;
        result.reserve(out.size());
        for (Entry entry : out) {
            entry.elapsed += cycles;
            if (entry.flight != Flight::kFixed) {
                entry.elapsed = std::min(entry.elapsed, timing::kScoreboardVisible);
            } else if (entry.elapsed >= nodes_[entry.producer].settle) {
                continue;
            }
            result.push_back(entry);
        }
        return result;
    }

    bool is_cleared(const Node &node, const Entry &entry) const {
        if (entry.flight == Flight::kFixed || entry.elapsed < timing::kScoreboardVisible) {
            return false;
        }
        const Node &producer = nodes_[entry.producer];
        return node.waits_for(producer.wsb) || (entry.flight == Flight::kSources && node.waits_for(producer.rsb));
    }

    State behind(std::uint32_t index, const State &in) const {
        const Node &node = nodes_[index];
        State out;
        for (const Entry &entry : in) {
            if (entry.producer != index && !is_cleared(node, entry)) {
                out.push_back(entry);
            }
        }
        State own;
        if (node.settle != 0) {
            own.push_back({index, Flight::kFixed, 0});
        }
        if (node.has_result) {
            own.push_back({index, Flight::kResult, 0});
        }
        if (node.has_sources) {
            own.push_back({index, Flight::kSources, 0});
        }
        merge(out, own);
        return out;
    }

    /// Cycles of stall that `from` needs so that `node` may follow it.
    unsigned needed_stall(const Node &from, const Node &node) const {
        unsigned needed = 1;
        const auto raise = [&](unsigned cycles, unsigned elapsed) {
            if (cycles > elapsed) {
                needed = std::max(needed, cycles - elapsed);
            }
        };
        for (const Entry &entry : from.out) {
            if (entry.flight == Flight::kFixed) {
                raise(distance(node, entry), entry.elapsed);
            }
        }
        for (const Entry &entry : awaited(node, from.out)) {
            raise(timing::kScoreboardVisible, entry.elapsed);
        }
        return needed;
    }

    State in_state(std::uint32_t index) const {
        State in;
        for (const std::uint32_t from : nodes_[index].predecessors) {
            merge(in, aged(nodes_[from].out, nodes_[from].stall));
        }
        return in;
    }

    // --- growing -----------------------------------------------------------------------------------------------

    void raise_stall(std::uint32_t from, std::uint32_t index) {
        const unsigned needed = needed_stall(nodes_[from], nodes_[index]);
        if (nodes_[from].adjustable) {
            nodes_[from].stall = std::max(nodes_[from].stall, std::min(needed, kMaxStall));
        }
        if (needed > nodes_[from].stall && (nodes_[from].adjustable || nodes_[index].adjustable)) {
            // a NOP behind a jump would not be on the way to its target
            const bool jump = nodes_[from].insn->op == Op::kBra && nodes_[from].adjustable;
            const std::size_t at = jump ? from : index == from + 1 ? index : from;
            unsigned &missing = missing_[at];
            missing = std::max(missing, needed - nodes_[from].stall);
        }
    }

    void add_waits(Node &node, const State &in) {
        if (!node.adjustable) {
            return;
        }
        for (const Entry &entry : awaited(node, in)) {
            int scoreboard = scoreboard_of(entry);
            if (scoreboard == kNone && nodes_[entry.producer].adjustable) {
                scoreboard = 0; // not foreseen by the assignment: any scoreboard is right
                (entry.flight == Flight::kResult ? nodes_[entry.producer].wsb : nodes_[entry.producer].rsb) =
                    scoreboard;
            }
            if (scoreboard != kNone && !node.waits_for(scoreboard)) {
                node.req.push_back(scoreboard);
            }
        }
    }

    /// One walk over the code; returns whether any state or field has changed.
    bool sweep(bool growing, bool accumulate) {
        bool changed = false;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            Node &node = nodes_[i];
            if (growing) {
                for (const std::uint32_t from : node.predecessors) {
                    const unsigned before = nodes_[from].stall;
                    raise_stall(from, i);
                    changed = changed || nodes_[from].stall != before;
                }
            }
            const State in = in_state(i);
            if (growing) {
                const std::size_t before = node.req.size();
                add_waits(node, in);
                changed = changed || node.req.size() != before;
            }
            State out = behind(i, in);
            if (accumulate) {
                merge(out, node.out);
            }
            if (out != node.out) {
                node.out = std::move(out);
                changed = true;
            }
        }
        return changed;
    }

    void settle_states(bool growing) {
        for (Node &node : nodes_) {
            node.out.clear();
        }
        // New waits take entries away, and an entry that has lost its source could wander round a loop for ever. After
        // some sweeps states therefore only grow; what that leaves too much is trimmed.
        constexpr unsigned kFreeSweeps = 8;
        for (unsigned sweeps = 0; sweep(growing, growing && sweeps >= kFreeSweeps); ++sweeps) {
        }
    }

    void grow() {
        missing_.clear();
        settle_states(true);
    }

    // --- trimming ----------------------------------------------------------------------------------------------

    /// Takes back what nothing needs any more; true when there was something.
    bool trim() {
        settle_states(false);
        bool trimmed = false;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            Node &node = nodes_[i];
            if (!node.adjustable) {
                continue;
            }
            const std::vector<Entry> entries = awaited(node, in_state(i));
            trimmed |= std::erase_if(node.req, [&](int scoreboard) {
                           return std::ranges::none_of(
                               entries, [&](const Entry &entry) { return scoreboard_of(entry) == scoreboard; });
                       }) != 0;
            unsigned needed = 1;
            for (const std::uint32_t next : node.successors) {
                needed = std::max(needed, needed_stall(node, nodes_[next]));
            }
            if (needed < node.stall) {
                node.stall = needed;
                trimmed = true;
            }
        }
        return trimmed;
    }

    // --- scoreboards -------------------------------------------------------------------------------------------

    struct Candidate {
        std::uint32_t producer;
        Flight flight;
        std::size_t end; ///< where it is awaited first
        unsigned traffic;
    };

    /// First run: every value has a scoreboard of its own.
    void give_own_scoreboards() {
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].adjustable) {
                nodes_[i].wsb = nodes_[i].has_result ? static_cast<int>(isa::kScoreboards + 2 * i) : kNone;
                nodes_[i].rsb = nodes_[i].has_sources ? static_cast<int>(isa::kScoreboards + 2 * i + 1) : kNone;
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

    std::vector<Candidate> candidates() const {
        std::map<std::pair<std::uint32_t, Flight>, std::size_t> ends;
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            for (const Entry &entry : awaited(nodes_[i], in_state(i))) {
                // awaited only round a loop: in flight to the end of the code, as far as positions can tell
                const std::size_t end = i > entry.producer ? i : nodes_.size();
                const auto [place, fresh] = ends.try_emplace({entry.producer, entry.flight}, end);
                if (!fresh) {
                    place->second = std::min(place->second, end);
                }
            }
        }
        std::vector<Candidate> result;
        for (const auto &[key, end] : ends) {
            if (nodes_[key.first].adjustable) {
                result.push_back({key.first, key.second, end, traffic_of(*nodes_[key.first].insn, key.second)});
            }
        }
        return result;
    }

    static int choose(const std::array<std::vector<Candidate>, isa::kScoreboards> &live, const Candidate &next) {
        constexpr std::size_t kOtherTraffic = 1000; // mixing kinds of traffic costs more than waiting a little early
        int best = 0;
        std::size_t best_cost = ~std::size_t{0};
        for (unsigned s = 0; s < live.size(); ++s) {
            std::size_t cost = live[s].empty() ? 1 : 0;
            for (const Candidate &member : live[s]) {
                const std::size_t apart = member.end > next.end ? member.end - next.end : next.end - member.end;
                cost =
                    std::max(cost, (apart == 0 ? 0 : apart + 1) + (member.traffic == next.traffic ? 0 : kOtherTraffic));
            }
            if (cost < best_cost) {
                best_cost = cost;
                best = static_cast<int>(s);
            }
        }
        return best;
    }

    /// Second run: the six scoreboards, values awaited by the same instruction together.
    void assign_scoreboards() {
        std::array<std::vector<Candidate>, isa::kScoreboards> live;
        const std::vector<Candidate> all = candidates();
        for (Node &node : nodes_) {
            if (node.adjustable) {
                node.wsb = node.rsb = kNone;
                node.req.clear();
                node.stall = 1;
            }
        }
        for (const Candidate &candidate : all) {
            for (auto &members : live) {
                std::erase_if(members, [&](const Candidate &member) { return member.end <= candidate.producer; });
            }
            const int scoreboard = choose(live, candidate);
            live[static_cast<std::size_t>(scoreboard)].push_back(candidate);
            Node &node = nodes_[candidate.producer];
            (candidate.flight == Flight::kResult ? node.wsb : node.rsb) = scoreboard;
        }
    }

    /// Takes away read scoreboards of which every wait turned out to be one for the result as well.
    void drop_unused_scoreboards() {
        std::vector<bool> used(nodes_.size());
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            for (const Entry &entry : in_state(i)) {
                const Node &producer = nodes_[entry.producer];
                if (entry.flight == Flight::kSources && is_cleared(nodes_[i], entry) &&
                    !nodes_[i].waits_for(producer.wsb)) {
                    used[entry.producer] = true;
                }
            }
        }
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].adjustable && !used[i]) {
                nodes_[i].rsb = kNone;
            }
        }
    }

    const Program &program_;
    const SchedulingModel &model_;
    std::vector<Node> nodes_;
    std::map<std::size_t, unsigned> missing_; ///< instruction to cycles that a stall cannot give
};

} // namespace

std::vector<NopRequest> schedule(Program &program, std::span<const CodeRange> ranges, const SchedulingModel &model) {
    Pass pass(program, ranges, model);
    pass.run();
    pass.store(program);
    return pass.missing_nops();
}

} // namespace smsim::assembler
