// Whether the records of a part can come one behind the other: a file may hold any bytes, and a part that is told of
// warps that are not there, or twice, is told what cannot be.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/config/config.h"
#include "model/transactions/records.h"

namespace smsim::transactions {

class SequenceCheck {
  public:
    /// For an SM of `config`, which outlives this.
    SequenceCheck(const Config &config, Part part);

    /// Why `record` cannot follow those before it; nothing: it can. Slots are those of the configuration, a warp that
    /// executes has started, not exited and does not wait at a barrier, one that exits has all its answers, a CTA's
    /// warps agree about it, and a slot that is given to a warp is free.
    std::optional<std::string> error(const Record &record);

  private:
    struct Warp {
        bool alive = false;
        bool blocked = false;
        Cycle answered = 0; ///< all of its instructions; kNever: one is not
        std::uint32_t cta = 0;
        std::uint32_t number = 0;
    };
    struct Cta {
        std::uint64_t number = 0;
        std::uint32_t warps = 0;
        std::vector<bool> started;
        std::uint32_t exited = 0;
    };
    std::optional<std::string> start(const Start &start);
    std::optional<std::string> exit(const Event &event);
    std::optional<std::string> execute(const Record &record);

    Part part_;
    std::vector<Warp> warps_;
    std::vector<std::optional<Cta>> ctas_;
};

} // namespace smsim::transactions
