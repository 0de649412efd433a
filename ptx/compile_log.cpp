#include "ptx/compile_log.h"

#include "ptx/optimise/optimise.h"

namespace smsim::ptx {

const std::vector<std::string> &pass_names() {
    static const std::vector<std::string> kNames = [] {
        std::vector<std::string> names = {"select"};
        names.insert(names.end(), optimise::pass_names().begin(), optimise::pass_names().end());
        names.insert(names.end(), {"regions", "order"});
        return names;
    }();
    return kNames;
}

} // namespace smsim::ptx
