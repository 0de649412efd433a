#include "model/config/read_value.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/error.h"
#include "model/text/nearest.h"

namespace smsim {

namespace {

void check_shape(const ConfigKey &key, std::uint64_t value, const std::string &place) {
    if (key.power_of_two && !std::has_single_bit(value)) {
        throw InputError(fmt::format("{}: {} must be a power of two; found {}", place, key.name, value));
    }
    if (value % key.multiple_of != 0) {
        throw InputError(
            fmt::format("{}: {} must be a multiple of {}; found {}", place, key.name, key.multiple_of, value));
    }
}

/// The enumeration of a key's own values.
template <typename Member> struct OwnOf { using Type = Member; };
template <typename Kind> struct OwnOf<PolicyChoice<Kind>> { using Type = Kind; };
template <typename Member> using Own = typename OwnOf<Member>::Type;

/// The value of a key of type "sizes".
SizeList read_sizes(const ConfigKey &key, const yaml::Node &node) {
    const std::string name(key.name);
    const std::string &text = yaml::to_text(node, name);
    if (text == SizeList::kNone) {
        return {};
    }
    std::vector<std::uint64_t> sizes;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        yaml::Node size;
        size.kind = yaml::Kind::kScalar;
        size.place = node.place;
        size.text = text.substr(begin, end - begin);
        sizes.push_back(yaml::to_bytes(size, "each of " + name, static_cast<std::uint64_t>(key.low),
                                       static_cast<std::uint64_t>(key.high)));
        if (sizes.size() > 1 && sizes.back() <= sizes[sizes.size() - 2]) {
            yaml::fail(node, fmt::format("{} has no value '{}'; allowed: {}", name, text, range_text(key)));
        }
        begin = end + 1;
    }
    return {text, std::move(sizes)};
}

} // namespace

void read_value(Config &config, const ConfigKey &key, const yaml::Node &node) {
    const std::string name(key.name);
    std::visit(
        [&](auto *member) {
            using Member = std::remove_pointer_t<decltype(member)>;
            if constexpr (std::is_enum_v<Member> || kIsPolicyChoice<Member>) {
                const auto names = enum_names(key);
                const std::string &chosen = yaml::to_text(node, name);
                if (const auto found = std::ranges::find(names, chosen); found != names.end()) {
                    *member = static_cast<Own<Member>>(found - names.begin());
                    return;
                }
                if constexpr (kIsPolicyChoice<Member>) {
                    if (std::optional<LibraryChoice> library = LibraryChoice::parse(chosen)) {
                        *member = Member(*std::move(library));
                        return;
                    }
                    if (chosen.starts_with("library")) {
                        yaml::fail(node, fmt::format("{} has no value '{}'; a policy from a library is written {}",
                                                     name, chosen, LibraryChoice::kForm));
                    }
                }
                yaml::fail(node, fmt::format("{} has no value '{}'{}", name, chosen,
                                             text::suggestion(chosen, names, "allowed")));
            } else if constexpr (std::is_same_v<Member, Implementation> || std::is_same_v<Member, OperationList>) {
                const std::string &text = yaml::to_text(node, name);
                const std::optional<Member> named = Member::parse(text);
                if (!named) {
                    yaml::fail(node, fmt::format("{} has no value '{}'; allowed: {}", name, text, range_text(key)));
                }
                *member = *named;
            } else if constexpr (std::is_same_v<Member, SizeList>) {
                *member = read_sizes(key, node);
            } else if constexpr (std::is_same_v<Member, bool>) {
                *member = yaml::to_bool(node, name);
            } else if constexpr (std::is_floating_point_v<Member>) {
                *member = yaml::to_real(node, name, key.low, key.high);
            } else if constexpr (std::is_signed_v<Member>) {
                *member = yaml::to_signed(node, name, static_cast<std::int64_t>(key.low),
                                          static_cast<std::int64_t>(key.high));
            } else {
                const auto read = key.unit == "bytes" ? yaml::to_bytes : yaml::to_unsigned;
                *member = static_cast<Member>(
                    read(node, name, static_cast<std::uint64_t>(key.low), static_cast<std::uint64_t>(key.high)));
                check_shape(key, *member, node.place);
            }
        },
        key.member(config));
}

} // namespace smsim
