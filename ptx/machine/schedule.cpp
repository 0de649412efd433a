#include "ptx/machine/schedule.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "ptx/machine/liveness.h"

namespace smsim::ptx::machine {

namespace {

/// Instructions of a segment that are scheduled together; longer ones are cut.
constexpr std::size_t kLongest = 400;
/// How far after the oldest waiting instruction one may be taken.
constexpr std::size_t kWindow = 96;

/// Predicates that may be live; one of the seven is reserved to recreate a spilled one in.
constexpr unsigned kMostPredicates = 6;

bool starts_with_any(const Instruction &instruction, std::span<const std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return instruction.mnemonic.starts_with(word); });
}

/// True for instructions past which nothing moves.
bool stays(const Instruction &instruction) {
    constexpr std::array<std::string_view, 15> kStaying = {"BSSY", "BSYNC", "BREAK",  "BMOV",      "CALL",
                                                           "RET",  "EXIT",  "YIELD",  "WARPSYNC",  "BAR",
                                                           "TRAP", "BRX",   "MEMBAR", "NANOSLEEP", "B2R"};
    const bool clock = instruction.mnemonic.starts_with("CS2R"); // the time of an instruction depends on its position
    return clock || instruction.moves_threads || starts_with_any(instruction, kStaying);
}

constexpr std::array<std::string_view, 4> kProducts = {"HMMA", "IMMA", "BMMA", "DMMA"};

/// Cycles until a result can be read, roughly as the default configuration has them.
unsigned latency(const Instruction &instruction) {
    constexpr std::array<std::string_view, 2> kFar = {"LDG", "ATOMG"};
    constexpr std::array<std::string_view, 4> kNear = {"LDS", "LDL", "ATOMS", "LDC"};
    constexpr std::array<std::string_view, 15> kVariable = {"MUFU",  "F2I",  "I2F",  "F2F.",  "POPC",
                                                            "FLO",   "BREV", "DADD", "DMUL",  "DFMA",
                                                            "DSETP", "SHFL", "MOVM", "MATCH", "S2R"};
    if (starts_with_any(instruction, kFar)) {
        return 200;
    }
    if (starts_with_any(instruction, kNear)) {
        return 30;
    }
    if (starts_with_any(instruction, kProducts)) {
        return 17;
    }
    return starts_with_any(instruction, kVariable) ? 20 : 4;
}

/// Pipes that do not take an instruction of a warp in each cycle.
enum class Pipe : std::uint8_t { kAlu, kFma, kTensor, kNone };
constexpr std::size_t kPipes = 3;

Pipe pipe_of(const Instruction &instruction) {
    constexpr std::array<std::string_view, 4> kFma = {"FADD", "FMUL", "FFMA", "IMAD"};
    if (starts_with_any(instruction, kFma)) {
        return Pipe::kFma;
    }
    if (starts_with_any(instruction, kProducts)) {
        return Pipe::kTensor;
    }
    return latency(instruction) > 4 || has_effect(instruction) ? Pipe::kNone : Pipe::kAlu;
}

/// Cycles for which an instruction takes its pipe.
unsigned interval(Pipe pipe) {
    return pipe == Pipe::kTensor ? 4 : 2;
}

/// Cycles from a comparison to an instruction that it guards outside the fixed-latency pipes: accesses to memory, slow
/// functions, branches.
constexpr unsigned kToGuard = 12;

/// Cycles from `writer` to `reader`; `guards`: it is read as a guard.
unsigned distance(const Instruction &writer, const Instruction &reader, bool guards) {
    const unsigned cycles = latency(writer);
    const bool far = guards && latency(reader) > 4;
    return far ? std::max(cycles, kToGuard) : cycles;
}

/// LDSM and STSM.
bool moves_matrices(const Instruction &instruction) {
    return instruction.mnemonic.starts_with("LDSM") || instruction.mnemonic.starts_with("STSM");
}

/// The bytes that an access may touch.
struct Reach {
    char space = 0; ///< 'G', 'S', 'L'; 0: none
    bool writes = false;
    bool ordered = false; ///< volatile and atomic accesses keep their order among themselves
    Register base = kNoRegister;
    std::int64_t first = 0;
    std::int64_t last = 0; ///< past the last byte
};

Reach reach_of(const Instruction &instruction) {
    Reach reach;
    const std::string &name = instruction.mnemonic;
    const bool load = name.starts_with("LD") && !name.starts_with("LDC");
    const bool store = name.starts_with("ST");
    const bool atomic = name.starts_with("ATOM") || name.starts_with("RED.");
    if (!load && !store && !atomic) {
        return reach;
    }
    reach.space = load || store ? name[2] : (name.starts_with("ATOMS") ? 'S' : 'G');
    reach.writes = !load;
    reach.ordered = atomic || instruction.spins;
    for (const Operand &operand : instruction.operands) {
        if (operand.kind == OperandKind::kAddress) {
            reach.base = operand.reg;
            reach.first = operand.value;
        }
    }
    reach.last = reach.first + 16;
    if (!atomic) {
        const bool wide = name.find(".64") != std::string::npos;
        reach.last = reach.first + (name.find(".128") != std::string::npos ? 16 : (wide ? 8 : 4));
        if (moves_matrices(instruction)) { // each thread has other addresses than its own ones
            reach.base = kNoRegister;
            reach.first = std::numeric_limits<std::int64_t>::min();
            reach.last = std::numeric_limits<std::int64_t>::max();
        }
    }
    return reach;
}

class Segment {
  public:
    Segment(std::span<Instruction> code, const Function &function, const Units &units, UnitSet live,
            const UnitList &asked, const Room &room)
        : code_(code), function_(function), units_(units), live_(std::move(live)), room_(room) {
        for (const Instruction &instruction : code) {
            accesses_.push_back(access_of(instruction, units));
            reaches_.push_back(reach_of(instruction));
            pipes_.push_back(pipe_of(instruction));
        }
        successors_.resize(code.size());
        waits_.assign(code.size(), 0);
        depend();
        weigh(asked);
    }

    /// Reorders the instructions; `before`: units live at the beginning.
    void run(const UnitSet &before) {
        count_uses();
        std::vector<Instruction> ordered;
        std::vector<bool> done(code_.size(), false);
        std::vector<unsigned> earliest(code_.size(), 0);
        Alive alive;
        UnitSet now = before;
        now.for_each([&](std::uint32_t unit) { ++(is_predicate(unit) ? alive.predicates : alive.words); });
        words_ = std::max(room_.words, std::min(alive.words + room_.more, room_.most));
        unsigned time = 0;
        std::size_t oldest = 0;
        while (ordered.size() < code_.size()) {
            while (done[oldest]) {
                ++oldest;
            }
            const std::size_t next = choose(done, earliest, oldest, time, alive, now);
            time = std::max(time, begin(next, earliest)) + 1;
            done[next] = true;
            if (pipes_[next] != Pipe::kNone) {
                free_[static_cast<std::size_t>(pipes_[next])] = time - 1 + interval(pipes_[next]);
            }
            update(next, now, alive);
            for (const auto &[to, cycles] : successors_[next]) {
                --waits_[to];
                earliest[to] = std::max(earliest[to], time - 1 + cycles);
            }
            ordered.push_back(std::move(code_[next]));
        }
        std::ranges::move(ordered, code_.begin());
    }

  private:
    struct Edge {
        std::size_t to;
        unsigned cycles;
    };
    struct Alive {
        unsigned words = 0;
        unsigned predicates = 0;
    };
    /// The net change of what is live.
    struct Growth {
        int words = 0;
        int predicates = 0;
    };

    bool is_predicate(std::uint32_t unit) const {
        return function_.registers[units_.owner[unit]].kind == RegisterClass::kPredicate;
    }

    void edge(std::size_t from, std::size_t to, unsigned cycles) {
        successors_[from].push_back({to, cycles});
        ++waits_[to];
    }

    void depend() {
        std::map<std::uint32_t, std::vector<std::size_t>> writers; // since the last one that kills
        std::map<std::uint32_t, std::vector<std::size_t>> readers;
        std::vector<std::size_t> memory;
        std::map<Register, std::size_t> base_written; // number of writes, to distinguish versions of a base
        std::vector<std::size_t> version(code_.size(), 0);
        for (std::size_t i = 0; i < code_.size(); ++i) {
            const std::uint32_t guard = code_[i].guard.has_register() ? units_.first[code_[i].guard.reg] : units_.count;
            for (const std::uint32_t unit : accesses_[i].reads) {
                for (const std::size_t writer : writers[unit]) {
                    edge(writer, i, distance(code_[writer], code_[i], guard == unit));
                }
                readers[unit].push_back(i);
            }
            for (const std::uint32_t unit : accesses_[i].writes) {
                for (const std::size_t writer : writers[unit]) {
                    edge(writer, i, 1);
                }
                for (const std::size_t reader : readers[unit]) {
                    if (reader != i) {
                        edge(reader, i, 0);
                    }
                }
            }
            if (reaches_[i].space != 0) {
                version[i] = reaches_[i].base == kNoRegister ? 0 : base_written[reaches_[i].base];
                for (const std::size_t other : memory) {
                    if (meet(reaches_[other], version[other], reaches_[i], version[i])) {
                        edge(other, i, 1);
                    }
                }
                memory.push_back(i);
            }
            for (const std::uint32_t unit : accesses_[i].writes) {
                if (accesses_[i].for_good) {
                    writers[unit].clear();
                    readers[unit].clear();
                }
                writers[unit].push_back(i);
                ++base_written[units_.owner[unit]];
            }
        }
    }

    static bool meet(const Reach &a, std::size_t a_version, const Reach &b, std::size_t b_version) {
        if (a.space != b.space || (!a.writes && !b.writes && !(a.ordered && b.ordered))) {
            return false;
        }
        if (a.ordered || b.ordered) {
            return true;
        }
        const bool same_base = a.base == b.base && a_version == b_version;
        return !same_base || (a.first < b.last && b.first < a.last);
    }

    /// The longest path from each instruction to the end of the segment, in cycles; `asked`: what a branch there
    /// reads.
    void weigh(const UnitList &asked) {
        weight_.assign(code_.size(), 0);
        for (std::size_t i = code_.size(); i-- > 0;) {
            const bool decides = std::ranges::any_of(
                accesses_[i].writes, [&](std::uint32_t unit) { return std::ranges::find(asked, unit) != asked.end(); });
            weight_[i] = decides ? std::max(latency(code_[i]), kToGuard) : latency(code_[i]);
            for (const Edge &edge : successors_[i]) {
                weight_[i] = std::max(weight_[i], edge.cycles + weight_[edge.to]);
            }
        }
    }

    void count_uses() {
        for (const Access &access : accesses_) {
            for (const std::uint32_t unit : access.reads) {
                ++uses_[unit];
            }
        }
    }

    /// The growth if `index` comes next.
    Growth growth(std::size_t index, const UnitSet &now) const {
        Growth grown;
        const auto count = [&](std::uint32_t unit) -> int & {
            return is_predicate(unit) ? grown.predicates : grown.words;
        };
        for (const std::uint32_t unit : accesses_[index].writes) {
            count(unit) += now.has(unit) ? 0 : 1;
        }
        std::vector<std::uint32_t> seen;
        for (const std::uint32_t unit : accesses_[index].reads) {
            if (std::ranges::find(seen, unit) != seen.end()) {
                continue;
            }
            seen.push_back(unit);
            const auto times = std::ranges::count(accesses_[index].reads, unit);
            count(unit) -= uses_.at(unit) == static_cast<unsigned>(times) && !live_.has(unit) && now.has(unit) ? 1 : 0;
        }
        return grown;
    }

    /// When an instruction can begin whose predecessors have been taken.
    unsigned begin(std::size_t index, const std::vector<unsigned> &earliest) const {
        return pipes_[index] == Pipe::kNone ? earliest[index]
                                            : std::max(earliest[index], free_[static_cast<std::size_t>(pipes_[index])]);
    }

    std::size_t choose(const std::vector<bool> &done, const std::vector<unsigned> &earliest, std::size_t oldest,
                       unsigned time, const Alive &alive, const UnitSet &now) const {
        const bool full = alive.words >= words_;
        const bool full_of_predicates = alive.predicates >= kMostPredicates;
        std::size_t best = code_.size();
        const auto better = [&](std::size_t a, std::size_t b) {
            if (full_of_predicates) {
                const int grows_a = growth(a, now).predicates;
                const int grows_b = growth(b, now).predicates;
                if (grows_a != grows_b) {
                    return grows_a < grows_b;
                }
            }
            const int grows_a = full ? growth(a, now).words : 0;
            const int grows_b = full ? growth(b, now).words : 0;
            if ((grows_a > 0) != (grows_b > 0)) {
                return grows_b > 0;
            }
            if (grows_a > 0) { // all need more: the oldest gets it, so that what waits for it can end
                return a < b;
            }
            const unsigned begin_a = std::max(begin(a, earliest), time);
            const unsigned begin_b = std::max(begin(b, earliest), time);
            if (begin_a != begin_b) {
                return begin_a < begin_b;
            }
            if (grows_a != grows_b) {
                return grows_a < grows_b;
            }
            return weight_[a] != weight_[b] ? weight_[a] > weight_[b] : a < b;
        };
        const std::size_t end = std::min(code_.size(), oldest + kWindow);
        for (std::size_t i = oldest; i < end; ++i) {
            if (!done[i] && waits_[i] == 0 && (best == code_.size() || better(i, best))) {
                best = i;
            }
        }
        return best;
    }

    void update(std::size_t index, UnitSet &now, Alive &alive) {
        const auto count = [&](std::uint32_t unit) -> unsigned & {
            return is_predicate(unit) ? alive.predicates : alive.words;
        };
        for (const std::uint32_t unit : accesses_[index].reads) {
            if (--uses_.at(unit) == 0 && !live_.has(unit) && now.has(unit)) {
                now.remove(unit);
                --count(unit);
            }
        }
        for (const std::uint32_t unit : accesses_[index].writes) {
            if (!now.has(unit)) {
                now.add(unit);
                ++count(unit);
            }
        }
    }

    std::span<Instruction> code_;
    const Function &function_;
    const Units &units_;
    UnitSet live_; ///< after the segment
    const Room &room_;
    unsigned words_ = 0; ///< maximum live at the same time
    std::vector<Access> accesses_;
    std::vector<Reach> reaches_;
    std::vector<Pipe> pipes_;
    std::array<unsigned, kPipes> free_{}; ///< when each takes the next one
    std::vector<std::vector<Edge>> successors_;
    std::vector<unsigned> waits_; ///< predecessors that have not been taken
    std::vector<unsigned> weight_;
    std::map<std::uint32_t, unsigned> uses_; ///< remaining reads
};

void schedule_block(Block &block, const Function &function, const Units &units, const UnitSet &out, const Room &room) {
    std::vector<Instruction> &code = block.code;
    struct Piece {
        std::size_t first;
        std::size_t last;
    };
    std::vector<Piece> pieces;
    std::size_t first = 0;
    for (std::size_t i = 0; i <= code.size(); ++i) {
        const bool cut = i == code.size() || stays(code[i]);
        if (cut || i - first == kLongest) {
            if (i > first + 1) {
                pieces.push_back({first, i});
            }
            first = cut ? i + 1 : i;
        }
    }
    // From the last to the first: what is live after a piece is known then.
    UnitSet live = out;
    std::size_t at = code.size();
    const auto back_to = [&](std::size_t index) {
        while (at > index) {
            const Access access = access_of(code[--at], units);
            for (const std::uint32_t unit : access.kills()) {
                live.remove(unit);
            }
            for (const std::uint32_t unit : access.reads) {
                live.add(unit);
            }
        }
    };
    for (std::size_t i = pieces.size(); i-- > 0;) {
        back_to(pieces[i].last);
        UnitSet behind = live;
        back_to(pieces[i].first);
        const bool last = pieces[i].last == code.size();
        Segment(std::span(code).subspan(pieces[i].first, pieces[i].last - pieces[i].first), function, units,
                std::move(behind), last ? reads_of_end(block.end, units) : UnitList(), room)
            .run(live);
    }
}

} // namespace

void schedule_blocks(Function &function, const Room &room) {
    const Units units(function);
    const FlowGraph graph = analyse(function);
    const std::vector<SmallUnitSet> in = live_in(function, graph, units);
    for (const BlockIndex block : graph.order) {
        UnitSet out = live_before_end(function, units, in, block);
        schedule_block(function.blocks[block], function, units, out, room);
    }
}

} // namespace smsim::ptx::machine
