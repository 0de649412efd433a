#include "ptx/machine/numbering.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "model/error.h"
#include "ptx/machine/abi.h"
#include "ptx/machine/flow_graph.h"
#include "ptx/machine/join_fragments.h"
#include "ptx/machine/schedule.h"

namespace smsim::ptx::machine {

namespace {

/// Bytes of local memory that alloca may take, after all frames.
constexpr std::uint32_t kAllocaBytes = 16384;

/// Frames begin at multiples of it.
std::uint64_t whole_frame(std::uint64_t bytes) {
    return (bytes + 15) / 16 * 16;
}

RegisterSet everything() {
    RegisterSet set;
    set.general.set();
    set.predicates.set();
    return set;
}

RegisterSet return_registers() {
    RegisterSet set;
    set.general.set(kReturnAddress);
    set.general.set(kReturnAddress + 1);
    return set;
}

/// Registers up to the highest assigned number.
std::size_t highest(const Allocation &allocation) {
    std::size_t number = kGeneralRegisters;
    while (number > 0 && !allocation.used.general.test(number - 1)) {
        --number;
    }
    return number;
}

class ModuleNumberer : public CallEffects {
  public:
    ModuleNumberer(Module &module, const CallGraph &calls, const NumberingRules &rules)
        : module_(module), calls_(calls), rules_(rules),
          has_alloca_(std::ranges::any_of(module.functions, &Function::moves_stack)), changed_(module.functions.size()),
          done_(module.functions.size()) {}

    std::vector<Numbering> run() {
        AllocationRules rules;
        if (calls_.has_calls()) {
            rules.reserved.general.set(kFrame);
        }
        if (has_alloca_) {
            rules.reserved.general.set(kAllocaTop);
        }
        const std::vector<unsigned> limits = limits_with_callers();
        for (const std::size_t index : calls_.order()) {
            Function &function = module_.functions[index];
            find_changed_by_any(index);
            rules.general = std::min(rules_.registers, limits[index]);
            rules.rotate = function.kernel && rules_.rotate;
            thread_jumps(function);
            current_ = index;
            order_and_number(function, rules, done_[index].allocation);
            if (calls_.ends_ring(index)) {
                finish_ring(calls_.ring(index));
            }
        }
        finish_kernels();
        return std::move(done_);
    }

    const RegisterSet &clobbered(const Instruction &call) const override {
        const bool known = call.callee >= 0 && !calls_.within_ring(current_, static_cast<std::size_t>(call.callee));
        return known ? changed_[static_cast<std::size_t>(call.callee)] : changed_by_any_;
    }

  private:
    void find_changed_by_any(std::size_t index) {
        changed_by_any_ = return_registers();
        for (const auto &[target, callee] : calls_.callees(index)) {
            if (calls_.within_ring(index, target)) {
                changed_by_any_ = everything();
            } else if (calls_.addressed().contains(target)) {
                changed_by_any_ |= changed_[target];
            }
        }
    }

    void ordered(const Function &function) const {
        if (rules_.ordered) {
            rules_.ordered(function);
        }
    }

    /// Orders the instructions and numbers the registers. If the order puts a kernel just above a number of registers
    /// with which twice as many warps fit, looks for an order that needs fewer.
    void order_and_number(Function &function, const AllocationRules &rules, Allocation &allocation) {
        constexpr std::array<std::size_t, 2> kSteps = {64, 128};
        constexpr std::size_t kJustBeyond = 12;
        constexpr unsigned kBetweenPairs = 8; // registers that are unused between pairs
        Room room;
        room.most = rules.general - kBetweenPairs;
        room.words = std::min(room.words, room.most);
        join_fragments(function);
        const Function unordered = function.kernel ? function : Function();
        schedule_blocks(function, room);
        ordered(function);
        allocation = allocate(function, rules, *this, module_.file);
        const std::size_t number = highest(allocation);
        const auto step = std::ranges::find_if(
            kSteps, [&](std::size_t limit) { return limit < number && number <= limit + kJustBeyond; });
        if (!function.kernel || step == kSteps.end()) {
            return;
        }
        Function again = unordered;
        room.more /= 3;
        schedule_blocks(again, room);
        Allocation fewer = allocate(again, rules, *this, module_.file);
        if (highest(fewer) <= *step && fewer.spills <= allocation.spills) {
            function = std::move(again);
            allocation = std::move(fewer);
            ordered(function);
        }
    }

    /// The limits of functions: each has that of the kernel with the lowest limit that calls it.
    std::vector<unsigned> limits_with_callers() const {
        std::vector<unsigned> limits;
        for (const Function &function : module_.functions) {
            limits.push_back(function.kernel ? function.register_limit : kGeneralRegisters);
        }
        for (int round = 0; round < 2; ++round) { // twice for rings
            for (auto index = calls_.order().rbegin(); index != calls_.order().rend(); ++index) {
                for (const auto &[target, callee] : calls_.callees(*index)) {
                    limits[target] = std::min(limits[target], limits[*index]);
                }
            }
        }
        return limits;
    }

    /// Records what callers must know about a function, or a ring of them: registers that change, and the frames, each
    /// of which counts once: further ones are in the stack.
    void finish_ring(const std::vector<std::size_t> &ring) {
        RegisterSet all = return_registers();
        std::uint64_t frames = 0;
        std::uint64_t below = 0;
        for (const std::size_t index : ring) {
            all |= done_[index].allocation.used;
            frames += whole_frame(module_.functions[index].frame_bytes);
            for (const auto &[target, callee] : calls_.callees(index)) {
                if (!calls_.within_ring(index, target)) {
                    all |= changed_[target];
                    below = std::max<std::uint64_t>(below, done_[target].frames_bytes);
                }
            }
        }
        check_bytes(module_.functions[ring.back()], frames + below);
        // The caller's frame is restored; the top of alloca may have been moved permanently.
        all.general.reset(kFrame);
        for (const std::size_t index : ring) {
            changed_[index] = all;
            done_[index].frames_bytes = static_cast<std::uint32_t>(frames + below);
        }
    }

    [[noreturn]] void refuse(const Function &function, const std::string &cause) const {
        throw InputError(fmt::format("{}:{}:1: '{}' {}", module_.file, function.line, function.name, cause));
    }

    void check_bytes(const Function &function, std::uint64_t bytes) const {
        if (bytes > kMostFrameBytes) {
            refuse(function,
                   fmt::format("needs {} bytes of local memory; expected at most {}", bytes, kMostFrameBytes));
        }
    }

    void finish_kernels() {
        std::vector<bool> circles;
        for (std::size_t index = 0; index < module_.functions.size(); ++index) {
            circles.push_back(calls_.in_circle(index));
        }
        const std::vector<bool> recursive = calls_.reaching(calls_.recursive());
        const std::vector<bool> circular = calls_.reaching(circles);
        for (std::size_t index = 0; index < module_.functions.size(); ++index) {
            const Function &function = module_.functions[index];
            if (!function.kernel) {
                continue;
            }
            Numbering &kernel = done_[index];
            for (unsigned i = 0; i < kGeneralRegisters; ++i) {
                const bool frame = i == kFrame && calls_.has_calls();
                kernel.kernel_registers = frame || changed_[index].general.test(i) ? i + 1 : kernel.kernel_registers;
            }
            std::uint64_t stack = recursive[index] ? rules_.stack_bytes.value_or(kStackBytes) : 0;
            stack = circular[index] ? rules_.stack_bytes.value_or(static_cast<std::uint32_t>(stack)) : stack;
            if (recursive[index] && has_alloca_) {
                refuse(function, "calls a function that calls itself, in a module with alloca; expected one without");
            }
            const std::uint64_t bytes = kernel.frames_bytes + whole_frame(stack) + (has_alloca_ ? kAllocaBytes : 0);
            check_bytes(function, bytes);
            kernel.local_bytes = static_cast<std::uint32_t>(bytes);
            kernel.has_alloca = has_alloca_;
        }
    }

    Module &module_;
    const CallGraph &calls_;
    const NumberingRules &rules_;
    bool has_alloca_;
    std::size_t current_ = 0;          ///< function being allocated
    std::vector<RegisterSet> changed_; ///< by function, its callees included
    RegisterSet changed_by_any_;       ///< by indirect calls, and those to the ring, of the function being allocated
    std::vector<Numbering> done_;
};

} // namespace

std::vector<Numbering> number_module(Module &module, const CallGraph &calls, const NumberingRules &rules) {
    return ModuleNumberer(module, calls, rules).run();
}

} // namespace smsim::ptx::machine
