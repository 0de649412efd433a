#include "cosim/bru_engine_pins.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "bru/engines/convergence_barrier/control_state.h"
#include "bru/engines/convergence_barrier/warp_control.h"
#include "bru/engines/simt_stack/engine.h"
#include "bru/engines/simt_stack/reconvergence.h"
#include "bru/engines/simt_stack/state.h"
#include "bru/engines/token_stack/control_state.h"
#include "cosim/pin.h"
#include "cosim/pin_codes.h"
#include "model/state/launch_context.h"

namespace smsim::cosim {

void refuse_bru(const char *key, const std::string &why) {
    throw InputError(fmt::format("{}: {}; the pins of the branch unit have nothing for it", key, why));
}

namespace {

using Kind = ControlField::Kind;

// --- convergence_barrier -------------------------------------------------------------------------------------------

class ConvergenceBarrierPins final : public BruEnginePins {
  public:
    explicit ConvergenceBarrierPins(Block &block) : block_(block) {
        const PinFinder find(block, "bru");
        nanosleep_sets_yield_ = find.input("cfg_nanosleep_sets_yield", 1);
        dbg_warp_ = find.input("dbg_warp", 8);
        dbg_state_ = find.output("dbg_state", kStateBits);
    }

    void set_straps(const BruConfig &config) override {
        if (config.election != ElectionPolicy::kLowestLane) {
            refuse_bru("bru.election", "only lowest_lane");
        }
        if (config.branch_order != BranchOrder::kFallThroughFirst) {
            refuse_bru("bru.branch_order", "only fall_through_first");
        }
        if (config.bsync_spec_literal) {
            refuse_bru("bru.bsync_spec_literal", "only false");
        }
        nanosleep_sets_yield_.put(config.nanosleep_sets_yield ? 1 : 0);
    }

    ControlSnapshot state(WarpSlot warp) const override {
        dbg_warp_.put(warp.value());
        block_.settle();
        const unsigned char *from = dbg_state_.bytes();
        const auto take = [&from](void *to, std::size_t bytes) {
            std::memcpy(to, from, bytes);
            from += bytes;
        };
        bru::convergence_barrier::ControlState state;
        take(&state.active_pc, 8);
        take(state.rpc.data(), sizeof state.rpc);
        const auto mask = [&] {
            std::uint32_t bits = 0;
            take(&bits, 4);
            return LaneMask(bits);
        };
        for (LaneMask *one : {&state.valid, &state.active, &state.yield, &state.sleep, &state.switch_set, &state.wait,
                              &state.wait_bar, &state.turn}) {
            *one = mask();
        }
        for (LaneMask &barrier : state.b) {
            barrier = mask();
        }
        return bru::convergence_barrier::snapshot_of(state);
    }

    void catch_up(ControlSnapshot &shown, Pc next) const override {
        auto state = bru::convergence_barrier::state_of(shown);
        if (next != state.active_pc) { // other units have executed since then: progress
            state.active_pc = next;
            state.wait = LaneMask{};
            state.wait_bar = LaneMask{};
            shown = bru::convergence_barrier::snapshot_of(state);
        }
    }

    std::string describe(const ControlSnapshot &state) const override {
        return bru::convergence_barrier::description_of(bru::convergence_barrier::state_of(state));
    }

  private:
    static constexpr unsigned kStateBits = 3136;
    Block &block_;
    Pin nanosleep_sets_yield_;
    Pin dbg_warp_;
    Pin dbg_state_;
};

// --- engines with a stack ------------------------------------------------------------------------------------------

/// Bits of a field, or of a column of entries, at the debug port.
unsigned bits_of(const ControlField &field) {
    return field.kind == Kind::kAddress ? 64 : 32;
}

unsigned bits_of(std::span<const ControlField> fields) {
    unsigned bits = 0;
    for (const ControlField &field : fields) {
        bits += bits_of(field);
    }
    return bits;
}

/// The debug port shows the fields that the engine declares one after another: addresses with 64 bits, masks and
/// numbers with 32; of the stack, which is the last field, the number of entries. A single entry is shown in the same
/// way. The first field is the address of the threads that run.
class StackPins : public BruEnginePins {
  public:
    StackPins(Block &block, std::span<const ControlField> fields) : block_(block), fields_(fields) {
        const PinFinder find(block, "bru");
        places_ = find.output("stack_places", 16);
        dbg_warp_ = find.input("dbg_warp", 8);
        dbg_index_ = find.input("dbg_index", 16);
        dbg_state_ = find.output("dbg_state", bits_of(fields));
        dbg_entry_ = find.output("dbg_entry", bits_of(fields.back().columns));
    }

    ControlSnapshot state(WarpSlot warp) const override {
        dbg_warp_.put(warp.value());
        block_.settle();
        ControlSnapshot state;
        state.fields = fields_;
        read(dbg_state_, fields_, state.values);
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(state.values.back(), places_.get()); ++i) {
            dbg_index_.put(i);
            block_.settle();
            read(dbg_entry_, fields_.back().columns, state.lists);
        }
        return state;
    }

    void catch_up(ControlSnapshot &state, Pc next) const override { state.values.front() = next; }

    std::string describe(const ControlSnapshot &state) const override {
        std::string text;
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            const auto width = fields_[i].kind == Kind::kMask ? 10 : 0;
            text += fields_[i].kind == Kind::kEntries
                        ? fmt::format(", entries of {}: {}", fields_[i].name, state.values[i])
                        : fmt::format("{}{} {:#0{}x}", i == 0 ? "" : ", ", fields_[i].name, state.values[i], width);
        }
        return text;
    }

  protected:
    /// The number of stack entries that the block holds, as it reports once it is settled.
    std::uint64_t places() const {
        block_.settle();
        return places_.get();
    }

  private:
    static void read(const Pin &from, std::span<const ControlField> fields, std::vector<std::uint64_t> &values) {
        const unsigned char *at = from.bytes();
        for (const ControlField &field : fields) {
            std::uint64_t value = 0;
            std::memcpy(&value, at, bits_of(field) / 8);
            at += bits_of(field) / 8;
            values.push_back(value);
        }
    }

    Block &block_;
    std::span<const ControlField> fields_;
    Pin places_;
    Pin dbg_warp_;
    Pin dbg_index_;
    Pin dbg_state_;
    Pin dbg_entry_;
};

class SimtStackPins final : public StackPins {
  public:
    SimtStackPins(Block &block, unsigned subs) : StackPins(block, bru::simt_stack::control_fields()) {
        const PinFinder find(block, "bru");
        order_ = find.input("cfg_order", 2);
        depth_ = find.input("cfg_depth", 16);
        barrier_check_ = find.input("cfg_barrier_check", 1);
        req_vector_b_ = find.input("req_vector_b", 1024, subs);
        req_join_ = find.input("req_join", 1, subs);
        start_join_ = find.input("start_join", 1);
        rsp_refuses_ = find.output("rsp_refuses", 1, kBranchClasses * subs);
    }

    void set_straps(const BruConfig &config) override {
        const std::uint64_t depth = bru::simt_stack::depth_limit(config.simt_stack);
        if (depth > places()) {
            refuse_bru("bru.simt_stack.depth", fmt::format("the block holds {} entries of a stack", places()));
        }
        order_.put(static_cast<std::uint64_t>(config.simt_stack.order));
        depth_.put(depth);
        barrier_check_.put(config.simt_stack.barrier_check ? 1 : 0);
    }
    void start(const WarpStart &start) override { start_join_.put(is_join(start, 0) ? 1 : 0); }
    void drive(unsigned sub_partition, const protocol::BranchExtension &request, const WarpStart &start) override {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const auto word = static_cast<std::uint32_t>(request.vectors[1][lane]);
            std::memcpy(req_vector_b_.bytes(sub_partition) + lane * sizeof word, &word, sizeof word);
        }
        const isa::Instruction &insn = *request.insn;
        const bool to_join =
            insn.op == isa::Op::kSetrpc &&
            is_join(start, insn.pc + kInstructionBytes + static_cast<Pc>(insn.imm) * kInstructionBytes);
        req_join_.put(to_join ? 1 : 0, sub_partition);
    }
    std::optional<ArrivalRefusal> refuses_arrivals(unsigned channel) const override {
        return rsp_refuses_.get(channel) != 0 ? std::optional(bru::simt_stack::kDivergedArrival) : std::nullopt;
    }

  private:
    /// Whether a JOIN is at `pc`. If the program is not known, every address counts as one, as in the model.
    static bool is_join(const WarpStart &start, Pc pc) {
        if (start.launch == nullptr || start.launch->program == nullptr) {
            return true;
        }
        const auto &code = start.launch->program->code;
        return pc % kInstructionBytes == 0 && pc / kInstructionBytes < code.size() &&
               code[pc / kInstructionBytes].op == isa::Op::kJoin;
    }

    Pin order_;
    Pin depth_;
    Pin barrier_check_;
    Pin req_vector_b_;
    Pin req_join_;
    Pin start_join_;
    Pin rsp_refuses_;
};

class TokenStackPins final : public StackPins {
  public:
    explicit TokenStackPins(Block &block) : StackPins(block, bru::token_stack::control_fields()) {
        const PinFinder find(block, "bru");
        order_ = find.input("cfg_order", 1);
        depth_ = find.input("cfg_depth", 16);
        spill_ = find.input("cfg_spill", 1);
        spill_cycles_ = find.input("cfg_spill_cycles", 16);
        call_limit_ = find.input("cfg_call_limit", 32);
    }

    void set_straps(const BruConfig &config) override {
        const TokenStackConfig &own = config.token_stack;
        if (own.depth > places()) {
            refuse_bru("bru.token_stack.depth", fmt::format("the block holds {} tokens of a stack", places()));
        }
        if (own.spill_cycles > kMostStrapCycles) {
            refuse_bru("bru.token_stack.spill_cycles", fmt::format("at most {}", kMostStrapCycles));
        }
        order_.put(static_cast<std::uint64_t>(own.order));
        depth_.put(own.depth);
        spill_.put(own.spill ? 1 : 0);
        spill_cycles_.put(own.spill_cycles);
        call_limit_.put(own.call_limit);
    }

  private:
    Pin order_;
    Pin depth_;
    Pin spill_;
    Pin spill_cycles_;
    Pin call_limit_;
};

} // namespace

std::unique_ptr<BruEnginePins> make_engine_pins(const BruConfig &config, Block &block, unsigned sub_partitions) {
    switch (config.engine) {
    case ReconvergenceEngineKind::kSimtStack:
        return std::make_unique<SimtStackPins>(block, sub_partitions);
    case ReconvergenceEngineKind::kTokenStack:
        return std::make_unique<TokenStackPins>(block);
    default:
        return std::make_unique<ConvergenceBarrierPins>(block);
    }
}

} // namespace smsim::cosim
