// Where threads wait for each other: barriers of the CTA, and instructions with masks within a warp.
#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "ptx/interpreter/machine.h"

namespace smsim::ptx::interpreter {

namespace {

using Results = std::array<Outputs, kWarp>;

template <typename Visit> void for_each(const Members &members, Visit visit) {
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        if (members[lane] != nullptr) {
            visit(lane, members[lane]->brought);
        }
    }
}

void vote(const Step &step, const Members &members, Results &results) {
    std::uint64_t ballot = 0;
    std::uint64_t present = 0;
    for_each(members, [&](unsigned lane, const Inputs &in) {
        present |= std::uint64_t{1} << lane;
        ballot |= (in.value[0] != 0 ? std::uint64_t{1} : 0) << lane;
    });
    const bool all = ballot == present;
    const std::uint64_t value = step.operation.has(Word::kBallot) ? ballot
                                : step.operation.has(Word::kAll)  ? static_cast<std::uint64_t>(all)
                                : step.operation.has(Word::kAny)  ? static_cast<std::uint64_t>(ballot != 0)
                                                                  : static_cast<std::uint64_t>(all || ballot == 0);
    for_each(members, [&](unsigned lane, const Inputs &) { results[lane].value = value; });
}

void match(const Step &step, const Members &members, Results &results) {
    std::uint64_t present = 0;
    for_each(members, [&](unsigned lane, const Inputs &) { present |= std::uint64_t{1} << lane; });
    for_each(members, [&](unsigned lane, const Inputs &in) {
        std::uint64_t same = 0;
        for_each(members, [&](unsigned other, const Inputs &theirs) {
            same |= (theirs.value[0] == in.value[0] ? std::uint64_t{1} : 0) << other;
        });
        const bool all = same == present;
        results[lane].value = step.operation.has(Word::kAny) ? same : all ? present : 0;
        results[lane].second = all ? 1 : 0;
    });
}

void redux(const Step &step, const Members &members, Results &results) {
    bool first = true;
    std::uint64_t value = 0;
    for_each(members, [&](unsigned, const Inputs &in) {
        value = first ? in.value[0] : atomic_result(step.operation, value, in.value[0], 0);
        first = false;
    });
    for_each(members, [&](unsigned lane, const Inputs &) { results[lane].value = value; });
}

/// The lane that `shfl` reads from, and whether it is in range.
std::pair<unsigned, bool> source_lane(const Operation &operation, unsigned lane, const Inputs &in) {
    const auto b = static_cast<int>(in.value[1] & 31);
    const auto clamp = static_cast<unsigned>(in.value[2] & 31);
    const auto segments = static_cast<unsigned>(in.value[2] >> 8 & 31);
    const auto last = static_cast<int>((lane & segments) | (clamp & ~segments));
    const auto first = static_cast<int>(lane & segments);
    const auto own = static_cast<int>(lane);
    if (operation.has(Word::kUp)) {
        return {static_cast<unsigned>(own - b) & 31, own - b >= last};
    }
    if (operation.has(Word::kDown)) {
        return {static_cast<unsigned>(own + b) & 31, own + b <= last};
    }
    if (operation.has(Word::kBfly)) {
        return {static_cast<unsigned>(own ^ b), (own ^ b) <= last};
    }
    const int from = first | (b & static_cast<int>(~segments & 31));
    return {static_cast<unsigned>(from), from <= last};
}

void shfl(const Step &step, const Members &members, Results &results) {
    for_each(members, [&](unsigned lane, const Inputs &in) {
        const auto [from, inside] = source_lane(step.operation, lane, in);
        const bool there = inside && members[from] != nullptr; // from a lane that is not there: undefined, the
                                                               // thread's own value
        results[lane].value = there ? members[from]->brought.value[0] : in.value[0];
        results[lane].second = inside ? 1 : 0;
    });
}

} // namespace

void resolve_meeting(const Step &step, const Members &members, Results &results) {
    const std::string_view opcode = step.operation.opcode;
    if (opcode == "vote") {
        vote(step, members, results);
    } else if (opcode == "match") {
        match(step, members, results);
    } else if (opcode == "redux") {
        redux(step, members, results);
    } else if (opcode == "shfl") {
        shfl(step, members, results);
    }
}

void Cta::meet(Thread &thread, const Step &step) {
    thread.brought = inputs(thread, step);
    thread.mask = read(thread, step.sources.back());
    if ((thread.mask >> thread.lane() & 1) == 0) {
        fail(thread, fmt::format("the thread is not in its mask {:#x}", thread.mask));
    }
    thread.state = State::kMeeting;
    thread.waiting = &step;
    try_meeting(thread.warp(), thread);
}

void Cta::try_meeting(unsigned warp, const Thread &member) {
    if (member.waiting->kind == Kind::kMatrix) {
        return try_matrix(warp, member);
    }
    const Step step = *member.waiting;
    const std::uint64_t mask = member.mask;
    Members members{};
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        const std::size_t index = warp * kWarp + lane;
        if ((mask >> lane & 1) == 0 || index >= threads_.size() || threads_[index].state == State::kDone) {
            continue;
        }
        Thread &other = threads_[index];
        const bool here = other.state == State::kMeeting && other.mask == mask &&
                          other.waiting->operation.opcode == step.operation.opcode &&
                          other.waiting->operation.words == step.operation.words;
        if (!here) {
            return;
        }
        members[lane] = &other;
    }
    Results results{};
    resolve_meeting(step, members, results);
    for (unsigned lane = 0; lane < kWarp; ++lane) {
        if (members[lane] != nullptr) {
            members[lane]->state = State::kReady;
            put(*members[lane], *members[lane]->waiting, results[lane]);
            ++members[lane]->frames.back().next;
        }
    }
}

/// A warp counts as 32 threads once all its alive threads have arrived.
void Cta::count_warp(Barrier &barrier, unsigned warp) {
    const auto first = static_cast<std::size_t>(warp) * kWarp;
    const std::size_t end = std::min(first + kWarp, threads_.size());
    bool all = true;
    bool some = false;
    for (std::size_t i = first; i < end; ++i) {
        all = all && (threads_[i].state == State::kDone || barrier.arrivals[i] != 0);
        some = some || barrier.arrivals[i] != 0;
    }
    if (!some || !all) {
        return;
    }
    barrier.warps[warp] += 1;
    for (std::size_t i = first; i < end; ++i) {
        barrier.arrivals[i] -= barrier.arrivals[i] != 0 ? 1 : 0;
    }
}

bool Cta::is_complete(const Barrier &barrier) const {
    std::uint64_t arrived = 0;
    bool all = true;
    for (std::size_t warp = 0; warp < live_.size(); ++warp) {
        all = all && (live_[warp] == 0 || barrier.warps[warp] != 0);
        arrived += std::uint64_t{kWarp} * barrier.warps[warp];
    }
    for (const std::uint32_t more : barrier.arrivals) {
        arrived += more;
    }
    return barrier.expected == 0 ? all : arrived >= barrier.expected;
}

void Cta::clear(Barrier &barrier) const {
    barrier = Barrier{};
    barrier.arrivals.resize(threads_.size());
    barrier.warps.resize(live_.size());
}

void Cta::complete(Barrier &barrier) {
    const std::vector<Thread *> waiting = std::move(barrier.waiting);
    for (Thread *thread : waiting) {
        const Operation &operation = thread->waiting->operation;
        const std::uint64_t value = operation.has(Word::kPopc)  ? barrier.popc
                                    : operation.has(Word::kAnd) ? static_cast<std::uint64_t>(barrier.all)
                                                                : static_cast<std::uint64_t>(barrier.any);
        thread->state = State::kReady;
        put(*thread, *thread->waiting, {value});
    }
    clear(barrier);
}

void Cta::barrier(Thread &thread, const Step &step) {
    const bool reduces = step.operation.has(Word::kRed);
    const Inputs in = inputs(thread, step);
    const std::size_t numbers = step.sources.size() - (reduces ? 1 : 0);
    const std::uint64_t expected = numbers > 1 ? in.value[1] : 0;
    if (in.value[0] > 15 || (numbers > 1 && (expected == 0 || expected % kWarp != 0))) {
        fail(thread, fmt::format("barrier {} for {} threads", in.value[0], expected));
    }
    Barrier &barrier = barriers_[in.value[0]];
    if (barrier.expected != 0 && expected != 0 && barrier.expected != expected) {
        fail(thread, fmt::format("barrier {} for {} threads, before for {}", in.value[0], expected, barrier.expected));
    }
    barrier.expected = expected != 0 ? expected : barrier.expected;
    barrier.arrivals[thread.index] += 1;
    count_warp(barrier, thread.warp());
    if (reduces) {
        const bool holds = in.value[numbers] != 0;
        barrier.popc += holds ? 1 : 0;
        barrier.all = barrier.all && holds;
        barrier.any = barrier.any || holds;
    }
    if (!step.operation.has(Word::kArrive)) {
        thread.state = State::kAtBarrier;
        thread.waiting = &step;
        barrier.waiting.push_back(&thread);
    }
    if (is_complete(barrier)) {
        complete(barrier);
    }
}

} // namespace smsim::ptx::interpreter
