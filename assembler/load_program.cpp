#include "assembler/load_program.h"

#include <cstdint>
#include <vector>

#include "assembler/assembler.h"
#include "assembler/container.h"
#include "model/text/input_file.h"

namespace smsim {

Program load_program(const std::string &path, const timing::SchedulingModel &model) {
    const std::vector<std::uint8_t> bytes = text::read_bytes(path, text::kMaxFileBytes);
    if (is_program_file(bytes, path)) {
        return deserialize_program(bytes, path);
    }
    return assembler::assemble(std::string(bytes.begin(), bytes.end()), path, model);
}

} // namespace smsim
