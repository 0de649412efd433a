// Takes any bytes as a binary program, unchanged and with a corrected checksum, so that the checks after it are
// reached.
#include <span>
#include <vector>

#include "tb/fuzz/hostile/program_promises.h"
#include "tb/support/seal_program.h"

using namespace smsim;

namespace {

void load(std::span<const std::uint8_t> bytes) {
    Program program;
    try {
        program = deserialize_program(bytes, "input.smbin");
    } catch (const InputError &) {
        return;
    }
    hostile::hold_binary_round_trip(program);
    hostile::hold_text_round_trip(program, {});
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    load({data, size});
    std::vector<std::uint8_t> sealed(data, data + size);
    if (test::seal_program(sealed)) {
        load(sealed);
    }
    return 0;
}
