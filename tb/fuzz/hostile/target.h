// The common part of the hostile-input targets. A target is one function that takes any bytes, passes them to a reader
// of the model and checks the result. The same function is driven by libFuzzer (preset `fuzz`) and by the ordinary
// test that replays the kept inputs of tb/data/hostile_inputs (replay_test.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

/// Entry of a target, under the name that libFuzzer calls. Returns 0. An InputError of the reader is a valid answer;
/// std::logic_error means that the model broke a promise: it ends libFuzzer, which keeps the input, and fails the
/// test.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace smsim::hostile {

/// The bytes as text.
inline std::string_view text_of(const std::uint8_t *data, std::size_t size) {
    return size == 0 ? std::string_view() : std::string_view(reinterpret_cast<const char *>(data), size);
}

/// Throws std::logic_error with `promise` unless `kept`.
inline void hold(bool kept, const std::string &promise) {
    if (!kept) {
        throw std::logic_error("broken promise: " + promise);
    }
}

} // namespace smsim::hostile
