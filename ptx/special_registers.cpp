#include "ptx/special_registers.h"

#include <array>
#include <charconv>

namespace smsim::ptx {

namespace {

constexpr std::array kRegisters = {
    SpecialRegister{"%tid", "u32", true},
    SpecialRegister{"%ntid", "u32", true},
    SpecialRegister{"%ctaid", "u32", true},
    SpecialRegister{"%nctaid", "u32", true},
    SpecialRegister{"%laneid", "u32"},
    SpecialRegister{"%warpid", "u32"},
    SpecialRegister{"%nwarpid", "u32"},
    SpecialRegister{"%smid", "u32"},
    SpecialRegister{"%nsmid", "u32"},
    SpecialRegister{"%gridid", "u64"},
    SpecialRegister{"%lanemask_eq", "u32"},
    SpecialRegister{"%lanemask_le", "u32"},
    SpecialRegister{"%lanemask_lt", "u32"},
    SpecialRegister{"%lanemask_ge", "u32"},
    SpecialRegister{"%lanemask_gt", "u32"},
    SpecialRegister{"%clock", "u32"},
    SpecialRegister{"%clock_hi", "u32"},
    SpecialRegister{"%clock64", "u64"},
    SpecialRegister{"%globaltimer", "u64"},
    SpecialRegister{"%globaltimer_lo", "u32"},
    SpecialRegister{"%globaltimer_hi", "u32"},
    SpecialRegister{"%total_smem_size", "u32"},
    SpecialRegister{"%aggr_smem_size", "u32"},
    SpecialRegister{"%dynamic_smem_size", "u32"},
    SpecialRegister{"%reserved_smem_offset_begin", "b32"},
    SpecialRegister{"%reserved_smem_offset_end", "b32"},
    SpecialRegister{"%reserved_smem_offset_cap", "b32"},
    SpecialRegister{"%current_graph_exec", "u64"},
    SpecialRegister{"%is_explicit_cluster", "pred", false, 7},
    SpecialRegister{"%clusterid", "u32", true, 7},
    SpecialRegister{"%nclusterid", "u32", true, 7},
    SpecialRegister{"%cluster_ctaid", "u32", true, 7},
    SpecialRegister{"%cluster_nctaid", "u32", true, 7},
    SpecialRegister{"%cluster_ctarank", "u32", false, 7},
    SpecialRegister{"%cluster_nctarank", "u32", false, 7},
    SpecialRegister{"%envreg", "b32", false, 1, 32},
    SpecialRegister{"%pm", "u32", false, 1, 8},
    SpecialRegister{"%reserved_smem_offset_", "b32", false, 1, 2},
};

bool is_numbered(const SpecialRegister &candidate, std::string_view name) {
    if (candidate.numbered == 0 || !name.starts_with(candidate.name)) {
        return false;
    }
    const std::string_view digits = name.substr(candidate.name.size());
    unsigned number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc{} && end == digits.data() + digits.size() && number < candidate.numbered;
}

} // namespace

std::optional<SpecialRegister> find_special_register(std::string_view name) {
    for (const SpecialRegister &candidate : kRegisters) {
        if ((candidate.numbered == 0 && candidate.name == name) || is_numbered(candidate, name)) {
            return candidate;
        }
    }
    return std::nullopt;
}

} // namespace smsim::ptx
