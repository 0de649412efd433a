// Messages for otherwise uncaught exceptions.
#include "app/guard.h"

#include <algorithm>
#include <iostream>
#include <new>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "app/exit_status.h"
#include "app/memory_reserve.h"
#include "model/error.h"
#include "model/policy_library.h"

namespace smsim::app {

namespace {

/// Longer messages, caused by long names in an input, are cut: they are no clearer in full.
constexpr std::size_t kLongestLine = 2000;

std::string shortened(const std::string &text) {
    std::string all;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        if (line.size() > kLongestLine) {
            all += fmt::format("{} ... {} characters ... {}", line.substr(0, kLongestLine / 4),
                               line.size() - kLongestLine / 2, line.substr(line.size() - kLongestLine / 4));
        } else {
            all += line;
        }
        all += end < text.size() ? "\n" : "";
        begin = end + 1;
    }
    return all;
}

} // namespace

int fail(int status, std::string message) {
    message = shortened(message);
    // Messages quote their input, whose control characters must not reach the terminal.
    for (char &c : message) {
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7f) {
            c = '?';
        }
    }
    std::cerr << "smsim: error: " << message << std::endl;
    return status;
}

int run_guarded(const std::function<int()> &body) {
    try {
        return body();
    } catch (const InputError &error) {
        return fail(kBadInput, error.what());
    } catch (const std::bad_alloc &) {
        return fail(kBadInput, out_of_memory_text());
    } catch (const std::exception &error) {
        if (std::string_view(error.what()).find("std::bad_alloc") != std::string_view::npos) { // in a SystemC process
            return fail(kBadInput, out_of_memory_text());
        }
        if (const std::string policy = policy_error_in(error.what()); !policy.empty()) { // likewise
            return fail(kBadInput, policy);
        }
        return fail(kInternalError, std::string("internal: ") + error.what());
    } catch (...) {
        return fail(kInternalError, "internal: unknown exception");
    }
}

} // namespace smsim::app
