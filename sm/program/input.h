// Text files that the program reads itself.
#pragma once

#include <string>

namespace smsim::program {

/// The whole file. Throws InputError when it cannot be read.
std::string read_text(const std::string &path);

} // namespace smsim::program
