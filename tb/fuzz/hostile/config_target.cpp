// Takes any text as a configuration file or, after "--set ", as one setting. An accepted configuration is valid, and
// its listing loads back to the same values.
#include <vector>

#include "model/config/config.h"
#include "model/config/loader.h"
#include "model/config/validate.h"
#include "model/error.h"
#include "tb/fuzz/hostile/target.h"

using namespace smsim;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    constexpr std::string_view kSet = "--set ";
    std::string text(hostile::text_of(data, size));
    std::vector<std::string> settings;
    if (text.starts_with(kSet)) {
        settings.push_back(text.substr(kSet.size()));
        text.clear();
    }
    Config config;
    try {
        config = parse_config(text, "input.yaml", settings);
    } catch (const InputError &) {
        return 0;
    }
    try {
        validate(config);
        const std::string listing = dump_config(config);
        hostile::hold(dump_config(parse_config(listing, "listing.yaml")) == listing, "the listing loads back");
    } catch (const InputError &error) {
        hostile::hold(false, std::string("an accepted configuration is refused: ") + error.what());
    }
    return 0;
}
