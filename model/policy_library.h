// Policies in shared libraries, as a configuration names them (model/config/policy_choice.h). A library includes the
// header of the policy's interface, is built with the compiler of smsim, and exports one function with C linkage for
// each kind of policy that it has. For an issue policy (ibuffer/issue_policy.h):
//
//     smsim::ibuffer::IssuePolicy *create(const smsim::PolicyRequest &request) { return new MyPolicy(request); }
//     extern "C" const smsim::ibuffer::IssuePolicyLibrary *smsim_issue_policy() {
//         static const smsim::ibuffer::IssuePolicyLibrary library{smsim::kPolicyLibraryVersion, create};
//         return &library;
//     }
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/config/policy_choice.h"

namespace smsim {

/// Changes whenever an interface of policies changes: a library only works with the version that it was compiled with.
inline constexpr std::uint32_t kPolicyLibraryVersion = 1;

/// What a policy is created for.
struct PolicyRequest {
    std::string parameters{}; ///< the text after the library's name, unchanged; may be empty
    std::uint32_t warps = 0;  ///< issue policies: warps of the sub-partition; choices of a path: warp slots of the SM
    std::uint32_t sets = 0;   ///< replacement and bypass: sets of the cache
    std::uint32_t ways = 0;   ///< likewise: its associativity
};

/// What a library exports for policies with the interface `Policy`.
template <typename Policy> struct PolicyLibrary {
    std::uint32_t version; ///< kPolicyLibraryVersion; stays the first member in all versions
    /// Creates a policy with `new`. Throws InputError for parameters that it does not understand.
    Policy *(*create)(const PolicyRequest &request);
};

/// The function `symbol` of the library that `choice` names, which returns a PolicyLibrary of this version. `key`: the
/// configuration key, for messages. Throws InputError with the path and the cause when there is none.
const void *find_policy_library(std::string_view key, const LibraryChoice &choice, const char *symbol);
/// The error for a library that has created nothing.
[[noreturn]] void fail_without_policy(std::string_view key, const LibraryChoice &choice);

/// Throws InputError: the policy of `key` has returned what its interface excludes; `what` completes "the policy has".
[[noreturn]] void fail_for_policy(std::string_view key, std::string_view what);
/// The message of that error in `report`, the text with which SystemC ends a simulation for an exception in a process;
/// empty: it is about something else.
std::string policy_error_in(std::string_view report);

/// A policy from the library that `choice` names; `request.parameters` are taken from `choice`. The library stays
/// loaded until the process ends. Throws InputError as `find_policy_library`, when the library creates no policy, and
/// whatever its `create` throws.
template <typename Policy>
std::unique_ptr<Policy> load_policy(std::string_view key, const LibraryChoice &choice, const char *symbol,
                                    PolicyRequest request) {
    const auto *const found = static_cast<const PolicyLibrary<Policy> *>(find_policy_library(key, choice, symbol));
    request.parameters = choice.parameters();
    std::unique_ptr<Policy> policy(found->create == nullptr ? nullptr : found->create(request));
    if (!policy) {
        fail_without_policy(key, choice);
    }
    return policy;
}

} // namespace smsim
