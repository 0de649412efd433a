// Reads the record and compares configurations key by key.
#include "report/validation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/config/loader.h"
#include "model/config/schema.h"
#include "model/error.h"
#include "model/isa/isa.h"
#include "model/timing/pipes.h"
#include "report/validation_record.h"

namespace smsim::validation {
namespace {

using PlainJson = nlohmann::json;

constexpr std::array<std::string_view, 3> kKeysWithoutTime = {"sm.watchdog_cycles", "sm.hazard_check",
                                                              "sm.hazard_fatal"};

PointFigures figures_of(const PlainJson &json) {
    return {json.at("points").get<std::uint64_t>(), json.at("median_percent").get<double>(),
            json.at("p90_percent").get<double>()};
}

/// Reads names and numbers of the kinds: a mnemonic takes precedence over the unit. Operations of an execution pipe
/// that the record does not know, which was added to the model, form a kind without points, named like the pipe.
void read_kinds(const PlainJson &json, Record &record) {
    std::map<std::string, std::size_t> kind_of;
    for (const PlainJson &kind : json) {
        for (const PlainJson &operation : kind.at("operations")) {
            kind_of[operation.get<std::string>()] = record.kinds.size();
        }
        record.kinds.push_back(kind.at("kind").get<std::string>());
    }
    std::map<std::string, std::size_t> unused = kind_of;
    std::set<isa::Unit> known_units;
    for (const isa::OpSpec &spec : isa::all_operations()) {
        if (kind_of.contains(std::string(spec.name)) ||
            kind_of.contains(std::string(timing::pipe_spec(spec.unit).name))) {
            known_units.insert(spec.unit);
        }
    }
    for (const isa::OpSpec &spec : isa::all_operations()) {
        std::string name(spec.name);
        if (!kind_of.contains(name)) {
            name = timing::pipe_spec(spec.unit).name;
        }
        if (!kind_of.contains(name)) {
            if (known_units.contains(spec.unit)) {
                throw InputError(fmt::format("validation: {} belongs to no kind of instructions", spec.name));
            }
            kind_of[name] = record.kinds.size();
            record.kinds.push_back(name);
        }
        const auto kind = kind_of.find(name);
        unused.erase(name);
        record.kind_of.at(static_cast<std::size_t>(spec.op)) = kind->second;
    }
    if (!unused.empty()) {
        throw InputError(
            fmt::format("validation: '{}' is no operation and no unit that has any left", unused.begin()->first));
    }
}

ValidatedConfiguration configuration_of(const PlainJson &json, const Record &record) {
    ValidatedConfiguration found;
    found.file = json.at("file").get<std::string>();
    found.generation = json.at("generation").get<std::string>();
    found.devices = json.at("devices").get<std::vector<std::string>>();
    found.all = figures_of(json);
    found.kinds.resize(record.kinds.size());
    for (const auto &[name, figures] : json.at("kinds").items()) {
        const auto kind = std::ranges::find(record.kinds, name);
        if (kind == record.kinds.end()) {
            throw InputError(fmt::format("validation: {}: no kind of instructions is called '{}'", found.file, name));
        }
        found.kinds[static_cast<std::size_t>(kind - record.kinds.begin())] = figures_of(figures);
    }
    found.ctas = json.at("ctas").get<std::uint64_t>();
    found.warps = json.at("warps").get<std::uint64_t>();
    found.diverged = json.value("diverged", false);
    std::vector<std::string> settings;
    for (const auto &[key, value] : json.at("keys").items()) {
        settings.push_back(key + "=" + value.get<std::string>());
    }
    found.config = load_config(std::nullopt, settings);
    return found;
}

std::vector<DifferingKey> differing_keys(const Config &config, const Config &validated) {
    std::vector<DifferingKey> keys;
    for (const ConfigKey &key : config_keys()) {
        if (std::ranges::find(kKeysWithoutTime, key.name) == kKeysWithoutTime.end() &&
            value_of(config, key) != value_of(validated, key)) {
            keys.push_back({key.name, value_text(config, key), value_text(validated, key)});
        }
    }
    return keys;
}

} // namespace

Record parse_record(std::string_view json) {
    try {
        const PlainJson root = PlainJson::parse(json);
        Record record;
        read_kinds(root.at("kinds"), record);
        for (const PlainJson &configuration : root.at("configurations")) {
            record.configurations.push_back(configuration_of(configuration, record));
        }
        return record;
    } catch (const PlainJson::exception &error) {
        throw InputError(fmt::format("validation: {}", error.what()));
    }
}

const Record &embedded_record() {
    static const Record record = parse_record(kRecordText);
    return record;
}

Comparison compare(const Record &record, const Config &config, const std::string &file) {
    const std::string name = file.substr(file.find_last_of('/') + 1);
    Comparison nearest;
    std::optional<Comparison> named;
    for (const ValidatedConfiguration &validated : record.configurations) {
        Comparison found{Standing::kNot, &validated, differing_keys(config, validated.config)};
        if (found.keys.empty()) {
            found.standing = Standing::kValidated;
            return found;
        }
        if (validated.file == name) {
            found.standing = Standing::kChanged;
            named = found;
        }
        if (nearest.nearest == nullptr || found.keys.size() < nearest.keys.size()) {
            nearest = std::move(found);
        }
    }
    return named ? *named : nearest;
}

void Usage::add(const Usage &other) {
    issued.resize(std::max(issued.size(), other.issued.size()));
    for (std::size_t i = 0; i < other.issued.size(); ++i) {
        issued[i] += other.issued[i];
    }
    ctas = std::max(ctas, other.ctas);
    warps = std::max(warps, other.warps);
    beyond_l1 += other.beyond_l1;
    diverged += other.diverged;
}

Usage usage_of(const Record &record, const RunStats &stats, const Program *program) {
    Usage usage;
    if (program != nullptr) {
        usage.issued.resize(record.kinds.size());
        const std::size_t count = std::min(stats.pcs.size(), program->code.size());
        for (std::size_t i = 0; i < count; ++i) {
            usage.issued[record.kind_of.at(static_cast<std::size_t>(program->code[i].op))] += stats.pcs[i].issues;
        }
    }
    usage.ctas = stats.occupancy.most_ctas();
    usage.warps = stats.occupancy.most_warps();
    if (stats.global.l2_hits + stats.global.l2_misses == 0) {
        usage.beyond_l1 = stats.global.reads + stats.global.atomics;
    }
    for (const auto &[pc, branch] : stats.bru.branches) {
        usage.diverged += branch.diverged;
    }
    return usage;
}

} // namespace smsim::validation
