#include "model/policy_library.h"

#include <dlfcn.h>

#include <fmt/format.h>

#include "model/error.h"
#include "model/shared_library.h"

namespace smsim {
namespace {

constexpr std::string_view kHas = ": the policy has ";

} // namespace

const void *find_policy_library(std::string_view key, const LibraryChoice &choice, const char *symbol) {
    const std::string path(choice.library());
    const SharedLibrary library = load_shared_library(path);
    if (library.handle == nullptr) {
        throw InputError(fmt::format("{}: the library {} cannot be loaded: {}", key, path, library.error));
    }
    using Entry = const void *();
    auto *const entry = reinterpret_cast<Entry *>(dlsym(library.handle, symbol));
    if (entry == nullptr) {
        throw InputError(
            fmt::format("{}: the library {} exports no function '{}' (model/policy_library.h)", key, path, symbol));
    }
    const void *found = entry();
    const std::uint32_t version = found == nullptr ? 0 : *static_cast<const std::uint32_t *>(found);
    if (version != kPolicyLibraryVersion) {
        throw InputError(fmt::format("{}: the library {} was made for version {} of the interface; expected version "
                                     "{}: compile it with the headers of this smsim",
                                     key, path, version, kPolicyLibraryVersion));
    }
    return found;
}

void fail_without_policy(std::string_view key, const LibraryChoice &choice) {
    throw InputError(fmt::format("{}: the library {} has created no policy from the parameters '{}'", key,
                                 choice.library(), choice.parameters()));
}

void fail_for_policy(std::string_view key, std::string_view what) {
    throw InputError(fmt::format("{}{}{}", key, kHas, what));
}

std::string policy_error_in(std::string_view report) {
    const std::size_t has = report.find(kHas);
    if (has == std::string_view::npos) {
        return {};
    }
    const std::size_t before = report.rfind(' ', has - 1); // SystemC's text in front of the key
    const std::string_view message = report.substr(before == std::string_view::npos ? 0 : before + 1);
    return std::string(message.substr(0, message.find('\n')));
}

} // namespace smsim
