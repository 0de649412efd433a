#include "model/program/program.h"

#include <algorithm>

namespace smsim {

const Kernel *Program::find_kernel(std::string_view name) const {
    const auto found = std::ranges::find(kernels, name, &Kernel::name);
    return found == kernels.end() ? nullptr : &*found;
}

} // namespace smsim
