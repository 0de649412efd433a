// Configuration: the table of keys covers Config, values are read strictly, messages give place, cause and remedy.
#include <fstream>
#include <limits>
#include <regex>
#include <set>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "model/config/config.h"
#include "model/config/config_json.h"
#include "model/config/effect.h"
#include "model/config/loader.h"
#include "model/config/other_names.h"
#include "model/config/schema.h"
#include "model/config/validate.h"
#include "model/error.h"
#include "model/text/yaml.h"

namespace smsim {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

Config parse(const std::string &text, std::vector<std::string> settings = {}) {
    return parse_config(text, "c.yaml", settings);
}

std::string error_of(const std::string &text, const std::vector<std::string> &settings = {}) {
    try {
        parse(text, settings);
    } catch (const InputError &error) {
        return error.what();
    }
    return "no error";
}

std::vector<std::string> all_values(const Config &config) {
    std::vector<std::string> values;
    for (const ConfigKey &key : config_keys()) {
        values.push_back(std::string(key.name) + "=" + value_text(config, key));
    }
    return values;
}

TEST(ConfigLoader, ListsOfSizesAscend) {
    const SizeList &sizes = parse("shared: {carveouts: '0,8K,100K'}").shared.carveouts;
    EXPECT_EQ(sizes.least_for(0), 0U);
    EXPECT_EQ(sizes.least_for(1), 8192U);
    EXPECT_EQ(sizes.least_for(8193), 102400U);
    EXPECT_EQ(sizes.least_for(200000), 102400U);
    EXPECT_TRUE(parse("", {"shared.carveouts=none"}).shared.carveouts.empty());
    for (const char *wrong : {"8K,0,100K", "0,0,100K", "0,,100K", "0,100K,", "0;100K", "all", ""}) {
        EXPECT_THAT(error_of("", {"shared.carveouts=" + std::string(wrong)}), HasSubstr("shared.carveouts")) << wrong;
    }
    EXPECT_THAT(error_of("", {"shared.carveouts=0,64K"}), HasSubstr("must hold shared.bytes (102400)"));
    EXPECT_THAT(error_of("", {"shared.carveouts=0,128K"}), HasSubstr("leave of l1.bytes (131072) at least"));
}

/// Converts to anything: counts the members of an aggregate by the longest initializer list that it takes.
struct Anything {
    template <typename T> operator T() const; // NOLINT: never called
};
template <typename T, typename... Args> constexpr std::size_t member_count() {
    if constexpr (requires { T{Args{}..., Anything{}}; }) {
        return member_count<T, Args..., Anything>();
    } else {
        return sizeof...(Args);
    }
}

std::size_t keys_in(std::string_view section) {
    std::size_t count = 0;
    for (const ConfigKey &key : config_keys()) {
        count += key.name.starts_with(section) ? 1 : 0;
    }
    return count;
}

TEST(ConfigSchema, EveryMemberOfConfigHasAKey) {
    EXPECT_EQ(keys_in("sm."), member_count<SmConfig>());
    EXPECT_EQ(keys_in("ibuffer."), member_count<IBufferConfig>());
    EXPECT_EQ(keys_in("icache."), member_count<ICacheConfig>());
    EXPECT_EQ(keys_in("constants."), member_count<ConstantsConfig>());
    EXPECT_EQ(keys_in("register_file."), member_count<RegisterFileConfig>());
    EXPECT_EQ(keys_in("pipes.alu."), member_count<PipeConfig>());
    constexpr std::size_t kPipes = 7;
    EXPECT_EQ(keys_in("pipes."), member_count<PipesConfig>() - kPipes + kPipes * member_count<PipeConfig>());
    EXPECT_EQ(keys_in("tensor."), member_count<TensorConfig>());
    EXPECT_EQ(keys_in("bru.simt_stack."), member_count<SimtStackConfig>());
    EXPECT_EQ(keys_in("bru.token_stack."), member_count<TokenStackConfig>());
    EXPECT_EQ(keys_in("bru.") - keys_in("bru.simt_stack.") - keys_in("bru.token_stack."),
              member_count<BruConfig>() - 2);
    EXPECT_EQ(keys_in("bcu."), member_count<BcuConfig>());
    EXPECT_EQ(keys_in("timer."), member_count<TimerConfig>());
    EXPECT_EQ(keys_in("lsu."), member_count<LsuConfig>());
    EXPECT_EQ(keys_in("shared."), member_count<SharedMemoryConfig>());
    EXPECT_EQ(keys_in("l1."), member_count<L1Config>());
    EXPECT_EQ(keys_in("global."), member_count<GlobalMemoryConfig>());
    EXPECT_EQ(keys_in("l2."), member_count<L2Config>());
    EXPECT_EQ(keys_in("jitter."), member_count<JitterConfig>());
    EXPECT_EQ(keys_in("ideal."), member_count<IdealConfig>());
    EXPECT_EQ(keys_in("rtl."), member_count<RtlConfig>());
    constexpr std::size_t kSections = 18;
    EXPECT_EQ(member_count<Config>(), kSections);
}

TEST(ConfigSchema, EveryKeyHasItsOwnMemberNameAndMeaning) {
    Config config;
    std::set<const void *> members;
    std::set<std::string_view> names;
    for (const ConfigKey &key : config_keys()) {
        members.insert(std::visit([](auto *member) -> const void * { return member; }, key.member(config)));
        names.insert(key.name);
        EXPECT_THAT(std::string(key.meaning), ::testing::EndsWith(".")) << key.name;
    }
    EXPECT_EQ(members.size(), config_keys().size());
    EXPECT_EQ(names.size(), config_keys().size());
}

TEST(ConfigSchema, EveryKeyIsReadIntoItsOwnMember) {
    for (const ConfigKey &key : config_keys()) {
        const Config defaults;
        const std::string_view type = type_name(key);
        std::string other;
        if (type == "flag") {
            other = value_text(defaults, key) == "true" ? "false" : "true";
        } else if (type == "name") {
            other = enum_names(key).back();
        } else if (type == "part") {
            other = "lockstep:./lib.so";
        } else if (type == "operations") {
            other = "BRA,EXIT";
        } else if (type == "sizes") {
            other = "0,102400"; // the least that holds shared.bytes
        } else if (key.name == "sm.sub_partitions") {
            other = "8";
        } else if (key.name == "bru.pipelines" || key.name == "shared.max_per_cta") {
            other = "1"; // bounded by another key
        } else if (key.name == "shared.bytes") {
            other = "204800";
        } else if (key.name == "lsu.queue_latency") {
            other = "10";
        } else if (type == "number") {
            other = "1.5";
        } else if (type == "integer") {
            other = "4096";
        } else {
            const auto now = std::get<std::uint64_t>(value_of(defaults, key));
            const std::uint64_t step =
                key.power_of_two ? now
                                 : (key.name == "l1.bytes" || key.name == "constants.load_bytes" ? 512
                                    : key.name == "l2.bytes" || key.name == "icache.l1_bytes"    ? 2048
                                                                                              : 128 * key.multiple_of);
            other = std::to_string(key.name == "lsu.sector_bytes" ? 64 : key.name == "shared.banks" ? 16 : now + step);
            if (now + step > key.high && !key.power_of_two) {
                other = std::to_string(now > key.low ? static_cast<std::uint64_t>(key.low) : now + 1);
            }
            if (key.name == "l1.ways") {
                other = "8";
            }
            if (key.name == "sm.registers" || key.name == "sm.register_unit") {
                other = key.name == "sm.registers" ? "32768" : "512";
            }
        }
        std::vector<std::string> settings = {std::string(key.name) + "=" + other};
        if (key.name == "sm.hazard_fatal") {
            settings.push_back("sm.hazard_check=true");
        }
        const Config changed = parse("", settings);
        EXPECT_EQ(value_text(changed, key), other) << key.name;
        std::vector<std::string> before = all_values(defaults);
        std::vector<std::string> after = all_values(changed);
        std::size_t differing = 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
            differing += before[i] != after[i] ? 1 : 0;
        }
        EXPECT_EQ(differing, settings.size()) << key.name << "=" << other;
    }
}

TEST(ConfigLoader, DefaultFileNamesEveryKeyWithItsDefault) {
    const std::string path = SMSIM_SOURCE_DIR "/configs/default.yaml";
    EXPECT_EQ(all_values(load_config(path)), all_values(Config{}));
    const yaml::Node root = yaml::parse_file(path);
    for (const ConfigKey &key : config_keys()) {
        const yaml::Node *node = &root;
        std::istringstream parts{std::string(key.name)};
        for (std::string part; node != nullptr && std::getline(parts, part, '.');) {
            node = node->find(part);
        }
        EXPECT_NE(node, nullptr) << key.name;
    }
}

TEST(ConfigLoader, PathsOfLibrariesAreReadBackAsTheyAre) {
    const Config config = parse("", {"bru.implementation=rtl:a b's: #1.so"});
    EXPECT_EQ(config.bru.implementation.library(), "a b's: #1.so");
    EXPECT_EQ(parse(dump_config(config), {}).bru.implementation.text(), "rtl:a b's: #1.so");
}

TEST(ConfigLoader, ImplementationOfAPartHasFiveForms) {
    for (const std::string wrong : {"model:x.so", "rtl:", "verilog", "lockstep:a\nb"}) {
        EXPECT_FALSE(Implementation::parse(wrong)) << wrong;
    }
    EXPECT_EQ(Implementation::parse("rtl").value().library(), "");
    EXPECT_EQ(Implementation::parse("lockstep:x").value().kind(), Implementation::Kind::kLockstep);
}

TEST(ConfigLoader, ListsOfOperationsAreMnemonicsOfControlInstructions) {
    const OperationList list = OperationList::parse("BRA,BAR.RED,BRA").value();
    EXPECT_TRUE(list.has("BRA") && list.has("BAR.RED"));
    EXPECT_FALSE(list.has("EXIT") || list.all());
    for (const char *wrong : {"", "BRA,", "bra", "IADD3", "BRA EXIT"}) {
        EXPECT_FALSE(OperationList::parse(wrong)) << wrong;
    }
}

struct Generation {
    const char *name;
    std::uint32_t warps; ///< of a sub-partition
    double clock_ghz;    ///< of the card that its other figures are of
};
class GenerationFile : public ::testing::TestWithParam<Generation> {};
TEST_P(GenerationFile, LoadsWithTheWarpsAndTheClockOfItsGeneration) {
    const Config config = load_config(SMSIM_SOURCE_DIR "/configs/" + std::string(GetParam().name) + ".yaml");
    EXPECT_EQ(config.sm.warps_per_sub_partition, GetParam().warps);
    EXPECT_EQ(config.sm.max_threads, config.warps() * 32);
    EXPECT_EQ(config.sm.clock_ghz, GetParam().clock_ghz);
}
INSTANTIATE_TEST_SUITE_P(All, GenerationFile,
                         ::testing::Values(Generation{"v100", 16, 1.53}, Generation{"turing", 8, 1.59},
                                           Generation{"a100", 16, 1.41}, Generation{"ga10x", 12, 1.8},
                                           Generation{"ada", 12, 2.61}, Generation{"h100", 16, 1.98}),
                         [](const auto &test) { return std::string(test.param.name); });

TEST(ConfigLoader, DumpLoadsBackToTheSame) {
    const Config config = parse("", {"sm.clock_ghz=1.4100000000000001", "ibuffer.policy=two_level", "icache.l0=false",
                                     "bru.trap_handler=0x100", "pipes.xu.interval=7"});
    EXPECT_EQ(config.sm.clock_ghz, 1.4100000000000001);
    EXPECT_EQ(config.bru.trap_handler, 256);
    EXPECT_EQ(all_values(parse(dump_config(config))), all_values(config));
}

TEST(ConfigLoader, SettingsApplyAfterTheFileAndTheLastOneWins) {
    const Config config =
        parse("pipes: {alu: {latency: 7}, fma: {latency: 8}}", {"pipes.alu.latency=9", "pipes.alu.latency=10"});
    EXPECT_EQ(config.pipes.alu.latency, 10U);
    EXPECT_EQ(config.pipes.fma.latency, 8U);
    EXPECT_EQ(config.pipes.xu.latency, Config{}.pipes.xu.latency);
}

TEST(ConfigLoader, PresetsApplyBeforeTheFileAndTheSettings) {
    const std::string path = testing::TempDir() + "presets.yaml";
    std::ofstream(path) << "sm: {clock_ghz: 1.25}\n";
    const std::vector<Setting> presets = {{"sm.clock_ghz", "1.5", "l.yaml:2:1"},
                                          {"bru.pipelines", "2", "l.yaml:3:1"},
                                          {"ibuffer.depth", "4", "l.yaml:4:1"}};
    const Config config = ConfigInput(path, {"bru.pipelines=1"}).with(presets);
    EXPECT_EQ(config.sm.clock_ghz, 1.25);
    EXPECT_EQ(config.bru.pipelines, 1U);
    EXPECT_EQ(config.ibuffer.depth, 4U);
    const std::vector<Setting> wrong = {{"bru.pipeline", "2", "l.yaml:3:1"}};
    try {
        ConfigInput(std::nullopt, {}).with(wrong);
        FAIL() << "no error";
    } catch (const InputError &error) {
        EXPECT_STREQ(error.what(), "l.yaml:3:1: unknown key 'bru.pipeline'; did you mean 'bru.pipelines'?");
    }
}

TEST(ConfigLoader, PlusSignsAreAccepted) {
    const Config config = parse_config("sm: {clock_ghz: +1.5}\nibuffer: {depth: +4}\n", "c.yaml");
    EXPECT_EQ(config.sm.clock_ghz, 1.5);
    EXPECT_EQ(config.ibuffer.depth, 4U);
}

TEST(ConfigLoader, EmptyFileAndEmptySectionMeanDefaults) {
    EXPECT_EQ(all_values(parse("# nothing\n")), all_values(Config{}));
    EXPECT_EQ(all_values(parse("sm:\nl1: {}\n")), all_values(Config{}));
}

TEST(ConfigLoader, UnknownKeyNamesTheNearest) {
    EXPECT_EQ(error_of("sm:\n  max_cta: 3\n"), "c.yaml:2:3: unknown key 'sm.max_cta'; did you mean 'sm.max_ctas'?");
    EXPECT_THAT(error_of("pipes: {alu: {latancy: 3}}"),
                AllOf(StartsWith("c.yaml:1:15: "), HasSubstr("'pipes.alu.latency'")));
    EXPECT_THAT(error_of("", {"l1.way=3"}), AllOf(StartsWith("--set l1.way=3: "), HasSubstr("'l1.ways'")));
    EXPECT_THAT(error_of("", {"sm=3"}), HasSubstr("unknown key 'sm'"));
}

TEST(ConfigLoader, WrongTypeIsRefusedWithItsPlace) {
    EXPECT_EQ(error_of("ibuffer:\n  depth: three\n"), "c.yaml:2:10: ibuffer.depth must be an integer; found 'three'");
    EXPECT_THAT(error_of("ibuffer: {depth: \"3\"}"), HasSubstr("must be an integer; found the text \"3\""));
    EXPECT_THAT(error_of("ibuffer: {depth: 3.0}"), HasSubstr("must be an integer"));
    EXPECT_THAT(error_of("ibuffer: {depth: [3]}"), HasSubstr("found a list"));
    EXPECT_THAT(error_of("ibuffer: {depth: }"), HasSubstr("found nothing"));
    EXPECT_THAT(error_of("ibuffer: 3"), HasSubstr("'ibuffer' is a section"));
    EXPECT_THAT(error_of("icache: {l0: yes}"), HasSubstr("must be true or false; found 'yes'"));
    EXPECT_THAT(error_of("sm: {clock_ghz: nan}"), HasSubstr("must be a number"));
    EXPECT_THAT(error_of("sm: {clock_ghz: {a: 1}}"), HasSubstr("found a map"));
    EXPECT_THAT(error_of("ibuffer: {policy: ''}"), HasSubstr("ibuffer.policy must be text"));
    EXPECT_THAT(error_of("bru: {trap_handler: x}"), HasSubstr("must be an integer; found 'x'"));
    EXPECT_THAT(error_of("ibuffer: {policy: two-level}"), HasSubstr("did you mean 'two_level'?"));
    EXPECT_THAT(error_of("- 1"), HasSubstr("a configuration is a map"));
    EXPECT_THAT(error_of("", {"ibuffer.depth"}), HasSubstr("expected key=value"));
    EXPECT_THAT(error_of("", {"ibuffer.depth="}), HasSubstr("found nothing"));
}

TEST(ConfigLoader, ValueOutOfRangeIsRefusedWithTheRange) {
    EXPECT_EQ(error_of("ibuffer: {depth: 0}"), "c.yaml:1:18: ibuffer.depth must be in 1..64; found '0'");
    EXPECT_THAT(error_of("ibuffer: {depth: -3}"), HasSubstr("1..64"));
    EXPECT_THAT(error_of("ibuffer: {depth: 99999999999999999999999}"), HasSubstr("1..64"));
    EXPECT_THAT(error_of("bru: {trap_handler: -2}"), HasSubstr("must be in -1.."));
    EXPECT_THAT(error_of("bru: {trap_handler: 0x8000000000000000}"), HasSubstr("must be in -1.."));
    EXPECT_THAT(error_of("sm: {clock_ghz: 0}"), HasSubstr("0.001..100"));
    EXPECT_THAT(error_of("l1: {line_bytes: 96}"), HasSubstr("power of two"));
    EXPECT_THAT(error_of("sm: {max_threads: 100}"), HasSubstr("multiple of 32"));
}

TEST(ConfigLoader, ImpossibleCombinationPointsAtTheLastGivenKey) {
    EXPECT_EQ(error_of("sm: {sub_partitions: 2}"),
              "c.yaml:1:22: bru.pipelines (4) must not exceed sm.sub_partitions (2); set both");
    EXPECT_THAT(error_of("sm: {sub_partitions: 2}\nbru: {pipelines: 3}"), StartsWith("c.yaml:2:18: bru.pipelines"));
    EXPECT_THAT(error_of("l1: {bytes: 1000}"), HasSubstr("multiple of l1.line_bytes * l1.ways (512)"));
    EXPECT_THAT(error_of("icache: {l0_bytes: 200}"), HasSubstr("multiple of icache.line_bytes"));
    EXPECT_THAT(error_of("icache: {l1_bytes: 128}"),
                HasSubstr("multiple of icache.line_bytes * icache.l1_ways (2048)"));
    EXPECT_THAT(error_of("constants: {operand_bytes: 200}"), HasSubstr("constants.line_bytes * constants.ways (128)"));
    EXPECT_THAT(error_of("register_file: {read_ports: 1, read_window: 2}"), HasSubstr("must be at least 3"));
    EXPECT_THAT(error_of("register_file: {banks: 1, read_ports: 1}"), HasSubstr("must be at least 4"));
    EXPECT_THAT(error_of("constants: {load_bytes: 200}"),
                HasSubstr("constants.line_bytes * constants.load_ways (256)"));
    EXPECT_THAT(error_of("sm: {registers: 65568}"), HasSubstr("multiple of sm.register_unit"));
    EXPECT_THAT(error_of("sm: {hazard_fatal: true}"), HasSubstr("needs sm.hazard_check"));
    EXPECT_THAT(error_of("shared: {bytes: 1024}"), HasSubstr("shared.max_per_cta (101376) must not exceed"));
    EXPECT_THAT(error_of("shared: {bytes: 102401}"), HasSubstr("multiple of shared.allocation_unit"));
    EXPECT_THAT(error_of("lsu: {sector_bytes: 128}\nl1: {line_bytes: 64}"), HasSubstr("must not exceed l1.line"));
    EXPECT_THAT(error_of("l2: {sector_bytes: 256}"), HasSubstr("must not exceed l2.line_bytes"));
    EXPECT_THAT(error_of("l2: {bytes: 5000}"), HasSubstr("l2.line_bytes * l2.ways * l2.partitions (2048)"));
    for (const char *sectors : {"16", "96", "256"}) {
        EXPECT_THAT(error_of(std::string("l1: {sector_bytes: ") + sectors + "}"),
                    HasSubstr("must be 0 or a power of two from 32 to l1.line_bytes (128)"));
    }
    EXPECT_THAT(error_of("bru: {trap_handler: 8}"), HasSubstr("multiple of 16 or -1"));
    EXPECT_THAT(error_of("sm: {sub_partitions: 16, warps_per_sub_partition: 64}"), HasSubstr("at most 128 warps"));
}

TEST(ConfigLoader, ValidateAcceptsDefaultsAndRefusesConfigurationsBuiltWrong) {
    EXPECT_NO_THROW(validate(Config{}));
    Config config;
    config.ibuffer.depth = 0;
    EXPECT_THROW(validate(config), InputError);
    config = Config{};
    config.bru.pipelines = 5;
    EXPECT_THROW(validate(config), InputError);
}

std::vector<std::string> idle(const std::string &text, const std::vector<std::string> &settings = {},
                              const std::vector<Setting> &presets = {}) {
    return ConfigInput(text, "c.yaml", settings).without_effect(presets);
}

TEST(ConfigEffect, AKeyGivenWithoutEffectIsNamedWithPlaceAndCause) {
    EXPECT_THAT(idle("l2:\n  miss_latency: 300\n"),
                ElementsAre("c.yaml:2:17: l2.miss_latency has no effect with l2.bytes: 0"));
    EXPECT_THAT(idle("", {"bru.simt_stack.depth=8", "ibuffer.two_level_active=2"}),
                ElementsAre("--set ibuffer.two_level_active=2: ibuffer.two_level_active has no effect with "
                            "ibuffer.policy: greedy_then_youngest",
                            "--set bru.simt_stack.depth=8: bru.simt_stack.depth has no effect with bru.engine: "
                            "convergence_barrier"));
    EXPECT_THAT(idle("l2: {bytes: 1M, miss_latency: 300}", {"bru.engine=simt_stack", "bru.simt_stack.depth=8"}),
                IsEmpty());
}

TEST(ConfigEffect, AListingOfAllKeysGivesOnlyThoseThatDifferFromTheDefault) {
    EXPECT_THAT(idle(dump_config(Config{})), IsEmpty());
    Config config;
    config.rtl.patience = 5;
    EXPECT_THAT(idle(dump_config(config)), ElementsAre(HasSubstr("rtl.patience has no effect with bru.implementation: "
                                                                 "model and bcu.implementation: model and ")));
    EXPECT_THAT(idle("", {"l2.ways=16"}), ElementsAre(HasSubstr("l2.ways"))) << "the default, asked for by hand";
}

TEST(ConfigEffect, ALaunchFileGivesKeysToo) {
    const std::vector<Setting> presets = {{"l1.enabled", "false", "launch.yaml:4:7"},
                                          {"l1.ways", "8", "launch.yaml:5:7"}};
    EXPECT_THAT(idle("l2: {ways: 8}", {}, presets),
                ElementsAre("launch.yaml:5:7: l1.ways has no effect with l1.enabled: false", HasSubstr("l2.ways")));
}

TEST(ConfigEffect, EveryRequirementComparesAKeyWithAValueThatItCanHave) {
    for (const ConfigKey &key : config_keys()) {
        for (const std::span<const Condition> alternatives : requirements(key)) {
            ASSERT_FALSE(alternatives.empty()) << key.name;
            for (const Condition &condition : alternatives) {
                const std::string setting = std::string(condition.key) + "=" + std::string(condition.value);
                EXPECT_EQ(error_of("", {setting, "bru.pipelines=1"}), "no error") << key.name << ": " << setting;
            }
        }
    }
}

TEST(ConfigEffect, ListingsSayWhatAKeyNeeds) {
    EXPECT_THAT(dump_config(Config{}, Remarks::kEffect),
                HasSubstr("What a miss of the L2 takes longer than a hit. (no effect with l2.bytes: 0)\n"));
    EXPECT_THAT(dump_config(Config{}), Not(HasSubstr("no effect")));
    EXPECT_THAT(schema_table(), HasSubstr("[1..1000000; only with l2.bytes other than 0]\n"));
    EXPECT_THAT(schema_table(), HasSubstr("only with register_file.read_ports other than 0 or "
                                          "register_file.write_conflicts: true]\n"));
    const nlohmann::json keys = nlohmann::json::parse(schema_json())["keys"];
    const auto found =
        std::ranges::find_if(keys, [](const auto &key) { return key["key"] == "bru.token_stack.spill_cycles"; });
    ASSERT_NE(found, keys.end());
    EXPECT_EQ((*found)["needs"].dump(),
              R"([[{"is":"token_stack","key":"bru.engine"}],[{"is":true,"key":"bru.token_stack.spill"}]])");
}

TEST(ConfigLoader, ValidateHasTheMessagesOfFiles) {
    Config config;
    config.shared.banks = 33;
    const auto message = [&] {
        try {
            validate(config);
        } catch (const InputError &error) {
            return std::string(error.what());
        }
        return std::string("none");
    };
    EXPECT_EQ(message(), "configuration: shared.banks must be a power of two; found 33");
    config = {};
    config.sm.clock_ghz = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(message(), StartsWith("configuration: sm.clock_ghz"));
    config = {};
    config.ibuffer.policy = static_cast<IssuePolicyKind>(77);
    EXPECT_THAT(message(), StartsWith("configuration: ibuffer.policy"));
}

TEST(ConfigLoader, UnknownKeyWithoutANearMatchListsTheKeys) {
    EXPECT_THAT(
        error_of("", {"sm.foo=1"}),
        AllOf(HasSubstr("unknown key 'sm.foo'; its section has sm.sub_partitions, "), Not(HasSubstr("l1.ways"))));
    EXPECT_THAT(error_of("", {"foo=1"}), HasSubstr("unknown key 'foo'; the sections are sm, ibuffer, icache, "));
    EXPECT_EQ(error_of("bru: {election: highest}"),
              "c.yaml:1:17: bru.election has no value 'highest'; allowed: lowest_lane, most_threads, oldest");
}

TEST(ConfigLoader, UnknownKeyOfASectionNamesNoKeyOfAnother) {
    EXPECT_THAT(error_of("", {"l2.mshr=3"}), AllOf(HasSubstr("its section has l2.bytes, "), Not(HasSubstr("l1."))));
}

TEST(ConfigLoader, MisspelledSectionIsNamed) {
    EXPECT_EQ(error_of("ibufer: {policy: two_level}"), "c.yaml:1:1: unknown key 'ibufer'; did you mean 'ibuffer'?");
}

TEST(ConfigLoader, KeysOfOtherSimulatorsAreExplained) {
    EXPECT_THAT(error_of("", {"dram.channels=8"}), HasSubstr("l2.dram_bytes_per_cycle"));
    EXPECT_THAT(error_of("hbm: {latency: 300}"), HasSubstr("l2.miss_latency"));
    EXPECT_THAT(error_of("", {"ibuffer.dual_issue=true"}), HasSubstr("ibuffer.issue_width is 1 or 2"));
    EXPECT_THAT(error_of("", {"bru.b_registers=8"}), HasSubstr("bru.convergence_barriers"));
}

TEST(ConfigLoader, SynonymsSetTheSameKey) {
    const Config config =
        parse("l2: {latency: 100, bytes: 1048576}\ndram: {latency: 300}", {"dram.bytes_per_cycle=16"});
    EXPECT_EQ(config.global.latency, 100U);
    EXPECT_EQ(config.l2.miss_latency, 300U);
    EXPECT_EQ(config.l2.dram_bytes_per_cycle, 16U);
    EXPECT_EQ(error_of("l2: {latency: 100}\nglobal: {latency: 200}"),
              "c.yaml:2:10: global.latency is given twice, also as l2.latency");
}

TEST(ConfigLoader, ExplanationsNameKeysThatExist) {
    const std::regex key("\\b([a-z0-9_]+(?:\\.[a-z0-9_]+)+)");
    for (const char *name : {"bru.latency",
                             "bru.stack_depth",
                             "bcu.latency",
                             "dram",
                             "global.bandwidth",
                             "ibuffer.size",
                             "icache.size",
                             "issue",
                             "l0",
                             "l1.assoc",
                             "l1.bandwidth",
                             "l1.mshr",
                             "l1.size",
                             "l1i",
                             "l2.assoc",
                             "l2.bandwidth",
                             "l2.latency",
                             "l2.size",
                             "lsu.pipes",
                             "register_file.size",
                             "scheduler",
                             "shared.bandwidth",
                             "shared.size",
                             "sm.clock",
                             "sm.max_blocks",
                             "sm.max_warps",
                             "sm.schedulers",
                             "sm.shared_memory",
                             "sm.warps"}) {
        const std::string means(other_name(name));
        EXPECT_NE(means, "") << name;
        for (std::sregex_iterator found(means.begin(), means.end(), key), end; found != end; ++found) {
            EXPECT_NE(find_config_key((*found)[1].str()), nullptr) << name << ": " << (*found)[1];
        }
    }
}

TEST(ConfigLoader, AllErrorsAreNamedAtOnce) {
    EXPECT_EQ(error_of("l1:\n  wys: 4\nsm:\n  max_cta: 1\nbcu:\n  interval: -1\n", {"lsu.pipes=2"}),
              "c.yaml:2:3: unknown key 'l1.wys'; did you mean 'l1.ways'?\n"
              "c.yaml:4:3: unknown key 'sm.max_cta'; did you mean 'sm.max_ctas'?\n"
              "c.yaml:6:13: bcu.interval must be in 1..1000000; found '-1'\n"
              "--set lsu.pipes=2: unknown key 'lsu.pipes'; use lsu.units; lsu.issue_interval and "
              "lsu.lines_per_cycle say how much each takes per cycle");
}

TEST(ConfigLoader, SizesInBytesTakeSuffixes) {
    for (const char *size : {"64K", "64KB", "64KiB", "65536", "0x10000"}) {
        EXPECT_EQ(parse("l1: {bytes: " + std::string(size) + "}").l1.bytes, 65536U) << size;
        EXPECT_EQ(parse("", {"l1.bytes=" + std::string(size)}).l1.bytes, 65536U) << size;
    }
    EXPECT_EQ(parse("", {"l1.bytes=2M"}).l1.bytes, 2U << 20);
    EXPECT_EQ(parse("", {"global.bytes=4GiB"}).global.bytes, std::uint64_t{4} << 30);
    for (const char *size : {"64k", "64 KB", "K", "1.5K", "0x40K", "64KBs", "64T", "-64K", "\"64K\""}) {
        EXPECT_THAT(error_of("l1: {bytes: " + std::string(size) + "}"), HasSubstr("l1.bytes must be an integer"))
            << size;
    }
    EXPECT_THAT(error_of("", {"l1.bytes=2G"}), HasSubstr("l1.bytes must be in 128..1073741824; found '2G'"));
    EXPECT_THAT(error_of("", {"global.bytes=18014398509481985K"}), HasSubstr("global.bytes must be in"));
    EXPECT_THAT(error_of("", {"sm.registers=64K"}),
                HasSubstr("sm.registers must be an integer (suffixes such as KB are for sizes in bytes); found '64K'"));
}

TEST(ConfigLoader, LeadingZerosAreRefused) {
    EXPECT_EQ(error_of("sm: {max_ctas: 010}"), "c.yaml:1:16: sm.max_ctas must be a number without leading zeros, "
                                               "which some would read as octal; found '010'");
    EXPECT_THAT(error_of("", {"bru.trap_handler=-016"}), HasSubstr("without leading zeros"));
    EXPECT_THAT(error_of("", {"sm.clock_ghz=01"}), HasSubstr("without leading zeros"));
    EXPECT_THAT(error_of("", {"l1.bytes=064K"}), HasSubstr("without leading zeros"));
    EXPECT_EQ(parse("", {"timer.granularity=0x010", "shared.atomic_latency=0"}).timer.granularity, 16U);
}

TEST(ConfigLoader, MissingFileIsAnError) {
    EXPECT_THROW(load_config("/nonexistent/config.yaml"), InputError);
    EXPECT_THROW(load_config("/"), InputError);
}

TEST(ConfigJson, HoldsEveryKeyInTheOrderOfTheTable) {
    const nlohmann::ordered_json json = config_to_json(Config{});
    EXPECT_EQ(json.begin().key(), "sm");
    EXPECT_EQ(json["pipes"]["xu"]["latency"], 15);
    EXPECT_EQ(json["ibuffer"]["policy"], "greedy_then_youngest");
    EXPECT_EQ(json["bru"]["trap_handler"], -1);
    EXPECT_EQ(json.flatten().size(), config_keys().size());
    EXPECT_EQ(nlohmann::json::parse(schema_json())["keys"].size(), config_keys().size());
}

} // namespace
} // namespace smsim
