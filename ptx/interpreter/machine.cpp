#include "ptx/interpreter/machine.h"

#include <algorithm>

#include <fmt/format.h>

#include "ptx/interpreter/layout.h"

namespace smsim::ptx::interpreter {

namespace {

constexpr std::uint64_t kMostLocal = std::uint64_t{1} << 20;
constexpr std::size_t kMostFrames = 10'000;
constexpr std::size_t kMostRegisters = std::size_t{1} << 20;

std::uint64_t aligned(std::uint64_t value, std::uint64_t to) {
    return (value + to - 1) / to * to;
}

} // namespace

void Cta::fail(const Thread &thread, const std::string &why) const {
    const Frame *frame = thread.frames.empty() ? nullptr : &thread.frames.back();
    const ptx::Instruction *at = nullptr;
    if (frame != nullptr && frame->next < frame->function->steps.size()) {
        at = frame->function->steps[frame->next].instruction;
    }
    throw Stop(fmt::format("CTA ({}, {}, {}) thread {} line {}: {}: {}", number_[0], number_[1], number_[2],
                           thread.index, at != nullptr ? at->place.line : 0, at != nullptr ? full_name(*at) : "end",
                           why));
}

std::uint64_t Cta::special(const Thread &thread, const Source &source) const {
    const std::uint64_t lane = std::uint64_t{1} << thread.lane();
    const unsigned i = source.component;
    switch (source.special) {
    case Special::kTid:
        return i < 3 ? thread.tid[i] : 0;
    case Special::kNtid:
        return i < 3 ? launch_.block[i] : 0;
    case Special::kCtaid:
        return i < 3 ? number_[i] : 0;
    case Special::kNctaid:
        return i < 3 ? launch_.grid[i] : 0;
    case Special::kLaneid:
        return thread.lane();
    case Special::kWarpid:
        return thread.warp();
    case Special::kNwarpid:
        return live_.size();
    case Special::kLanemaskEq:
        return lane;
    case Special::kLanemaskLe:
        return 2 * lane - 1;
    case Special::kLanemaskLt:
        return lane - 1;
    case Special::kLanemaskGe:
        return low_bits(~(lane - 1), 32);
    case Special::kLanemaskGt:
        return low_bits(~(2 * lane - 1), 32);
    case Special::kClock:
        return clock_;
    case Special::kClockHigh:
        return clock_ >> 32;
    case Special::kTotalShared:
        return module_.static_shared + launch_.dynamic_shared;
    case Special::kDynamicShared:
        return launch_.dynamic_shared;
    case Special::kNsmid:
        return 1;
    default:
        return 0;
    }
}

std::uint64_t Cta::read(Thread &thread, const Source &source) {
    switch (source.mode) {
    case Source::Mode::kRegister: {
        const std::uint64_t value = slot(thread, source.slot);
        return source.negated ? static_cast<std::uint64_t>(value == 0) : low_bits(value, source.bits);
    }
    case Source::Mode::kImmediate:
        return low_bits(source.value, source.bits);
    case Source::Mode::kFrame:
        return low_bits(source.value + thread.frames.back().local, source.bits);
    default:
        return low_bits(special(thread, source), source.bits);
    }
}

void Cta::write(Thread &thread, const Target &target, std::uint64_t value) {
    if (target.sink) {
        return;
    }
    if (target.extends && target.from_bits < target.bits) {
        value = static_cast<std::uint64_t>(sign_extended(value, target.from_bits));
    }
    slot(thread, target.slot) = low_bits(value, target.bits);
}

Inputs Cta::inputs(Thread &thread, const Step &step, unsigned first) {
    Inputs in;
    for (std::size_t i = first; i < step.sources.size() && i - first < in.value.size(); ++i) {
        in.value[i - first] = read(thread, step.sources[i]);
    }
    in.carry = thread.carry;
    return in;
}

void Cta::put(Thread &thread, const Step &step, const Outputs &outputs) {
    if (!step.targets.empty()) {
        write(thread, step.targets.front(), outputs.value);
    }
    write(thread, step.second, outputs.second);
}

void Cta::move(Thread &thread, const Step &step) {
    std::uint64_t whole = 0;
    unsigned shift = 0;
    for (const Source &source : step.sources) {
        whole |= read(thread, source) << shift;
        shift += source.bits % 64;
    }
    shift = 0;
    for (const Target &target : step.targets) {
        write(thread, target, low_bits(whole >> shift, target.from_bits));
        shift += target.from_bits % 64;
    }
}

void Cta::allocate(Thread &thread, const Step &step) {
    const std::uint64_t bytes = read(thread, step.sources[0]);
    const std::uint64_t align = step.sources.size() > 1 ? read(thread, step.sources[1]) : 8;
    const std::uint64_t from = aligned(thread.stack_top, std::clamp<std::uint64_t>(align, 1, 4096));
    if (bytes > kMostLocal || from + bytes > kMostLocal) {
        fail(thread, "more local memory than the interpreter covers");
    }
    thread.stack_top = from + bytes;
    thread.local.resize(std::max<std::size_t>(thread.local.size(), thread.stack_top));
    write(thread, step.targets.front(), from);
}

void Cta::enter(Thread &thread, const CompiledFunction &function, const Step *call) {
    if (!function.defined) {
        fail(thread, "'" + function.name + "' is not defined in this module");
    }
    Frame frame{&function, 0, thread.registers.size(), aligned(thread.stack_top, 128), call};
    if (frame.local + function.frame_bytes > kMostLocal || thread.frames.size() >= kMostFrames ||
        frame.registers + function.slots > kMostRegisters) {
        fail(thread, "more local memory or deeper calls than the interpreter covers");
    }
    thread.registers.resize(thread.registers.size() + function.slots);
    thread.stack_top = frame.local + function.frame_bytes;
    thread.local.resize(std::max<std::size_t>(thread.local.size(), thread.stack_top));
    thread.frames.push_back(frame);
}

/// Passes one parameter or result: `from` in the frame that provides it, `to` in the frame that receives it.
void Cta::pass(Thread &thread, const Parameter &from, const Parameter &to, const Frame &giver, const Frame &taker) {
    const std::uint64_t to_bytes = to.in_register ? to.target.bits / 8 : to.bytes;
    if (!from.in_register && !to.in_register) {
        const std::uint64_t bytes = std::min(from.bytes, to.bytes);
        const std::uint8_t *source =
            from.kernel ? memories_.at(Memory::kParameter, from.offset, static_cast<unsigned>(bytes), 1, {}, false)
                        : thread.local.data() + giver.local + from.offset;
        std::copy_n(source, bytes, thread.local.data() + taker.local + to.offset);
        return;
    }
    std::uint64_t value = 0;
    if (!from.in_register) {
        const auto bytes = static_cast<unsigned>(std::min<std::uint64_t>(from.bytes, 8));
        value = from.kernel ? load_bytes(memories_.at(Memory::kParameter, from.offset, bytes, 1, {}, false), bytes)
                            : load_bytes(thread.local.data() + giver.local + from.offset, bytes);
    } else if (from.target.sink) { // an argument
        value = read(thread, from.source);
        if (from.bytes == 8 && to_bytes == 4) {
            value = encode(kSingle, decode(kDouble, value), Rounding::kNearest);
        }
    } else { // a result in a register of the callee
        value = thread.registers[giver.registers + from.target.slot];
    }
    if (to.in_register) {
        if (!to.target.sink) {
            thread.registers[taker.registers + to.target.slot] = low_bits(value, to.target.bits);
        }
    } else {
        store_bytes(thread.local.data() + taker.local + to.offset, value, static_cast<unsigned>(to.bytes));
    }
}

void Cta::call(Thread &thread, const Step &step) {
    const std::uint64_t target = read(thread, step.sources[0]);
    const std::uint64_t number = (target - kFunctionAddresses) / kFunctionStep - 1;
    if (target % kFunctionStep != 0 || number >= module_.functions.size()) {
        fail(thread, fmt::format("call of {:#x}, where there is no function", target));
    }
    const CompiledFunction &function = module_.functions[number];
    if (!function.defined && (function.name == "vprintf" || function.name == "__assertfail")) {
        return call_library(thread, step, function.name);
    }
    if (function.entry || function.parameters.size() != step.arguments.size() ||
        function.returns.size() != step.results.size()) {
        fail(thread, "call of '" + function.name + "' with another number of parameters");
    }
    const Frame caller = thread.frames.back();
    enter(thread, function, &step);
    const Frame callee = thread.frames.back();
    thread.frames.back() = caller; // arguments are read in the caller's frame
    for (std::size_t i = 0; i < step.arguments.size(); ++i) {
        pass(thread, step.arguments[i], function.parameters[i], caller, callee);
    }
    thread.frames.back() = callee;
    thread.frames[thread.frames.size() - 2].next += 1;
}

void Cta::finish(Thread &thread) {
    thread.state = State::kDone;
    live_[thread.warp()] -= 1;
    for (Barrier &barrier : barriers_) {
        count_warp(barrier, thread.warp());
        if (!barrier.waiting.empty() && is_complete(barrier)) {
            complete(barrier);
        }
    }
    for (Thread &other : threads_) {
        if (other.warp() == thread.warp() && other.state == State::kMeeting) {
            try_meeting(other.warp(), other);
        }
    }
}

void Cta::leave(Thread &thread) {
    const Frame callee = thread.frames.back();
    if (callee.call == nullptr) {
        return finish(thread);
    }
    thread.frames.pop_back();
    const Frame caller = thread.frames.back();
    for (std::size_t i = 0; i < callee.call->results.size(); ++i) {
        pass(thread, callee.function->returns[i], callee.call->results[i], callee, caller);
    }
    thread.registers.resize(callee.registers);
    thread.stack_top = callee.local;
}

void Cta::execute(Thread &thread) {
    Frame &frame = thread.frames.back();
    const Step &step = frame.function->steps[frame.next];
    if (step.guarded && (slot(thread, step.guard) != 0) == step.guard_negated) {
        ++frame.next;
        return;
    }
    switch (step.kind) {
    case Kind::kCompute: {
        const Outputs out = evaluate(step.operation, inputs(thread, step));
        put(thread, step, out);
        thread.carry = step.operation.has(Word::kCc) ? out.carry : thread.carry;
        break;
    }
    case Kind::kMove:
        move(thread, step);
        break;
    case Kind::kLoad:
        load(thread, step);
        break;
    case Kind::kStore:
        store(thread, step);
        break;
    case Kind::kAtomic:
        atomic(thread, step);
        break;
    case Kind::kToGeneric:
    case Kind::kFromGeneric:
    case Kind::kIsSpace:
        convert_address(thread, step);
        break;
    case Kind::kBranch:
        frame.next = step.positions.front();
        return;
    case Kind::kTable: {
        const std::uint64_t index = read(thread, step.sources.front());
        if (index >= step.positions.size()) {
            fail(thread, fmt::format("index {} of a table of {}", index, step.positions.size()));
        }
        frame.next = step.positions[index];
        return;
    }
    case Kind::kCall:
        return call(thread, step);
    case Kind::kReturn:
        return leave(thread);
    case Kind::kExit:
        return finish(thread);
    case Kind::kBarrier:
        ++frame.next;
        return barrier(thread, step);
    case Kind::kMeet:
        return meet(thread, step);
    case Kind::kMatrix:
        return meet_matrix(thread, step);
    case Kind::kActive:
        write(thread, step.targets.front(), std::uint64_t{1} << thread.lane());
        break;
    case Kind::kTrap:
        fail(thread, "trap");
    case Kind::kAllocate:
        allocate(thread, step);
        break;
    case Kind::kStackSave:
        write(thread, step.targets.front(), thread.stack_top);
        break;
    case Kind::kStackRestore:
        thread.stack_top = std::min<std::uint64_t>(read(thread, step.sources.front()), thread.stack_top);
        break;
    default:
        break;
    }
    ++thread.frames.back().next;
}

} // namespace smsim::ptx::interpreter
