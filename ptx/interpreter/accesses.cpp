// Memory instructions of a thread: loads, stores, atomics, and addresses between spaces.
#include <algorithm>

#include "ptx/interpreter/layout.h"
#include "ptx/interpreter/machine.h"

namespace smsim::ptx::interpreter {

std::uint64_t Cta::address(Thread &thread, const Step &step) {
    const std::uint64_t base = read(thread, step.sources.front());
    return low_bits(base + static_cast<std::uint64_t>(step.offset), step.address_bits);
}

void Cta::load(Thread &thread, const Step &step) {
    const auto count = static_cast<unsigned>(step.targets.size());
    const std::uint64_t from = address(thread, step);
    const std::uint8_t *bytes =
        memories_.at(step.memory, from, count * step.bytes, count * step.bytes, thread.local, false);
    std::array<std::uint64_t, 8> values{}; // all are read before any is written: the base may be among them
    for (unsigned i = 0; i < count; ++i) {
        values[i % 8] = load_bytes(bytes + std::size_t{i} * step.bytes, step.bytes);
    }
    for (unsigned i = 0; i < count; ++i) {
        write(thread, step.targets[i], values[i % 8]);
    }
}

void Cta::store(Thread &thread, const Step &step) {
    const auto count = static_cast<unsigned>(step.sources.size() - 1);
    std::uint8_t *bytes =
        memories_.at(step.memory, address(thread, step), count * step.bytes, count * step.bytes, thread.local, true);
    for (unsigned i = 0; i < count; ++i) {
        store_bytes(bytes + std::size_t{i} * step.bytes, read(thread, step.sources[i + 1]), step.bytes);
    }
}

std::uint64_t atomic_result(const Operation &operation, std::uint64_t old, std::uint64_t a, std::uint64_t b) {
    const ptx::Type type = operation.types[0];
    if (operation.has(Word::kExch)) {
        return a;
    }
    if (operation.has(Word::kCas)) {
        return old == a ? b : old;
    }
    if (operation.has(Word::kInc)) {
        return old >= a ? 0 : old + 1;
    }
    if (operation.has(Word::kDec)) {
        return old == 0 || old > a ? a : old - 1;
    }
    if (operation.has(Word::kAnd)) {
        return old & a;
    }
    if (operation.has(Word::kOr)) {
        return old | a;
    }
    if (operation.has(Word::kXor)) {
        return old ^ a;
    }
    const std::string_view opcode = operation.has(Word::kMin) ? "min" : operation.has(Word::kMax) ? "max" : "add";
    return evaluate(make_operation(opcode, {}, {type}), {{old, a}, false}).value;
}

void Cta::atomic(Thread &thread, const Step &step) {
    std::uint8_t *bytes = memories_.at(step.memory, address(thread, step), step.bytes, step.bytes, thread.local, true);
    const std::uint64_t old = load_bytes(bytes, step.bytes);
    const Inputs in = inputs(thread, step, 1);
    store_bytes(bytes, atomic_result(step.operation, old, in.value[0], in.value[1]), step.bytes);
    put(thread, step, {old});
}

void Cta::convert_address(Thread &thread, const Step &step) {
    const std::uint64_t value = read(thread, step.sources.front());
    if (step.kind == Kind::kIsSpace) {
        return write(thread, step.targets.front(), memory_of(value) == step.memory ? 1 : 0);
    }
    if (step.kind == Kind::kToGeneric) {
        return write(thread, step.targets.front(), generic_address(step.memory, value));
    }
    const bool window = step.memory != Memory::kGlobal;
    write(thread, step.targets.front(), window ? low_bits(value, 32) : value);
}

} // namespace smsim::ptx::interpreter
