// Functions that the device's runtime defines: vprintf and __assertfail.
#include "model/program/device_output.h"
#include "model/text/print_format.h"
#include "ptx/interpreter/machine.h"

namespace smsim::ptx::interpreter {

namespace {

/// Arguments one after another in memory, each at a multiple of its size.
template <typename Load, typename String> class MemoryArguments final : public text::PrintArguments {
  public:
    MemoryArguments(Load load, String string) : load_(load), string_(string) {}

    std::optional<std::uint64_t> next(unsigned bytes) override {
        at_ = (at_ + bytes - 1) / bytes * bytes;
        const std::uint64_t value = load_(at_, bytes);
        at_ += bytes;
        ++count_;
        return value;
    }
    std::optional<std::string> string_at(std::uint64_t address) override { return string_(address); }
    std::uint64_t count() const { return count_; }

  private:
    Load load_;
    String string_;
    std::uint64_t at_ = 0;
    std::uint64_t count_ = 0;
};

} // namespace

std::uint64_t Cta::argument(Thread &thread, const Step &step, std::size_t index, unsigned bytes) {
    const Parameter &given = step.arguments.at(index);
    return given.in_register ? read(thread, given.source)
                             : load_bytes(thread.local.data() + thread.frames.back().local + given.offset, bytes);
}

std::string Cta::string_at(Thread &thread, std::uint64_t address) {
    std::string text;
    while (text.size() + 1 < device_output::kMostCharacters) {
        const auto one = static_cast<char>(*memories_.at(Memory::kGeneric, address++, 1, 1, thread.local, false));
        if (one == 0) {
            break;
        }
        text += one;
    }
    return text;
}

void Cta::print(Thread &thread, const Step &step) {
    const std::uint64_t format = argument(thread, step, 0, 8);
    const std::uint64_t list = argument(thread, step, 1, 8);
    std::uint64_t count = low_bits(~std::uint64_t{0}, 32);
    if (format != 0) {
        const auto load = [&](std::uint64_t at, unsigned bytes) {
            return load_bytes(memories_.at(Memory::kGeneric, list + at, bytes, bytes, thread.local, false), bytes);
        };
        MemoryArguments arguments(load, [&](std::uint64_t address) { return string_at(thread, address); });
        memories_.printed() += text::print_format(string_at(thread, format), arguments);
        count = arguments.count();
    }
    if (step.results.empty()) {
        return;
    }
    const Parameter &result = step.results.front();
    if (result.in_register) {
        write(thread, result.target, count);
    } else {
        store_bytes(thread.local.data() + thread.frames.back().local + result.offset, count, 4);
    }
}

void Cta::fail_assertion(Thread &thread, const Step &step) {
    device_output::Assertion failed;
    failed.message = string_at(thread, argument(thread, step, 0, 8));
    failed.file = string_at(thread, argument(thread, step, 1, 8));
    failed.line = static_cast<std::uint32_t>(argument(thread, step, 2, 4));
    failed.function = string_at(thread, argument(thread, step, 3, 8));
    failed.thread = thread.tid;
    failed.cta = number_;
    fail(thread, failed.text());
}

void Cta::call_library(Thread &thread, const Step &step, std::string_view name) {
    if (name != "vprintf") {
        fail_assertion(thread, step);
    }
    print(thread, step);
    ++thread.frames.back().next;
}

} // namespace smsim::ptx::interpreter
