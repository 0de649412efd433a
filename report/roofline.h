// The roofline of a launch: how much work it did per byte that it moved, and what the configuration allows at that
// intensity. Work is floating-point arithmetic by type, and lanes of any instruction; bytes are counted at each level
// that has its own limit.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/program/program.h"
#include "model/stats/statistics.h"

namespace smsim {

struct Config;

/// Work of one kind.
struct RooflineWork {
    std::string_view name;        ///< "fp32", "fp64", "fp16", "lanes", and "tensor_f16" and others by their rate
    std::uint64_t operations = 0; ///< by executing lanes; a multiply-add is two
    double peak = 0;              ///< maximum operations per cycle of the SM
};

/// Bytes through one level of the memories.
struct RooflineTraffic {
    std::string_view name;   ///< "shared", "l1", "global", "dram"
    std::uint64_t bytes = 0; ///< moved
    double peak = 0;         ///< maximum bytes per cycle
};

/// One kind of work over the bytes of one level.
struct RooflinePoint {
    std::string_view work;
    std::string_view traffic;
    double intensity = 0;  ///< operations per byte
    double attainable = 0; ///< operations per cycle: the lower of what the level and the pipes allow at that intensity
    double achieved = 0;   ///< operations per cycle
};

struct Roofline {
    std::vector<RooflineWork> work;       ///< kinds of work that occurred, and lanes in any case
    std::vector<RooflineTraffic> traffic; ///< levels that the configuration limits and that moved something
    std::vector<RooflinePoint> points;    ///< each work over each traffic, in their order
};

/// The roofline of `stats`, a launch of `program` on `config`. Without a program no arithmetic is known, only lanes.
///
/// `shared`: passes of shared memory, each counted as the bytes that its banks can deliver. `l1`: cycles of the data
/// array of the L1, each counted as `l1.bytes_per_cycle`; if that key sets no limit, bytes of the transactions of
/// global and local memory, against the maximum that the load/store units send per cycle. `global` and `dram`: bytes on
/// those paths.
Roofline roofline_of(const RunStats &stats, const Config &config, const Program *program);

} // namespace smsim
