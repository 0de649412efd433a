// The output of C's printf for a format and its arguments, for simulated programs that print. The format comes from a
// program: nothing in it is trusted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace smsim::text {

/// Provides the arguments one after another as the conversions need them.
class PrintArguments {
  public:
    virtual ~PrintArguments() = default;
    /// The next argument of 4 or 8 bytes, as bits; none when there are no more.
    virtual std::optional<std::uint64_t> next(unsigned bytes) = 0;
    /// The characters at an address that `next` has returned, without the final zero; none when they cannot be read.
    virtual std::optional<std::string> string_at(std::uint64_t address) = 0;
};

/// Maximum width or precision; larger ones count as this.
inline constexpr int kMostPrintWidth = 4096;

/// The text of `format`. Conversions are d i u x X o c s p f F e E g G a A and %%, with the flags "-+ #0", width and
/// precision as numbers or '*', and h, hh, l, ll, j, z, t before integers; arguments of 8 bytes are those with l, ll,
/// j, z, t, floats (which are doubles), p and s. %n and everything unknown appears in the text as written and takes no
/// argument. A null string gives "(null)", one that cannot be read "(unreadable)", a missing argument "(missing)".
std::string print_format(std::string_view format, PrintArguments &arguments);

} // namespace smsim::text
