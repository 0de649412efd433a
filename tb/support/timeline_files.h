// Readers of timeline files for tests. They enforce the rules of the formats: a violation is a test failure.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace smsim::test {

/// A slice of a Chrome timeline.
struct Slice {
    std::uint64_t pid = 0, tid = 0;
    std::uint64_t begin = 0, end = 0;
    unsigned depth = 0; ///< 0: outermost on its track
    std::string name, category;
    nlohmann::json args; ///< of begin and end
    std::string outer;   ///< name of the enclosing slice
};

/// An arrow: the slice at which it starts, and the track at which it ends.
struct FlowArrow {
    std::uint64_t from_tid = 0, from = 0, to_tid = 0, to = 0;
};

struct ChromeFile { // NOLINT(bugprone-exception-escape): moving JSON does not throw
    std::vector<Slice> slices;
    std::vector<FlowArrow> arrows;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> track_names;
    std::map<std::pair<std::uint64_t, std::string>, std::map<std::uint64_t, double>> counters; ///< (pid, name): values
    nlohmann::json other;
};

/// The cycles of a slice by reason: those that it lists, or all under its name.
inline std::map<std::string, std::uint64_t> cycles_of(const Slice &slice) {
    if (slice.args.contains("cycles")) {
        return slice.args["cycles"];
    }
    return {{slice.name, slice.end - slice.begin}};
}

/// Reads Trace Event Format: valid JSON; on each track time does not go back, and slices nest; each flow has one begin
/// and one end, not before it, and comes after the slices to which it is attached; every track with slices has a name.
inline ChromeFile read_chrome(const std::string &text) {
    ChromeFile file;
    const auto json = nlohmann::json::parse(text, nullptr, false);
    if (json.is_discarded()) {
        ADD_FAILURE() << "not JSON";
        return file;
    }
    file.other = json["otherData"];
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::vector<Slice>> open;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> reached;
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> begun; ///< by flow: track and time
    std::map<std::uint64_t, std::pair<std::uint64_t, std::uint64_t>> ended;
    for (const auto &record : json["traceEvents"]) {
        const std::string phase = record["ph"];
        const std::pair<std::uint64_t, std::uint64_t> track(record["pid"], record["tid"]);
        if (phase == "M") {
            if (record["name"] == "thread_name") {
                EXPECT_TRUE(file.track_names.emplace(track, record["args"]["name"]).second) << record;
            }
            continue;
        }
        const std::uint64_t at = record["ts"];
        if (phase == "B" || phase == "E" || phase == "X") {
            EXPECT_GE(at, reached[track]) << record;
            reached[track] = at;
        }
        if (phase == "B" || phase == "X") {
            EXPECT_TRUE(file.track_names.contains(track)) << record;
            Slice slice{
                track.first,   track.second,   at, at, static_cast<unsigned>(open[track].size()), record["name"],
                record["cat"], record["args"], ""};
            slice.outer = open[track].empty() ? "" : open[track].back().name;
            if (phase == "B") {
                open[track].push_back(slice);
                continue;
            }
            slice.end = reached[track] = at + record["dur"].get<std::uint64_t>();
            EXPECT_GT(slice.end, slice.begin) << record;
            if (slice.args.contains("cycles") && slice.args["cycles"].is_object()) {
                std::uint64_t sum = 0;
                for (const auto &[reason, cycles] : cycles_of(slice)) {
                    EXPECT_GT(cycles, 0U) << record;
                    sum += cycles;
                }
                EXPECT_EQ(sum, slice.end - slice.begin) << record;
            }
            file.slices.push_back(slice);
        } else if (phase == "E") {
            if (open[track].empty()) {
                ADD_FAILURE() << "end without begin: " << record;
                continue;
            }
            Slice slice = open[track].back();
            open[track].pop_back();
            slice.end = at;
            EXPECT_GT(slice.end, slice.begin) << record;
            if (record.contains("args")) {
                slice.args.update(record["args"]);
            }
            file.slices.push_back(slice);
        } else if (phase == "s" || phase == "f") {
            auto &side = phase == "s" ? begun : ended;
            const std::uint64_t id = record["id"];
            EXPECT_TRUE(side.emplace(id, std::pair(track.second, at)).second) << "flow id used twice: " << record;
        } else if (phase == "C") {
            file.counters[{track.first, record["name"]}][at] = record["args"].begin().value();
        } else {
            ADD_FAILURE() << "unexpected record " << record;
        }
    }
    EXPECT_EQ(begun.size(), ended.size());
    for (const auto &[id, begin] : begun) {
        if (const auto end = ended.find(id); end != ended.end()) {
            EXPECT_GE(end->second.second, begin.second);
            file.arrows.push_back({begin.first, begin.second, end->second.first, end->second.second});
        } else {
            ADD_FAILURE() << "flow without an end: " << id;
        }
    }
    for (const auto &[track, slices] : open) {
        EXPECT_TRUE(slices.empty()) << "slices without an end on track " << track.second;
    }
    return file;
}

/// The contents of a Kanata log.
struct KanataFile {
    std::uint64_t retired = 0;
    std::uint64_t flushed = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> arrows; ///< consumer, producer
    std::map<std::string, std::uint64_t> stage_cycles;           ///< by stage
    std::map<std::string, std::uint64_t> cycles;                 ///< the same, joined stages by their contents
    std::map<std::uint64_t, std::string> labels;
    std::uint64_t first_cycle = 0;
    std::uint64_t last_cycle = 0;
};

/// Reads a Kanata log of version 0004: identities count up from 0, a stage ends with the next one or the end of the
/// instruction and has a length, every instruction leaves once, retirements are numbered, time advances.
inline KanataFile read_kanata(const std::string &text) {
    KanataFile file;
    std::istringstream in(text);
    std::string line;
    std::getline(in, line);
    EXPECT_EQ(line, "Kanata\t0004");
    struct Live {
        std::string stage;
        std::uint64_t since = 0;
        std::map<std::string, std::uint64_t> parts{}; ///< of the stage, where it is joined
    };
    std::map<std::uint64_t, Live> live;
    std::uint64_t next_id = 0;
    std::uint64_t now = 0;
    const auto end_stage = [&file, &now](Live &insn) {
        const std::uint64_t length = now - insn.since;
        file.stage_cycles[insn.stage] += length;
        if (insn.parts.empty()) {
            file.cycles[insn.stage] += length;
            return;
        }
        std::uint64_t sum = 0;
        for (const auto &[name, cycles] : insn.parts) {
            file.cycles[name] += cycles;
            sum += cycles;
        }
        EXPECT_EQ(sum, length);
        EXPECT_TRUE(insn.parts.contains(insn.stage));
        insn.parts.clear();
    };
    bool started = false;
    while (std::getline(in, line)) {
        std::vector<std::string> fields;
        std::istringstream cut(line);
        for (std::string field; std::getline(cut, field, '\t');) {
            fields.push_back(field);
        }
        const std::string &command = fields.at(0);
        const std::uint64_t id = std::stoull(fields.at(1));
        if (command == "C=") {
            EXPECT_FALSE(started);
            started = true;
            file.first_cycle = now = id;
            continue;
        }
        EXPECT_TRUE(started) << line;
        if (command == "C") {
            EXPECT_GT(id, 0U);
            now += id;
            continue;
        }
        if (command == "I") {
            EXPECT_EQ(fields.size(), 4U) << line;
            EXPECT_EQ(id, next_id++);
            live[id];
            continue;
        }
        if (command == "W") {
            EXPECT_EQ(fields.size(), 4U) << line;
            EXPECT_LT(id, next_id);
            EXPECT_LT(std::stoull(fields.at(2)), next_id);
            file.arrows.emplace_back(id, std::stoull(fields.at(2)));
            continue;
        }
        EXPECT_EQ(fields.size(), 4U) << line;
        const auto found = live.find(id);
        if (found == live.end()) {
            ADD_FAILURE() << "instruction is not there: " << line;
            continue;
        }
        Live &insn = found->second;
        if (command == "L") {
            const std::string &label = fields.at(3);
            if (fields.at(2) == "0") {
                file.labels[id] = label;
            } else if (label.starts_with("waited: ")) {
                std::istringstream parts(label.substr(8, label.size() - 10)); // without the end of line
                for (std::string part; std::getline(parts >> std::ws, part, ',');) {
                    const std::size_t space = part.find(' ');
                    insn.parts[part.substr(0, space)] = std::stoull(part.substr(space + 1));
                }
            }
        } else if (command == "S") {
            if (!insn.stage.empty()) {
                end_stage(insn);
            }
            insn = {fields.at(3), now};
        } else if (command == "R") {
            end_stage(insn);
            const bool flushed = fields.at(3) == "1";
            EXPECT_EQ(std::stoull(fields.at(2)), flushed ? 0 : file.retired) << line;
            ++(flushed ? file.flushed : file.retired);
            live.erase(found);
        } else {
            ADD_FAILURE() << "unknown command: " << line;
        }
    }
    EXPECT_TRUE(live.empty());
    file.last_cycle = now;
    return file;
}

/// Last values and numbers of changes of a VCD file.
struct VcdFile {
    std::string timescale;
    std::map<std::string, std::uint64_t> last;    ///< by full name
    std::map<std::string, std::uint64_t> changes; ///< after the first dump
    std::uint64_t first_change = ~std::uint64_t{0};
    std::uint64_t last_time = 0;
};

/// Reads a VCD file: scopes are closed, codes are declared once and before their use, values fit their width, time
/// advances.
inline VcdFile read_vcd(const std::string &text) {
    VcdFile file;
    std::istringstream in(text);
    std::vector<std::string> scopes;
    std::map<std::string, std::pair<std::string, std::size_t>> codes; ///< name and width
    std::uint64_t now = 0;
    bool dumped = false;
    const auto value = [&](const std::string &bits, const std::string &code) {
        const auto found = codes.find(code);
        if (found == codes.end()) {
            ADD_FAILURE() << "code '" << code << "' is not declared";
            return;
        }
        EXPECT_LE(bits.size(), found->second.second) << found->second.first;
        std::uint64_t number = 0;
        for (const char bit : bits) {
            EXPECT_TRUE(bit == '0' || bit == '1') << bits;
            number = number * 2 + (bit == '1' ? 1 : 0);
        }
        file.last[found->second.first] = number;
        if (dumped) {
            ++file.changes[found->second.first];
            file.first_change = std::min(file.first_change, now);
        }
    };
    for (std::string word; in >> word;) {
        const auto rest = [&] {
            std::vector<std::string> words;
            while (in >> word && word != "$end") {
                words.push_back(word);
            }
            return words;
        };
        if (word == "$scope") {
            scopes.push_back(rest().at(1));
        } else if (word == "$upscope") {
            rest();
            EXPECT_FALSE(scopes.empty());
            scopes.pop_back();
        } else if (word == "$var") {
            const std::vector<std::string> words = rest();
            std::string name;
            for (const std::string &scope : scopes) {
                name += scope + ".";
            }
            name += words.at(3);
            EXPECT_TRUE(codes.emplace(words.at(2), std::pair(name, std::stoull(words.at(1)))).second) << name;
        } else if (word == "$timescale") {
            for (const std::string &part : rest()) {
                file.timescale += (file.timescale.empty() ? "" : " ") + part;
            }
        } else if (word == "$dumpvars") {
            EXPECT_TRUE(scopes.empty());
        } else if (word == "$end") {
            dumped = true;
        } else if (word.front() == '$') {
            rest();
        } else if (word.front() == '#') {
            const std::uint64_t at = std::stoull(word.substr(1));
            EXPECT_GE(at, now);
            now = at;
        } else if (word.front() == 'b') {
            const std::string bits = word.substr(1);
            in >> word;
            value(bits, word);
        } else {
            value(word.substr(0, 1), word.substr(1));
        }
    }
    EXPECT_TRUE(dumped);
    file.last_time = now;
    return file;
}

} // namespace smsim::test
