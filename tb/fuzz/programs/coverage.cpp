#include "tb/fuzz/programs/coverage.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/isa/engine_operations.h"
#include "model/program/engine.h"
#include "model/program/program.h"

namespace smsim::fuzz {
namespace {

using isa::Form;
using isa::Op;

constexpr std::string_view kSimtStack = "simt_stack";

/// Operations that the generator does not use: float, special functions, double, matrices.
bool is_written(Op op) {
    switch (op) {
    case Op::kS2ur:
    case Op::kFadd:
    case Op::kFmul:
    case Op::kFfma:
    case Op::kFmnmx:
    case Op::kFsetp:
    case Op::kMufu:
    case Op::kF2i:
    case Op::kI2f:
    case Op::kF2f:
    case Op::kF2fp:
    case Op::kDadd:
    case Op::kDmul:
    case Op::kDfma:
    case Op::kDsetp:
    case Op::kHmma:
    case Op::kImma:
    case Op::kBmma:
    case Op::kDmma:
    case Op::kMovm:
    case Op::kLdsm:
    case Op::kStsm:
        return false;
    default:
        return true;
    }
}

/// Operations whose first modifier makes them a different instruction.
bool has_modes(Op op) {
    switch (op) {
    case Op::kBra:
    case Op::kCall:
    case Op::kRet:
    case Op::kBmov:
    case Op::kBar:
    case Op::kBarRed:
    case Op::kB2r:
    case Op::kR2b:
    case Op::kTokenBra:
    case Op::kJmp:
        return true;
    default:
        return false;
    }
}

bool is_control(Op op) {
    const isa::Unit unit = isa::spec_of(op).unit;
    return unit == isa::Unit::kBranch || unit == isa::Unit::kBarrier;
}

/// Compute and memory operations have one row each: the datapath's own tests cover their forms.
bool one_row(Op op) {
    return !is_control(op);
}

void add_rows(std::vector<CoverageRow> &rows, const isa::OpSpec &spec, const isa::FormSpec &form,
              std::string_view engine) {
    const unsigned modes = has_modes(spec.op) ? static_cast<unsigned>(spec.modifiers[0].names.size()) : 1;
    for (unsigned mode = 0; mode < modes; ++mode) {
        if (spec.op == Op::kBra && (form.form == Form::kU) && mode < 2) {
            continue; // only DIV and CONV take a uniform register
        }
        if (spec.op == Op::kBra && engine == kSimtStack && (form.form == Form::kU || mode > 1)) {
            continue; // only BRA and BRA.U exist
        }
        if (spec.op == Op::kBmov && form.form == Form::kR && mode != 0) {
            continue; // CLEAR belongs to the move from B
        }
        std::string name(spec.name);
        if (has_modes(spec.op) && !spec.modifiers[0].names[mode].empty()) {
            name += fmt::format(".{}", spec.modifiers[0].names[mode]);
        }
        if (!one_row(spec.op) && spec.forms.size() > 1) {
            name += fmt::format(" {}", isa::form_name(form.form));
        }
        rows.push_back({spec.op, form.form, static_cast<std::uint8_t>(mode), std::move(name)});
    }
}

std::vector<CoverageRow> make_rows(std::string_view engine) {
    std::vector<CoverageRow> rows;
    for (const isa::OpSpec &spec : isa::all_operations()) {
        if (!is_written(spec.op) || !isa::engine_has(engine, spec.op)) {
            continue;
        }
        Form last = Form::kX;
        bool first = true;
        for (const isa::FormSpec &form : spec.forms) {
            if (first || (!one_row(spec.op) && form.form != last)) {
                add_rows(rows, spec, form, engine);
            }
            last = form.form;
            first = false;
        }
    }
    return rows;
}

/// Row by operation, form and mode; kMaxRows: none.
struct RowIndex {
    std::array<std::array<std::array<std::uint8_t, 4>, 16>, 256> of;

    explicit RowIndex(std::string_view engine) {
        for (auto &forms : of) {
            for (auto &modes : forms) {
                modes.fill(0xff);
            }
        }
        const auto &rows = coverage_rows(engine);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            for (unsigned form = 0; form < 16; ++form) {
                if (one_row(rows[i].op) || form == static_cast<unsigned>(rows[i].form)) {
                    of[static_cast<std::size_t>(rows[i].op)][form][rows[i].mode] = static_cast<std::uint8_t>(i);
                }
            }
        }
    }
};

std::size_t cell(std::size_t row, GuardState guard, Situation situation) {
    return (row * kGuardStates + static_cast<std::size_t>(guard)) * kSituations + static_cast<std::size_t>(situation);
}

/// Whether programs for `engine` can reach a cell.
bool is_reached(std::string_view engine, const CoverageRow &row, GuardState guard, Situation situation) {
    if (engine == kDefaultEngine) {
        return true;
    }
    if (situation == Situation::kYielded || situation == Situation::kAsleep) {
        return false;
    }
    if (isa::spec_of(row.op).has(isa::kNoGuard)) {
        return guard == GuardState::kNone && (row.op != Op::kEndprg || situation != Situation::kDiverged);
    }
    if (engine != kSimtStack) {
        return true;
    }
    switch (row.op) {
    case Op::kBra:
        return row.mode != 0 || guard == GuardState::kNone;
    case Op::kBrx:
    case Op::kCall:
    case Op::kRet:
        return guard != GuardState::kMixed;
    default:
        return true;
    }
}

/// The value of `make` for each engine, by number.
template <typename Make> auto of_each_engine(Make &&make) {
    std::vector<decltype(make(kDefaultEngine))> all;
    for (const std::string_view engine : engine_names()) {
        all.push_back(make(engine));
    }
    return all;
}
std::size_t number_of(std::string_view engine) {
    return static_cast<std::size_t>(std::ranges::find(engine_names(), engine) - engine_names().begin());
}

constexpr const char *kGuardNames[] = {"no guard", "true", "false", "mixed"};
constexpr const char *kSituationNames[] = {"whole", "shrunk", "diverged", "yielded", "asleep"};

template <typename Visit> void for_each_cell(std::string_view engine, Visit &&visit) {
    const auto &rows = coverage_rows(engine);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (unsigned guard = 0; guard < kGuardStates; ++guard) {
            for (unsigned situation = 0; situation < kSituations; ++situation) {
                visit(row, static_cast<GuardState>(guard), static_cast<Situation>(situation));
            }
        }
    }
}

std::string short_number(std::uint64_t value) {
    if (value < 10'000) {
        return fmt::format("{}", value);
    }
    return value < 10'000'000 ? fmt::format("{}k", value / 1000) : fmt::format("{}M", value / 1'000'000);
}

} // namespace

const std::vector<CoverageRow> &coverage_rows(std::string_view engine) {
    static const auto kRows = of_each_engine([](std::string_view name) { return make_rows(name); });
    return kRows.at(number_of(engine));
}

Situation situation_of(LaneMask active, LaneMask valid) {
    if (active != valid) {
        return Situation::kDiverged;
    }
    return active == LaneMask::all() ? Situation::kWhole : Situation::kShrunk;
}

Situation situation_of(LaneMask active, const ControlState &before) {
    const LaneMask others = before.valid & ~active;
    if ((others & before.sleep).any()) {
        return Situation::kAsleep;
    }
    return (others & before.yield).any() ? Situation::kYielded : situation_of(active, before.valid);
}

void count(CoverageCounts &counts, std::string_view engine, const isa::Instruction &insn, LaneMask active,
           LaneMask executed, Situation situation) {
    static const auto kIndices = of_each_engine([](std::string_view name) { return RowIndex(name); });
    const RowIndex &index = kIndices.at(number_of(engine));
    const unsigned mode = has_modes(insn.op) ? insn.mod[0] & 3U : 0;
    const std::size_t row = index.of[static_cast<std::size_t>(insn.op)][static_cast<std::size_t>(insn.form)][mode];
    if (row == 0xff) {
        return;
    }
    const bool plain = insn.pg == isa::kPt && !insn.pg_not;
    const bool second =
        (insn.spec().has(isa::kGuardPp) && (insn.pp != isa::kPt || insn.pp_not)) || insn.test != ConditionTest::kT;
    GuardState guard = GuardState::kMixed;
    if (plain && !second) {
        guard = GuardState::kNone;
    } else if (executed == active) {
        guard = GuardState::kTrue;
    } else if (executed.none()) {
        guard = GuardState::kFalse;
    }
    ++counts[cell(row, guard, situation)];
}

std::size_t coverage_cells(std::string_view engine) {
    std::size_t cells = 0;
    for_each_cell(engine, [&](std::size_t row, GuardState guard, Situation situation) {
        cells += is_reached(engine, coverage_rows(engine)[row], guard, situation) ? 1 : 0;
    });
    return cells;
}

std::vector<std::string> empty_cells(const CoverageCounts &counts, std::string_view engine) {
    std::vector<std::string> empty;
    for_each_cell(engine, [&](std::size_t row, GuardState guard, Situation situation) {
        const CoverageRow &r = coverage_rows(engine)[row];
        if (counts[cell(row, guard, situation)] == 0 && is_reached(engine, r, guard, situation)) {
            empty.push_back(fmt::format("{}, {}, {}", r.name, kGuardNames[static_cast<unsigned>(guard)],
                                        kSituationNames[static_cast<unsigned>(situation)]));
        }
    });
    return empty;
}

std::string coverage_table(const CoverageCounts &counts, std::string_view engine) {
    std::string text = fmt::format("{:<16}", "");
    for (const char *guard : kGuardNames) {
        text += fmt::format("|{:^39}", guard);
    }
    text += fmt::format("\n{:<16}", "instruction");
    for (unsigned i = 0; i < kGuardStates * kSituations; ++i) {
        text += fmt::format("{}{:>7.7}", i % kSituations == 0 ? "|" : " ", kSituationNames[i % kSituations]);
    }
    text += "\n";
    const auto &rows = coverage_rows(engine);
    for_each_cell(engine, [&](std::size_t row, GuardState guard, Situation situation) {
        if (guard == GuardState::kNone && situation == Situation::kWhole) {
            text += fmt::format("{:<16}", rows[row].name);
        }
        const std::uint64_t value = counts[cell(row, guard, situation)];
        const char *gap = situation == Situation::kWhole ? "|" : " ";
        const bool reached = is_reached(engine, rows[row], guard, situation);
        text += fmt::format("{}{:>7}", gap, value != 0 ? short_number(value) : reached ? "EMPTY" : "-");
        if (guard == GuardState::kMixed && situation == Situation::kAsleep) {
            text += "\n";
        }
    });
    return text;
}

} // namespace smsim::fuzz
