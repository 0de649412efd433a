// Breadth-first search with stored fingerprints, then backward reachability of the ends.
#include "tb/state_space/search.h"

#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tb/state_space/fingerprint.h"

namespace smsim::state_space {
namespace {

using Index = std::uint32_t;
constexpr Index kNone = ~Index{0};
constexpr std::size_t kHistory = 200; ///< moves of a witness that are written out

struct Node {
    Index parent = kNone;
    Move move; ///< that led here from the parent
    bool end = false;
};

class Search {
  public:
    Search(Machine &machine, const ResultCheck &check, const Limits &limits)
        : machine_(machine), check_(check), limits_(limits) {}

    SearchResult run() {
        meet(machine_.initial(), kNone, {});
        while (!frontier_.empty()) {
            if (nodes_.size() > limits_.states) {
                note(Problem::kTruncated, fmt::format("more than {} states", limits_.states), kNone);
                break;
            }
            auto [index, state] = std::move(frontier_.front());
            frontier_.pop_front();
            expand(index, std::move(state));
        }
        if (!found_.problems.contains(Problem::kTruncated)) {
            find_livelocks();
        }
        found_.states = nodes_.size();
        found_.transitions = edges_.size();
        return std::move(found_);
    }

  private:
    Index meet(State &&state, Index parent, Move move) {
        const auto [place, fresh] = seen_.emplace(fingerprint_of(state), static_cast<Index>(nodes_.size()));
        if (fresh) {
            nodes_.push_back({parent, move, false});
            frontier_.emplace_back(place->second, std::move(state));
        }
        return place->second;
    }

    void expand(Index index, State &&state) {
        machine_.moves(state, moves_);
        if (moves_.empty()) {
            end(index, state);
            return;
        }
        const Move last = moves_.back();
        for (std::size_t i = 0; i + 1 < moves_.size(); ++i) {
            follow(index, State(state), moves_[i]);
        }
        follow(index, std::move(state), last);
    }

    void follow(Index index, State &&state, Move move) {
        const Step step = machine_.apply(state, move);
        if (step.fault) {
            nodes_[index].end = true;
            ++found_.faults[step.fault->fault];
            edges_.emplace_back(index, index);
            note(Problem::kFault, fmt::format("{}: {}", fault_name(step.fault->fault), step.fault->detail), index);
            if (step.violation) {
                note(Problem::kViolation, *step.violation, index);
            }
            return;
        }
        const Index next = meet(std::move(state), index, move);
        edges_.emplace_back(next, index);
        if (step.violation) {
            note(Problem::kViolation, *step.violation, next);
        }
    }

    void end(Index index, const State &state) {
        nodes_[index].end = true;
        if (Machine::finished(state)) {
            ++found_.ends;
            if (const auto wrong = check_(machine_, state)) {
                note(Problem::kWrongResult, *wrong, index);
            }
        } else if (!state.barriers.state().waits().empty()) {
            ++found_.faults[Fault::kBarrierDeadlock];
            note(Problem::kFault, "BarrierDeadlock:\n" + machine_.describe(state), index);
        } else {
            note(Problem::kStuck, "nothing can happen any more:\n" + machine_.describe(state), index);
        }
    }

    // Backwards from the ends; states that are not reached cannot end.
    void find_livelocks() {
        std::vector<Index> first(nodes_.size() + 1, 0);
        for (const auto &edge : edges_) {
            ++first[edge.first + 1];
        }
        for (std::size_t i = 1; i < first.size(); ++i) {
            first[i] += first[i - 1];
        }
        std::vector<Index> sources(edges_.size());
        std::vector<Index> next = first;
        for (const auto &[to, from] : edges_) {
            sources[next[to]++] = from;
        }
        std::vector<char> ends(nodes_.size(), 0);
        std::vector<Index> work;
        for (Index i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].end) {
                ends[i] = 1;
                work.push_back(i);
            }
        }
        while (!work.empty()) {
            const Index at = work.back();
            work.pop_back();
            for (Index i = first[at]; i < first[at + 1]; ++i) {
                if (ends[sources[i]] == 0) {
                    ends[sources[i]] = 1;
                    work.push_back(sources[i]);
                }
            }
        }
        for (Index i = 0; i < nodes_.size(); ++i) {
            if (ends[i] == 0) {
                note(Problem::kLivelock, "no end can be reached from here", i);
            }
        }
    }

    void note(Problem problem, const std::string &text, Index index) {
        if (found_.problems[problem]++ == 0) {
            found_.witness[problem] = text + (index == kNone ? std::string() : "\nhistory:\n" + history(index));
        }
    }

    // Runs the moves that led to a node again.
    std::string history(Index index) {
        std::vector<Move> moves;
        for (Index at = index; nodes_[at].parent != kNone; at = nodes_[at].parent) {
            moves.push_back(nodes_[at].move);
        }
        State state = machine_.initial();
        std::string text;
        std::size_t number = moves.size();
        for (auto move = moves.rbegin(); move != moves.rend(); ++move, --number) {
            if (number <= kHistory) {
                text += "  " + machine_.describe(state, *move) + '\n';
            }
            machine_.apply(state, *move);
        }
        return text + machine_.describe(state);
    }

    Machine &machine_;
    const ResultCheck &check_;
    const Limits limits_;
    SearchResult found_;
    std::vector<Move> moves_;
    std::vector<Node> nodes_;
    std::vector<std::pair<Index, Index>> edges_; ///< (to, from)
    std::unordered_map<Fingerprint, Index> seen_;
    std::deque<std::pair<Index, State>> frontier_;
};

std::string first_problem(const SearchResult &searched, const std::map<Problem, std::string> &relevant) {
    const auto &[problem, text] = *relevant.begin();
    return fmt::format("{} ({} times in {} states): {}", problem_name(problem), searched.problems.at(problem),
                       searched.states, text);
}

} // namespace

const char *problem_name(Problem problem) {
    switch (problem) {
    case Problem::kWrongResult:
        return "wrong result";
    case Problem::kFault:
        return "exception";
    case Problem::kStuck:
        return "stuck";
    case Problem::kLivelock:
        return "livelock";
    case Problem::kViolation:
        return "violation";
    case Problem::kTruncated:
        return "not searched to the end";
    }
    return "?";
}

SearchResult search(Machine &machine, const ResultCheck &check, const Limits &limits) {
    return Search(machine, check, limits).run();
}

std::optional<std::string> judge_legal(const SearchResult &searched) {
    if (!searched.witness.empty()) {
        return first_problem(searched, searched.witness);
    }
    return searched.ends == 0 ? std::optional<std::string>("no end was reached") : std::nullopt;
}

std::optional<std::string> judge_illegal(const SearchResult &searched, Fault expected) {
    if (searched.ends != 0) {
        return fmt::format("{} ends without an exception", searched.ends);
    }
    auto others = searched.witness;
    others.erase(Problem::kFault);
    if (!others.empty()) {
        return first_problem(searched, others);
    }
    if (searched.faults.size() != 1 || !searched.faults.contains(expected)) {
        return fmt::format("expected {} alone, but: {}", fault_name(expected),
                           searched.witness.contains(Problem::kFault) ? searched.witness.at(Problem::kFault)
                                                                      : "no exception");
    }
    return std::nullopt;
}

std::optional<std::string> judge_endless(const SearchResult &searched) {
    auto others = searched.witness;
    if (others.erase(Problem::kLivelock) == 0) {
        return "an end can be reached from every state";
    }
    return others.empty() ? std::nullopt : std::optional(first_problem(searched, others));
}

} // namespace smsim::state_space
