// Verification of a schedule, based on the rules of the machine and independent of the pass: each producer is followed
// along every path individually.
#include <algorithm>
#include <array>
#include <queue>
#include <set>

#include "assembler/scheduler.h"
#include "assembler/token_regions.h"

namespace smsim::assembler {
namespace {

using isa::Instruction;
using isa::Op;

/// Where a warp's threads may continue after an instruction. Jumps through registers count as ends, because everything
/// must have been awaited before them.
std::vector<std::size_t> next_of(const Program &program, std::size_t index, std::optional<std::uint32_t> region_end) {
    const Instruction &insn = program.code[index];
    std::vector<std::size_t> next;
    const bool unguarded = insn.pg == isa::kPt && !insn.pg_not && insn.pp == isa::kPt && !insn.pp_not;
    bool ends = insn.op == Op::kEndprg;
    if (insn.op == Op::kBra || isa::is_vector_branch(insn.op)) {
        ends = insn.op == Op::kBra && unguarded && insn.form == isa::Form::kX && insn.mod[0] < 2;
        const auto target = static_cast<std::uint64_t>(static_cast<std::int64_t>(index) + 1 + insn.imm);
        if (target < program.code.size()) {
            next.push_back(target);
        }
    } else if (insn.op == Op::kExit) {
        ends = unguarded;
    }
    if (const auto address = isa::named_address(insn); address && isa::is_token_jump(insn.op)) {
        if (program.contains(static_cast<Pc>(*address))) {
            next.push_back(static_cast<Pc>(*address) / kInstructionBytes);
        }
    }
    if (region_end) {
        next.push_back(*region_end);
    }
    ends = ends || !may_fall_through(insn);
    if (!ends && index + 1 < program.code.size()) {
        next.push_back(index + 1);
    }
    return next;
}

bool is_indirect(const Instruction &insn, std::optional<std::uint32_t> region_end) {
    const Op op = insn.op;
    const bool of_tokens = (isa::is_token_jump(op) && !isa::named_address(insn)) || isa::leaves_region(op);
    return op == Op::kBrx || op == Op::kCall || op == Op::kRet || op == Op::kRtt || op == Op::kTrap ||
           (of_tokens && !region_end);
}

bool may_switch(Op op) {
    return op == Op::kBsync || op == Op::kWarpsync || op == Op::kYield || op == Op::kNanosleep || op == Op::kExit ||
           op == Op::kJoin || isa::leaves_region(op);
}

bool waits(const Instruction &insn, unsigned scoreboard) {
    return scoreboard < isa::kScoreboards && ((insn.req >> scoreboard) & 1U) != 0;
}

class Checker {
  public:
    Checker(const Program &program, const timing::SchedulingModel &model)
        : program_(program), model_(model), region_ends_(region_ends(program)) {}

    std::vector<MissingProtection> run() {
        for (std::size_t i = 0; i < program_.code.size(); ++i) {
            const Instruction &insn = program_.code[i];
            if (timing::needs_write_scoreboard(insn)) {
                follow(i, [&](std::size_t at, unsigned elapsed) { return check_result(i, at, elapsed); });
            } else if (timing::settle_latency(model_, insn) != 0) {
                follow(i, [&](std::size_t at, unsigned elapsed) { return check_fixed(i, at, elapsed); });
            }
            if (timing::needs_read_scoreboard(insn)) {
                follow(i, [&](std::size_t at, unsigned elapsed) { return check_sources(i, at, elapsed); });
            }
            for (unsigned slot = 0; slot < isa::kReuseSlots; ++slot) {
                check_kept(i, slot);
            }
        }
        return std::move(found_);
    }

  private:
    /// Visits what follows `producer`, with the least cycles since its issue, as long as `goes_on` says so.
    template <typename Visit> void follow(std::size_t producer, Visit &&goes_on) {
        constexpr unsigned kForever = 1U << 20U; // more than any latency
        std::vector<unsigned> least(program_.code.size(), ~0U);
        using Item = std::pair<unsigned, std::size_t>;
        std::priority_queue<Item, std::vector<Item>, std::greater<>> open;
        const auto push = [&](std::size_t from, unsigned elapsed) {
            const Instruction &insn = program_.code[from];
            const unsigned passed = std::max(insn.stall_cycles(), timing::control_cycles(model_, insn));
            const unsigned arrival = std::min(elapsed + passed, kForever);
            for (const std::size_t next : next_of(program_, from, region_ends_[from])) {
                if (arrival < least[next]) {
                    least[next] = arrival;
                    open.emplace(arrival, next);
                }
            }
        };
        push(producer, 0);
        while (!open.empty()) {
            const auto [elapsed, at] = open.top();
            open.pop();
            if (elapsed == least[at] && goes_on(at, elapsed)) {
                push(at, elapsed);
            }
        }
    }

    void report(std::size_t producer, std::size_t consumer, std::string reason) {
        if (reported_.insert({producer, consumer}).second) {
            found_.push_back({producer * kInstructionBytes, consumer * kInstructionBytes, std::move(reason)});
        }
    }

    bool check_fixed(std::size_t producer, std::size_t at, unsigned elapsed) {
        const Instruction &first = program_.code[producer];
        const Instruction &second = program_.code[at];
        unsigned cycles = timing::required_distance(model_, first, second);
        const unsigned settle = timing::settle_latency(model_, first);
        if (jumps_anywhere(at)) {
            cycles = std::max(cycles, settle);
        }
        if (may_switch(second.op)) {
            cycles = std::max(cycles, timing::uniform_settle_latency(model_, first));
        }
        if (elapsed < cycles) {
            report(producer, at,
                   "result needs " + std::to_string(cycles) + " cycles, " + std::to_string(elapsed) + " are ensured");
        }
        return elapsed < settle;
    }

    bool check_result(std::size_t producer, std::size_t at, unsigned elapsed) {
        const Instruction &first = program_.code[producer];
        const Instruction &second = program_.code[at];
        if (waits(second, first.wsb) && elapsed >= timing::kScoreboardVisible) {
            return false;
        }
        const bool shared = may_switch(second.op) && isa::dependences_of(first).uniform_write.count != 0;
        if (jumps_anywhere(at) || shared || timing::touches_result(first, second)) {
            report(producer, at, "result is in flight and not awaited");
            return false;
        }
        return true;
    }

    bool check_sources(std::size_t producer, std::size_t at, unsigned elapsed) {
        const Instruction &first = program_.code[producer];
        const Instruction &second = program_.code[at];
        const bool result_tells = timing::needs_write_scoreboard(first) && waits(second, first.wsb);
        if ((waits(second, first.rsb) || result_tells) && elapsed >= timing::kScoreboardVisible) {
            return false;
        }
        const bool shared = may_switch(second.op) && isa::dependences_of(first).uniform_read_count != 0;
        if (jumps_anywhere(at) || shared || timing::overwrites_source(first, second)) {
            report(producer, at, "source registers may not have been read yet");
            return false;
        }
        return true;
    }

    /// An operand that `first` keeps for reuse must not have been written before it is read from there; followed up to
    /// the end of the straight code.
    void check_kept(std::size_t first, unsigned slot) {
        const Instruction &keeper = program_.code[first];
        const std::uint8_t kept = isa::sources_of(keeper)[slot];
        if ((keeper.reuse >> slot & 1U) == 0 || kept == isa::kRz) {
            return;
        }
        bool written = isa::writes_register(keeper, kept);
        for (std::size_t at = first + 1; at < program_.code.size() && !parts_behind(at - 1); ++at) {
            const Instruction &insn = program_.code[at];
            const std::uint8_t read = isa::reads_at_fixed_time(insn.spec()) ? isa::sources_of(insn)[slot] : isa::kRz;
            if (read != isa::kRz && read % isa::kRegisterBanks == kept % isa::kRegisterBanks) {
                if (read == kept && written) {
                    report(first, at, "R" + std::to_string(kept) + " is kept for reuse, and written before");
                }
                return;
            }
            written = written || isa::writes_register(insn, kept);
        }
    }
    bool parts_behind(std::size_t at) const {
        const std::vector<std::size_t> next = next_of(program_, at, region_ends_[at]);
        return next.size() != 1 || next.front() != at + 1;
    }

    bool jumps_anywhere(std::size_t at) const { return is_indirect(program_.code[at], region_ends_[at]); }

    const Program &program_;
    const timing::SchedulingModel &model_;
    std::vector<std::optional<std::uint32_t>> region_ends_;
    std::vector<MissingProtection> found_;
    std::set<std::pair<std::size_t, std::size_t>> reported_;
};

} // namespace

std::vector<MissingProtection> verify_schedule(const Program &program, const timing::SchedulingModel &model) {
    return Checker(program, model).run();
}

} // namespace smsim::assembler
