// The timing diagrams of docs/pins.md are true: RTL driven with the drawn inputs has the drawn outputs in every cycle.
// scripts/timing-diagrams, which draws them, describes the sources.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include "assembler/assembler.h"
#include "cosim/block.h"
#include "cosim/pin.h"
#include "cosim/verilated/blocks.h"
#include "model/error.h"

namespace smsim::cosim {
namespace {

/// Up to 128 bits, lowest first.
using Value = std::array<std::uint64_t, 2>;

std::string shown(const Value &value) {
    return value[1] == 0 ? fmt::format("{:#x}", value[0]) : fmt::format("{:#x}{:016x}", value[1], value[0]);
}

std::optional<std::uint64_t> number(const std::string &text) {
    const bool hex = text.starts_with("0x");
    const char *const begin = text.data() + (hex ? 2 : 0);
    const char *const end = text.data() + text.size();
    std::uint64_t value = 0;
    const auto [rest, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
    return error == std::errc() && rest == end ? std::optional(value) : std::nullopt;
}

/// The word of one instruction, in a kernel that contains its targets.
Value word_of(const std::string &instruction) {
    std::string text = ".kernel k\n " + instruction + ";\n";
    for (int i = 0; i < 15; ++i) {
        text += " EXIT;\n";
    }
    const Program program = assemble(text, instruction, timing::SchedulingModel());
    const auto word = isa::encode(program.code.at(0));
    return {std::get<isa::Word>(word).lo, std::get<isa::Word>(word).hi};
}

/// Bits of a port: `NAME`, `NAME[bit]`, `NAME[high:low]`.
struct Bits {
    Port port;
    unsigned lsb = 0;
    unsigned width = 0;

    Value get() const {
        Value value{};
        for (unsigned i = 0; i < width; ++i) {
            const std::uint64_t bit = (port.data[(lsb + i) / 8] >> ((lsb + i) % 8)) & 1U;
            value[i / 64] |= bit << (i % 64);
        }
        return value;
    }
    void put(const Value &value) const {
        for (unsigned i = 0; i < width; ++i) {
            Pin(port.data, 1, port.bits).put(value[i / 64] >> (i % 64), lsb + i);
        }
    }
    bool covers(const Port &other, unsigned bit) const {
        return other.name == port.name && lsb <= bit && bit < lsb + width;
    }
};

Bits find(const Block &block, const std::string &pin) {
    const std::size_t bracket = std::min(pin.find('['), pin.size());
    for (const Port &port : block.ports()) {
        if (port.name != pin.substr(0, bracket)) {
            continue;
        }
        Bits bits{port, 0, port.bits};
        if (bracket < pin.size()) {
            const std::string range = pin.substr(bracket + 1, pin.size() - bracket - 2);
            const std::size_t colon = range.find(':');
            const auto high = number(range.substr(0, colon));
            const auto low = colon == std::string::npos ? high : number(range.substr(colon + 1));
            if (!high || !low || *high < *low || *high >= port.bits) {
                throw InputError(fmt::format("{}: the port has {} bits", pin, port.bits));
            }
            bits.lsb = static_cast<unsigned>(*low);
            bits.width = static_cast<unsigned>(*high - *low + 1);
        }
        if (bits.width > 128) {
            throw InputError(fmt::format("{}: {} bits; expected at most 128", pin, bits.width));
        }
        return bits;
    }
    throw InputError(fmt::format("{}: the block has no such pin", pin));
}

BlockKind kind_of(const std::string &name) {
    static const std::map<std::string, BlockKind> kinds = {{"bru", BlockKind::kBru},
                                                           {"bcu", BlockKind::kBcu},
                                                           {"sleep_timer", BlockKind::kSleepTimer},
                                                           {"shared_memory", BlockKind::kSharedMemory}};
    return kinds.at(name);
}

/// The value of a pin from a cycle on; none where it has no meaning.
using Cell = std::optional<Value>;

struct Row {
    std::string pin;
    Bits bits;
    std::vector<Cell> cells;
};

/// One diagram on its own block.
class Diagram {
  public:
    explicit Diagram(const YAML::Node &source)
        : source_(source), block_(make_block(kind_of(source["block"].as<std::string>()))),
          cycle_(source["first"].as<std::uint64_t>()) {
        if (source_["before"]) {
            before_ = source_["before"].as<std::vector<Values>>();
            cycle_ -= before_.size();
        }
        if (source_["values"]) {
            meanings_ = source_["values"].as<Values>();
        }
        for (const auto &[pin, text] : source["inputs"].as<Values>()) {
            const Bits bits = find(*block_, pin);
            inputs_.emplace_back(bits, value(text, bits));
        }
        read_rows(source["rows"].as<std::string>());
    }

    /// Runs the block; returns the deviations from the diagram, a line for each cycle and pin.
    std::vector<std::string> differences() {
        clear_inputs();
        find(*block_, "rst").put({1});
        block_->settle();
        block_->edge(cycle_);
        for (const Values &cycle : before_) {
            clear_inputs();
            for (const auto &[pin, text] : cycle) {
                const Bits bits = find(*block_, pin);
                bits.put(value(text, bits));
            }
            settle();
            block_->edge(cycle_);
            ++cycle_;
        }
        for (std::size_t column = 0; column < clock_.size(); ++column) {
            for (std::uint64_t i = 0; i < times_[column]; ++i) {
                if (clock_[column] && !(column == 0 && i == 0)) {
                    block_->edge(cycle_);
                }
                draw(column);
                ++cycle_;
            }
        }
        return differences_;
    }

  private:
    using Values = std::map<std::string, std::string>;

    /// The meaning of a number, a label or an instruction for `bits`, which hold it.
    Value value(const std::string &text, const Bits &bits) const {
        const auto meaning = meanings_.find(text);
        const std::string &label = meaning == meanings_.end() ? text : meaning->second;
        const auto plain = number(label);
        const Value found = plain ? Value{*plain} : word_of(label);
        for (unsigned i = bits.width; i < 128; ++i) {
            if (((found[i / 64] >> (i % 64)) & 1U) != 0) {
                throw InputError(fmt::format("{}: {} does not fit into {} bits", bits.port.name, text, bits.width));
            }
        }
        return found;
    }

    void read_rows(const std::string &text) {
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line);
            std::string pin;
            if (!(words >> pin) || pin == "--" || pin == "<->") {
                continue;
            }
            if (pin == "clk") {
                read_clock(words);
                continue;
            }
            Row row{pin, find(*block_, pin), {}};
            for (std::string word; words >> word;) {
                if (word == "." || word == "|") {
                    row.cells.push_back(row.cells.at(row.cells.size() - 1));
                } else {
                    row.cells.push_back(word == "x" ? Cell() : value(word, row.bits));
                }
            }
            if (row.cells.size() != clock_.size()) {
                throw InputError(fmt::format("{}: {} cells, but clk has {}", pin, row.cells.size(), clock_.size()));
            }
            rows_.push_back(std::move(row));
        }
    }

    void read_clock(std::istringstream &words) {
        std::size_t gaps = 0;
        for (std::string word; words >> word;) {
            const bool same = word == "." || word == "|";
            clock_.push_back(same ? clock_.at(clock_.size() - 1) : word == "p");
            times_.push_back(word == "|" ? source_["gaps"][gaps++].as<std::uint64_t>() : 1);
        }
    }

    void clear_inputs() {
        for (const Port &port : block_->ports()) {
            if (port.input) {
                const Pin pin(port.data, 1, port.bits);
                pin.clear();
                if (port.name.ends_with("_ready")) {
                    pin.fill();
                }
            }
        }
        for (const auto &[bits, value] : inputs_) {
            bits.put(value);
        }
    }

    /// Lets outputs follow the inputs of the current cycle.
    void settle() {
        for (const Port &port : block_->ports()) {
            if (port.name == "now") {
                Pin(port.data, 64, 1).put(cycle_);
            }
        }
        block_->settle();
    }

    void draw(std::size_t column) {
        clear_inputs();
        for (const Row &row : rows_) {
            if (row.bits.port.input) {
                // A pin without meaning may hold anything: here all ones.
                row.bits.put(row.cells[column].value_or(Value{~0ULL, ~0ULL}));
            }
        }
        settle();
        for (const Row &row : rows_) {
            const Value there = row.bits.get();
            if (!row.bits.port.input && row.cells[column] && *row.cells[column] != there) {
                differences_.push_back(fmt::format("cycle {}: {} is drawn as {}; RTL has {}", cycle_, row.pin,
                                                   shown(*row.cells[column]), shown(there)));
            }
        }
        expect_quiet();
    }

    /// What is not drawn does not happen: other channels and events are low.
    void expect_quiet() {
        for (const Port &port : block_->ports()) {
            if (port.input || !(port.name.ends_with("_valid") || port.name == "expiry")) {
                continue;
            }
            for (unsigned bit = 0; bit < port.bits; ++bit) {
                const bool drawn =
                    std::ranges::any_of(rows_, [&](const Row &row) { return row.bits.covers(port, bit); });
                if (!drawn && Bits{port, bit, 1}.get()[0] != 0) {
                    differences_.push_back(
                        fmt::format("cycle {}: {}[{}] is high and not drawn", cycle_, port.name, bit));
                }
            }
        }
    }

    YAML::Node source_;
    std::unique_ptr<Block> block_;
    std::uint64_t cycle_;
    Values meanings_;
    std::vector<Values> before_;
    std::vector<std::pair<Bits, Value>> inputs_;
    std::vector<bool> clock_; ///< whether a cycle begins with an edge
    std::vector<std::uint64_t> times_;
    std::vector<Row> rows_;
    std::vector<std::string> differences_;
};

bool without_rtl() {
    try {
        make_block(BlockKind::kSleepTimer);
        return false;
    } catch (const InputError &) {
        return true;
    }
}

std::vector<std::string> sources() {
    std::vector<std::string> found;
    for (const auto &file : std::filesystem::directory_iterator(std::string(SMSIM_SOURCE_DIR) + "/docs/timing")) {
        found.push_back(file.path().string());
    }
    std::ranges::sort(found);
    return found;
}

class TimingDiagrams : public testing::TestWithParam<std::string> {};

TEST_P(TimingDiagrams, MatchRtlInEveryCycle) {
    if (without_rtl()) {
        GTEST_SKIP() << "this program was built without Verilator";
    }
    for (const std::string &difference : Diagram(YAML::LoadFile(GetParam())).differences()) {
        ADD_FAILURE() << GetParam() << ": " << difference;
    }
}

INSTANTIATE_TEST_SUITE_P(All, TimingDiagrams, testing::ValuesIn(sources()), [](const auto &one) {
    std::string name = std::filesystem::path(one.param).stem().string();
    std::ranges::replace(name, '-', '_');
    return name;
});

TEST(TimingDiagram, WithAnErrorIsRejected) {
    if (without_rtl()) {
        GTEST_SKIP() << "this program was built without Verilator";
    }
    // The expiry is one cycle late, and a second request expires without being drawn.
    const YAML::Node source = YAML::Load(R"(
block: sleep_timer
title: not true
inputs: {cfg_granularity: 1, "req_warp[7:0]": 4, "req_warp[15:8]": 5, "req_cycles[63:0]": 2, "req_cycles[127:64]": 1}
first: 10
rows: |
  clk           p p p p
  req_valid[0]  1 0 . .
  req_valid[1]  0 . . 1
  expiry[4]     0 . 1 0
)");
    const std::vector<std::string> expected = {"cycle 11: expiry[4] is drawn as 0x0; RTL has 0x1",
                                               "cycle 12: expiry[4] is drawn as 0x1; RTL has 0x0",
                                               "cycle 13: expiry[5] is high and not drawn"};
    EXPECT_EQ(Diagram(source).differences(), expected);
}

} // namespace
} // namespace smsim::cosim
