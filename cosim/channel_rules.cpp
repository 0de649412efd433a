#include "cosim/channel_rules.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace smsim::cosim {
namespace {

constexpr std::string_view kValid = "_valid";
constexpr std::string_view kReady = "_ready";

/// Field `index` of `pin` as bytes.
void read_field(const Pin &pin, unsigned index, unsigned char *to) {
    if (pin.width() % 8 == 0) {
        std::memcpy(to, pin.bytes(index), pin.width() / 8);
    } else {
        const std::uint64_t value = pin.get(index);
        std::memcpy(to, &value, (pin.width() + 7) / 8);
    }
}

std::string hex(const unsigned char *bytes, std::size_t count) {
    std::string text;
    for (std::size_t i = count; i-- > 0;) {
        if (!text.empty() || bytes[i] != 0 || i == 0) {
            text += text.empty() ? fmt::format("{:x}", bytes[i]) : fmt::format("{:02x}", bytes[i]);
        }
    }
    return "0x" + text;
}

std::string channel_text(std::string_view name, const Pin &valid, unsigned channel) {
    return valid.fields() == 1 ? std::string(name) : fmt::format("{} of channel {}", name, channel);
}

} // namespace

ChannelRules::ChannelRules(const Block &block) {
    const auto ports = block.ports();
    for (const Port &port : ports) {
        if (!port.input && port.unknown != nullptr &&
            (port.name.ends_with(kValid) || port.name.ends_with(kReady) || port.name == "busy" ||
             port.name == "expiry")) {
            known_.push_back({port.name, port.unknown, (std::size_t{port.bits} + 7) / 8});
        }
        if (port.input || !port.name.ends_with(kValid)) {
            continue;
        }
        const std::string_view prefix = port.name.substr(0, port.name.size() - kValid.size() + 1); // with its '_'
        const auto ready = std::ranges::find_if(ports, [&](const Port &other) {
            return other.input && other.bits == port.bits && other.name.starts_with(prefix) &&
                   other.name.substr(prefix.size() - 1) == kReady;
        });
        if (ready == ports.end()) {
            continue;
        }
        Row row{port.name,
                ready->name,
                Pin(port.data, 1, port.bits),
                Pin(ready->data, 1, ready->bits),
                {},
                std::vector<bool>(port.bits),
                std::vector<bool>(port.bits)};
        for (const Port &other : ports) {
            const unsigned width = other.bits / port.bits;
            if (!other.input && other.name != port.name && other.name.starts_with(prefix) &&
                other.bits % port.bits == 0 && (width % 8 == 0 || width <= 64)) {
                const std::size_t stride = (std::size_t{width} + 7) / 8;
                row.payload.push_back({other.name, Pin(other.data, width, port.bits),
                                       std::vector<unsigned char>(stride * port.bits), stride});
            }
        }
        rows_.push_back(std::move(row));
    }
}

void ChannelRules::keep(Row &row, unsigned channel) {
    for (Payload &one : row.payload) {
        read_field(one.pin, channel, one.kept.data() + channel * one.stride);
    }
}

std::optional<std::string> ChannelRules::changed(Row &row, unsigned channel, const char *when) {
    if (row.valid.get(channel) == 0) {
        return fmt::format("{} falls {} (docs/pins.md, Channels)", channel_text(row.valid_name, row.valid, channel),
                           when);
    }
    std::vector<unsigned char> now;
    for (const Payload &one : row.payload) {
        now.resize(one.stride);
        read_field(one.pin, channel, now.data());
        const unsigned char *const kept = one.kept.data() + channel * one.stride;
        if (std::memcmp(now.data(), kept, one.stride) != 0) {
            return fmt::format("{} changes from {} to {} {} (docs/pins.md, Channels)",
                               channel_text(one.name, row.valid, channel), hex(kept, one.stride),
                               hex(now.data(), one.stride), when);
        }
    }
    return std::nullopt;
}

std::optional<std::string> ChannelRules::behind_edge() {
    for (Row &row : rows_) {
        if (!row.any && !row.valid.any()) {
            continue;
        }
        row.any = false;
        for (unsigned channel = 0; channel < row.valid.fields(); ++channel) {
            if (row.held[channel]) {
                row.held[channel] = false;
                const std::string when = fmt::format("while {} is low, before its transfer", row.ready_name);
                if (auto text = changed(row, channel, when.c_str())) {
                    return text;
                }
            }
            row.offered[channel] = row.valid.get(channel) != 0;
            if (row.offered[channel]) {
                row.any = true;
                keep(row, channel);
            }
        }
    }
    return std::nullopt;
}

std::optional<std::string> ChannelRules::before_edge() {
    for (const Known &one : known_) {
        if (std::any_of(one.unknown, one.unknown + one.bytes, [](unsigned char c) { return c != 0; })) {
            return fmt::format("{} is X at the edge (docs/pins.md, Reset)", one.name);
        }
    }
    constexpr const char *kWithin = "within a cycle: outputs change only after the edge";
    for (Row &row : rows_) {
        if (!row.any && !row.valid.any()) {
            continue;
        }
        for (unsigned channel = 0; channel < row.valid.fields(); ++channel) {
            if (row.offered[channel]) {
                if (auto text = changed(row, channel, kWithin)) {
                    return text;
                }
                row.held[channel] = row.ready.get(channel) == 0;
            } else if (row.valid.get(channel) != 0) {
                return fmt::format("{} rises {} (docs/pins.md, Clock)",
                                   channel_text(row.valid_name, row.valid, channel), kWithin);
            }
        }
    }
    return std::nullopt;
}

} // namespace smsim::cosim
