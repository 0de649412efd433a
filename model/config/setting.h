// A key of the configuration with a value, given by an input other than a configuration.
#pragma once

#include <string>

namespace smsim {

struct Setting {
    std::string key;   ///< "section.member"
    std::string value; ///< as written
    std::string place; ///< "file:line:column" of the value, for messages
};

} // namespace smsim
