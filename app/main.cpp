// The program `smsim`: logging, dispatch to the subcommands, and SystemC messages.
#include <csignal>
#include <cstdlib>
#include <type_traits>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <systemc>

#include "app/command_line.h"
#include "app/commands.h"
#include "app/guard.h"
#include "app/heap.h"

namespace {

using namespace smsim::app;

/// SystemC writes its reports to standard output, which is for results; its warnings belong to the messages.
void report_to_log(const sc_core::sc_report &report, const sc_core::sc_actions &actions) {
    if (report.get_severity() == sc_core::SC_WARNING) {
        spdlog::warn("{}: {}", report.get_msg_type(), report.get_msg());
        return;
    }
    sc_core::sc_report_handler::default_handler(report, actions);
}

int dispatch(const CommandLine &line) {
    return std::visit(
        [](const auto &options) {
            using Options = std::decay_t<decltype(options)>;
            if constexpr (std::is_same_v<Options, RunOptions>) {
                return run_command(options, simulate);
            } else if constexpr (std::is_same_v<Options, BatchOptions>) {
                return batch_command(options, simulate);
            } else if constexpr (std::is_same_v<Options, ReportOptions>) {
                return report_command(options);
            } else if constexpr (std::is_same_v<Options, ReplayOptions>) {
                return replay_command(options);
            } else if constexpr (std::is_same_v<Options, AsmOptions>) {
                return asm_command(options);
            } else if constexpr (std::is_same_v<Options, CompileOptions>) {
                return compile_command(options, simulate);
            } else if constexpr (std::is_same_v<Options, DisasmOptions>) {
                return disasm_command(options);
            } else {
                return config_command(options);
            }
        },
        line.command);
}

} // namespace

int sc_main(int argc, char **argv) {
    return run_guarded([&] {
        // Results go to standard output, messages to standard error, so that one can be piped without the other.
        auto logger = spdlog::stderr_color_mt("smsim");
        logger->set_pattern("smsim: %^%l%$: %v");
        spdlog::set_default_logger(logger);
        sc_core::sc_report_handler::set_handler(report_to_log);
        const auto parsed = parse_command_line(argc, argv);
        if (const int *status = std::get_if<int>(&parsed)) {
            return *status;
        }
        const CommandLine &line = std::get<CommandLine>(parsed);
        spdlog::set_level(spdlog::level::from_str(line.log_level));
        return dispatch(line);
    });
}

// The library's own main prints a banner in every run; setting its switch first reserves standard error for messages.
int main(int argc, char **argv) {
    main_begins();
    setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 0);
    std::signal(SIGPIPE, SIG_IGN); // a reader that has gone is a write error, too
    std::signal(SIGXFSZ, SIG_IGN); // a file that has reached its limit is a write error, like a full disk
    return sc_core::sc_elab_and_sim(argc, argv);
}
