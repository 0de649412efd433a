// Sentences and figures of the part 'validation'; JSON and text have the same content.
#include "report/validation_report.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/parts.h"
#include "report/summary.h"

namespace smsim::validation {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kKeysListed = 8; ///< in the text; the rest is in the JSON

std::string plural(std::uint64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string figures_text(const ValidatedConfiguration &validated) {
    return fmt::format("{} of generation {} ({}), median error {:.1f} %, P90 {:.1f} %",
                       plural(validated.all.points, "published point"), validated.generation,
                       fmt::join(validated.devices, ", "), validated.all.median, validated.all.p90);
}

/// A kind of instructions that the run issued.
struct Row {
    std::size_t kind = 0;
    std::uint64_t issued = 0;
    double share = 0; ///< of all issued instructions
    PointFigures figures;
    std::string_view remark{}; ///< why it is outside; empty: it is not
};

/// The kinds that the run issued, most first. None if no figure is valid for the configuration.
std::vector<Row> rows_of(const Comparison &comparison, const Usage &usage) {
    std::vector<Row> rows;
    if (comparison.standing == Standing::kNot) {
        return rows;
    }
    const std::uint64_t all = std::accumulate(usage.issued.begin(), usage.issued.end(), std::uint64_t{0});
    for (std::size_t kind = 0; kind < usage.issued.size(); ++kind) {
        if (usage.issued[kind] != 0) {
            const PointFigures &figures = comparison.nearest->kinds[kind];
            rows.push_back({kind, usage.issued[kind], ratio(usage.issued[kind], all), figures,
                            figures.points == 0      ? "no published counterpart"
                            : figures.p90 > kGoodP90 ? "P90 above 20 %"
                                                     : ""});
        }
    }
    std::ranges::stable_sort(rows, std::ranges::greater{}, &Row::issued);
    return rows;
}

/// What the run did that no point does, one sentence each. None if no figure is valid for the configuration.
std::vector<std::string> outside_of(const Comparison &comparison, const Usage &usage) {
    std::vector<std::string> outside;
    if (comparison.standing == Standing::kNot) {
        return outside;
    }
    const ValidatedConfiguration &validated = *comparison.nearest;
    if (usage.ctas > validated.ctas) {
        outside.push_back(
            fmt::format("up to {} at a time; the points have at most {}", plural(usage.ctas, "CTA"), validated.ctas));
    }
    if (usage.warps > validated.warps) {
        outside.push_back(fmt::format("up to {} at a time; the points have at most {}", plural(usage.warps, "warp"),
                                      validated.warps));
    }
    if (usage.diverged != 0 && !validated.diverged) {
        outside.push_back(
            fmt::format("{} a branch split its warp; no point has a diverged warp", plural(usage.diverged, "time")));
    }
    if (usage.beyond_l1 != 0) {
        outside.push_back(fmt::format("{} beyond the L1, timed as L2 hits: L2 misses and DRAM are not modelled",
                                      plural(usage.beyond_l1, "transaction")));
    }
    return outside;
}

std::string name_or_default(const std::string &name) {
    return name.empty() ? "default" : name;
}

} // namespace

std::string_view standing_name(Standing standing) {
    constexpr std::array<std::string_view, 3> kNames = {"validated", "changed", "not_validated"};
    return kNames[static_cast<std::size_t>(standing)];
}

std::string statement(const Comparison &comparison) {
    if (comparison.nearest == nullptr) {
        return "not validated against silicon";
    }
    const std::string differ =
        fmt::format("{} {}", plural(comparison.keys.size(), "key"), comparison.keys.size() == 1 ? "differs" : "differ");
    switch (comparison.standing) {
    case Standing::kValidated:
        return "validated with " + figures_text(*comparison.nearest);
    case Standing::kChanged:
        return fmt::format("{} from the validated {}, which has {}", differ, comparison.nearest->file,
                           figures_text(*comparison.nearest));
    case Standing::kNot:
        break;
    }
    return fmt::format("not validated against silicon; {} from the nearest validated configuration, {}", differ,
                       comparison.nearest->file);
}

Json to_json(const Record &record, const Comparison &comparison, const Usage &usage, const std::string &name) {
    Json json;
    json["configuration"] = name_or_default(name);
    json["status"] = standing_name(comparison.standing);
    json["statement"] = statement(comparison);
    json["nearest"] = Json();
    if (const ValidatedConfiguration *nearest = comparison.nearest) {
        json["nearest"] = Json{{"file", nearest->file},
                               {"generation", nearest->generation},
                               {"devices", nearest->devices},
                               {"points", nearest->all.points},
                               {"median_percent", nearest->all.median},
                               {"p90_percent", nearest->all.p90}};
    }
    json["differing_keys"] = Json::array();
    for (const DifferingKey &key : comparison.keys) {
        json["differing_keys"].push_back(Json{{"key", key.key}, {"value", key.value}, {"validated", key.validated}});
    }
    json["instructions"] = Json::array();
    for (const Row &row : rows_of(comparison, usage)) {
        const bool known = row.figures.points != 0;
        json["instructions"].push_back(Json{{"kind", record.kinds[row.kind]},
                                            {"issued", row.issued},
                                            {"share", row.share},
                                            {"points", row.figures.points},
                                            {"median_percent", known ? Json(row.figures.median) : Json()},
                                            {"p90_percent", known ? Json(row.figures.p90) : Json()},
                                            {"remark", row.remark}});
    }
    json["outside"] = outside_of(comparison, usage);
    return json;
}

std::string to_text(const Record &record, const Comparison &comparison, const Usage &usage, const std::string &name) {
    std::string out = report::heading("Validation (errors against published measurements of silicon)");
    out += report::folded(
        fmt::format("configuration {}: {}", report::short_path(name_or_default(name), 40), statement(comparison)));
    const bool listed = comparison.standing == Standing::kChanged || comparison.keys.size() <= kKeysListed;
    for (std::size_t i = 0; listed && i < std::min(comparison.keys.size(), kKeysListed); ++i) {
        const DifferingKey &key = comparison.keys[i];
        out += report::folded(fmt::format("outside: {} is {}, validated is {}", key.key, key.value, key.validated));
    }
    if (listed && comparison.keys.size() > kKeysListed) {
        out += fmt::format("  ... {} more keys in the JSON report\n", comparison.keys.size() - kKeysListed);
    }
    const std::vector<Row> rows = rows_of(comparison, usage);
    if (!rows.empty()) {
        out += fmt::format("  {:<34}{:>8}{:>8}{:>10}{:>10}\n", "instructions", "share", "points", "median", "P90");
    }
    for (const Row &row : rows) {
        out += fmt::format("  {:<34}{:>6.1f} %{:>8}", record.kinds[row.kind], 100 * row.share, row.figures.points);
        out += row.figures.points == 0 ? fmt::format("{:>20}", "")
                                       : fmt::format("{:>8.1f} %{:>8.1f} %", row.figures.median, row.figures.p90);
        out += row.remark.empty() ? "\n" : fmt::format("  {}\n", row.remark);
    }
    for (const std::string &sentence : outside_of(comparison, usage)) {
        out += report::folded("outside: " + sentence);
    }
    return out;
}

} // namespace smsim::validation
