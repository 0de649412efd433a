#include "cosim/pin_history.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace smsim::cosim {
namespace {

/// The short name of a variable in a value change dump: printable characters from '!' on, lowest digit first.
std::string code_of(std::size_t number) {
    constexpr std::size_t kDigits = 94;
    std::string code;
    do {
        code += static_cast<char>('!' + number % kDigits);
        number /= kDigits;
    } while (number != 0);
    return code;
}

/// "b101 code" or, of one bit, "1code".
void add_value(std::string &out, const unsigned char *bytes, unsigned bits, const std::string &code) {
    const auto bit = [bytes](unsigned i) { return ((bytes[i / 8] >> (i % 8)) & 1U) != 0 ? '1' : '0'; };
    if (bits == 1) {
        out += bit(0);
    } else {
        unsigned top = bits - 1;
        while (top > 0 && bit(top) == '0') {
            --top; // leading zeros are implied
        }
        out += 'b';
        for (unsigned i = top + 1; i-- > 0;) {
            out += bit(i);
        }
        out += ' ';
    }
    out += code;
    out += '\n';
}

} // namespace

PinHistory::PinHistory(const Block &block, std::size_t cycles) : cycles_(std::max<std::size_t>(cycles, 1)) {
    for (const Port &port : block.ports()) {
        const std::size_t bytes = (std::size_t{port.bits} + 7) / 8;
        places_.push_back({port, stride_, bytes});
        stride_ += bytes;
    }
    bytes_.resize(stride_ * cycles_.size());
}

void PinHistory::sample(Cycle cycle) {
    const std::size_t slot = taken_++ % cycles_.size();
    cycles_[slot] = cycle;
    unsigned char *to = bytes_.data() + slot * stride_;
    for (const Place &place : places_) {
        std::memcpy(to + place.at, place.port.data, place.bytes);
    }
}

std::string PinHistory::vcd(const std::string &name) const {
    std::string out = fmt::format("$comment A unit of time is half a cycle: cycle n begins at 2n. $end\n"
                                  "$timescale 1 ns $end\n$scope module {} $end\n$var wire 1 ! clk $end\n",
                                  name);
    for (std::size_t i = 0; i < places_.size(); ++i) {
        const Port &port = places_[i].port;
        out += fmt::format("$var wire {} {} {}{} $end\n", port.bits, code_of(i + 1), port.name,
                           port.bits == 1 ? "" : fmt::format(" [{}:0]", port.bits - 1));
    }
    out += "$upscope $end\n$enddefinitions $end\n";
    const unsigned char *before = nullptr;
    for (std::size_t i = taken_ - std::min(taken_, cycles_.size()); i < taken_; ++i) {
        const std::size_t slot = i % cycles_.size();
        const unsigned char *now = bytes_.data() + slot * stride_;
        out += fmt::format("#{}\n0!\n", 2 * cycles_[slot]);
        for (std::size_t p = 0; p < places_.size(); ++p) {
            const Place &place = places_[p];
            if (before == nullptr || std::memcmp(before + place.at, now + place.at, place.bytes) != 0) {
                add_value(out, now + place.at, place.port.bits, code_of(p + 1));
            }
        }
        out += fmt::format("#{}\n1!\n", 2 * cycles_[slot] + 1);
        before = now;
    }
    return out;
}

} // namespace smsim::cosim
