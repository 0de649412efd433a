// Any text as a launch file. What is accepted has the sizes it promises and writes nowhere but into its output
// directory.
#include <filesystem>

#include "model/error.h"
#include "model/launch/launch.h"
#include "model/text/utf8.h"
#include "tb/hostile/target.h"

using namespace smsim;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kTried = 1U << 16; // larger buffers are not made here: they only take time

/// True when the contents come from a file elsewhere: such a file is none of this target's business.
template <typename Contents> bool reads_outside(const Contents &contents) {
    const auto *file = std::get_if<launch::FileData>(&contents);
    return file != nullptr && fs::path(file->path).parent_path() != fs::path(SMSIM_LAUNCH_FOLDER);
}

void hold_arguments(const launch::Launch &launch) {
    const std::vector<std::uint64_t> addresses(launch.arguments.size(), ~std::uint64_t{0});
    hostile::hold(launch::parameter_bytes(launch, addresses).size() <= launch::kMaxParameterBytes,
                  "argument block within its limit");
    for (const launch::Argument &argument : launch.arguments) {
        hostile::hold(argument.bytes() <= launch::kMaxBufferBytes, "buffer within its limit");
        hostile::hold(text::find_invalid_utf8(argument.name) == std::string_view::npos, "names in UTF-8");
        if (argument.is_buffer && argument.bytes() <= kTried && !reads_outside(argument.init)) {
            hostile::hold(launch::initial_bytes(argument).size() == argument.bytes(), "contents fill the buffer");
        }
    }
}

void hold_checks(const launch::Launch &launch) {
    for (const launch::Check &check : launch.checks) {
        const launch::Argument &argument = launch.arguments.at(check.argument);
        hostile::hold(check.offset <= argument.count && check.count <= argument.count - check.offset,
                      "check inside its buffer");
        if (argument.bytes() <= kTried && !reads_outside(check.expected)) {
            const std::vector<std::uint8_t> zeros(argument.bytes());
            hostile::hold(launch::check_buffer(launch, check, zeros).compared == check.count, "all elements compared");
        }
    }
}

void hold_dumps(const launch::Launch &launch) {
    const fs::path output = "/output";
    for (const launch::Dump &dump : launch.dumps) {
        const fs::path file = (output / dump.file).lexically_normal();
        hostile::hold(file.string().starts_with("/output/") && file.has_filename(), "dump inside the output directory");
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    launch::Launch launch;
    try {
        launch = launch::parse_launch(hostile::text_of(data, size), SMSIM_LAUNCH_FOLDER "/launch.yaml");
    } catch (const InputError &) {
        return 0;
    }
    hold_arguments(launch);
    hold_checks(launch);
    hold_dumps(launch);
    return 0;
}
