// Identifies the program: results are comparable only when they come from the same model.
#pragma once

#include <string_view>

namespace smsim::app {

/// Twelve hexadecimal digits over the sources of the model (model, ibuffer, bru, bcu, memory, sm, ptx), computed when
/// the program is built (cmake/ModelFingerprint.cmake). A changed comment changes it too.
std::string_view model_fingerprint();

} // namespace smsim::app
