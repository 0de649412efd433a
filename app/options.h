// The command line as plain data: what each subcommand was asked to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/launch/code_options.h"
#include "model/program/program.h"
#include "model/stats/memory_check.h"

namespace smsim::app {

/// Where the configuration comes from; common to several subcommands.
struct ConfigSource {
    std::optional<std::string> file;   ///< -c
    std::vector<std::string> settings; ///< --set key=value, in order
};

/// smsim config
struct ConfigOptions {
    ConfigSource config;
    bool schema = false; ///< list the keys instead of the effective values
    bool json = false;
    std::string each; ///< file with further settings on each line, '-' for standard input; empty: none
};

/// smsim asm
struct AsmOptions {
    std::string input;
    std::string output; ///< empty: the input's name with .smbin
    ConfigSource config;
};

/// smsim disasm
struct DisasmOptions {
    std::string input;
    ConfigSource config;
};

using launch::CodeOptions;

/// smsim compile
struct CompileOptions {
    std::string input;
    std::string output;                 ///< empty: standard output
    std::string engine{kDefaultEngine}; ///< the reconvergence engine that the code is for
    CodeOptions code;
    std::string print_after;              ///< pass whose code is printed; empty: none
    bool statistics = false;              ///< print what each pass leaves
    bool check = false;                   ///< run the kernels after every pass and compare them with the interpreter
    std::string launch;                   ///< of `check`: launch file with the arguments; empty: random ones
    std::optional<unsigned> launches;     ///< of `check`: random ones for each kernel
    std::optional<std::uint64_t> seed;    ///< of `check`
    std::optional<unsigned> matrix_steps; ///< most of a product of matrices in one instruction; default: 2
};

/// What `smsim run` prints on standard output.
enum class ReportForm : unsigned char { kText, kJson, kNone };

/// What `smsim run` records in time; texts as given.
struct TimelineOptions {
    std::string file;                          ///< --timeline; empty: none
    std::optional<std::string> format;         ///< --timeline-format: chrome or kanata
    std::optional<std::string> cycles;         ///< --timeline-cycles BEGIN:END
    std::optional<std::string> sample;         ///< --timeline-sample ON/PERIOD
    std::optional<std::string> ctas;           ///< --timeline-ctas BEGIN:END
    std::optional<std::string> warps;          ///< --timeline-warps BEGIN:END, slots
    std::optional<std::string> sub_partitions; ///< --timeline-sub-partitions BEGIN:END
    std::optional<std::string> min_cycles;     ///< --timeline-min-cycles N
    std::string vcd;                           ///< --vcd; empty: none
};

/// Fraction of the CTAs in a sample, by default.
inline constexpr double kSampleFraction = 0.1;

/// Which CTAs are simulated in time; texts as given.
struct TimingOptions {
    bool none = false;               ///< --timing none
    bool sample = false;             ///< --timing sample
    std::optional<double> fraction;  ///< --timing-fraction: of the CTAs, with `sample`
    std::optional<std::string> from; ///< --timing-from
    std::string ctas;                ///< --timing-ctas; empty: not given
};

/// smsim run
struct RunOptions {
    std::string launch;
    std::vector<std::string> changes; ///< --launch KEY=VALUE, in order
    ConfigSource config;
    std::string output;                        ///< directory; empty: no files are written
    std::string trace;                         ///< file; empty: none
    std::optional<std::string> trace_format;   ///< json, control or timed
    std::string trace_fields;                  ///< list; empty: the default members
    std::string state;                         ///< file; empty: none
    std::uint64_t max_instructions = 0;        ///< 0: no limit
    std::optional<std::uint64_t> warp_records; ///< approximate number in the report of each launch; ~0: of all warps
    TimingOptions timing;
    TimelineOptions timeline;
    std::optional<std::string> critical_path; ///< --critical-path: last, longest or a number
    ReportForm report = ReportForm::kText;
    CodeOptions code;                                ///< over those of the launch file
    std::string memory;                              ///< --memory LIBRARY[:PARAMETERS]; empty: the model's own
    MemoryCheck memory_check = MemoryCheck::kStrict; ///< --memory-check
    std::string transactions;                        ///< --record-transactions, file; empty: none
    std::string block_waveforms;                     ///< --block-waveforms; empty: none
    bool progress = true;                            ///< a progress line when standard error is a terminal
    bool what_if = false;                            ///< run again with one thing made cheaper at a time
    unsigned jobs = 1;                               ///< of what_if: runs at a time
    bool warn_of_idle_keys = true;                   ///< given ones without effect
};

/// smsim batch
struct BatchOptions {
    std::vector<std::string> launches;
    std::string list;   ///< file with further launches; empty: none, "-": standard input
    std::string output; ///< directory with a subdirectory for each launch; empty: no files are written
    bool trace = false; ///< trace.jsonl in the directory of each launch
    bool state = false; ///< state.jsonl likewise
    unsigned jobs = 1;  ///< launches at a time
    RunOptions run;     ///< options that apply to each launch
};

/// smsim report
struct ReportOptions {
    std::vector<std::string> runs; ///< directories of runs, or report.json files; the first is the baseline
    std::string output;            ///< empty: report.html beside the one report, comparison.html for several
};

/// smsim replay
struct ReplayOptions {
    std::string file;                  ///< transactions that a run has recorded
    std::vector<std::string> parts;    ///< bru, bcu, timer, shared; none: all
    std::vector<std::string> settings; ///< --set key=value, in order
    bool golden = false;               ///< into the rules alone
    bool list = false;                 ///< print the records instead
};

/// The parsed command line.
struct CommandLine {
    std::string log_level = "warning";
    std::variant<ConfigOptions, AsmOptions, CompileOptions, DisasmOptions, RunOptions, BatchOptions, ReportOptions,
                 ReplayOptions>
        command;
};

} // namespace smsim::app
