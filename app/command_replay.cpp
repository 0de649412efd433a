// `smsim replay`
#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "app/commands.h"
#include "app/exit_status.h"
#include "app/output.h"
#include "cosim/transactions/golden.h"
#include "cosim/transactions/listing.h"
#include "cosim/transactions/replay.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/error.h"
#include "model/transactions/file.h"

namespace smsim::app {
namespace {

namespace tx = cosim::transactions;
using transactions::File;
using transactions::Part;

/// The selected parts, each once, in their fixed order.
std::vector<Part> parts_of(const ReplayOptions &options) {
    std::vector<Part> parts;
    for (std::size_t i = 0; i < transactions::kParts; ++i) {
        const auto part = static_cast<Part>(i);
        if (options.parts.empty() || std::ranges::find(options.parts, part_name(part)) != options.parts.end()) {
            parts.push_back(part);
        }
    }
    return parts;
}

/// Prints the records of all parts in cycle order.
void list(const File &file, const std::vector<Part> &parts) {
    constexpr std::size_t kMuch = 65536; // printed at a time
    struct Source {
        Part part;
        transactions::RecordStream stream;
        std::optional<transactions::Record> next;
    };
    std::vector<Source> sources;
    for (const Part part : parts) {
        sources.push_back({part, file.stream(part), {}});
        sources.back().next = sources.back().stream.next();
    }
    std::string text;
    while (true) {
        Source *first = nullptr;
        for (Source &source : sources) {
            if (source.next && (first == nullptr || cycle_of(*source.next) < cycle_of(*first->next))) {
                first = &source;
            }
        }
        if (first == nullptr) {
            break;
        }
        text += fmt::format("{} {}: {}\n", part_name(first->part), first->stream.number(), text_of(*first->next));
        first->next = first->stream.next();
        if (text.size() > kMuch) {
            print(text);
            text.clear();
        }
    }
    print(text);
}

/// ", -1..+7": how many cycles later than recorded the answers were.
std::string range_text(const CyclesApart &apart) {
    return fmt::format(", {:+}..{:+}", apart.begin()->first, apart.rbegin()->first);
}

std::string summary(const tx::ReplayResult &result) {
    std::string text;
    std::uint64_t records = 0;
    std::vector<const char *> names;
    for (const tx::PartResult &part : result.parts) {
        records += part.records;
        names.push_back(part_name(part.part));
        for (const auto &[operation, answers] : part.answers) {
            text += fmt::format("  {:<7}{:<14}{:>10} answers", part_name(part.part), operation, answers);
            if (const auto apart = part.cycles_apart.find(operation); apart != part.cycles_apart.end()) {
                const auto [count, together] = count_answers(apart->second);
                text += fmt::format(", {:5.1f} % in their cycle{}",
                                    100.0 * static_cast<double>(together) / static_cast<double>(count),
                                    together == count ? "" : range_text(apart->second));
            }
            text += "\n";
        }
    }
    return fmt::format("{} transactions of {}\n{}", records, fmt::join(names, ", "), text);
}

} // namespace

int replay_command(const ReplayOptions &options) {
    const File file = File::open(options.file);
    const std::vector<Part> parts = parts_of(options);
    if (options.list) {
        list(file, parts);
        return kSuccess;
    }
    const std::string recorded = options.file + " (configuration)";
    if (parse_config(file.config(), recorded).rtl.stall_percent != 0 &&
        std::ranges::find(parts, Part::kBcu) != parts.end()) {
        throw InputError(options.file +
                         ": recorded with channels held up (rtl.stall_percent), so that the order in which the "
                         "barrier unit has served is unknown; expected --part bru, timer or shared");
    }
    const Config config = parse_config(file.config(), recorded, options.settings);
    const tx::ReplayResult result =
        options.golden ? tx::replay_into_golden(file, config, parts) : tx::replay_into_parts(file, config, parts);
    print(summary(result));
    if (const auto &difference = result.difference) {
        spdlog::error("{}: {} {} differs in cycle {}: {}{}", options.file, part_name(difference->part),
                      difference->number, difference->cycle, difference->text,
                      difference->record.empty() ? "" : "\n  " + difference->record);
        return kCheckFailed;
    }
    return kSuccess;
}

} // namespace smsim::app
