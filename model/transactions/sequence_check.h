// Whether the records of a part can follow one another: a file may contain any bytes, and a part must not receive
// messages about warps that do not exist, or receive them twice.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/transactions/records.h"

namespace smsim {
struct Config;
}

namespace smsim::transactions {

class SequenceCheck {
  public:
    /// For an SM of `config`, which must outlive this.
    SequenceCheck(const Config &config, Part part);

    /// Why `record` cannot follow the previous ones; none: it can. Slots must be those of the configuration; a warp
    /// that executes must have started, not exited, and not wait at a barrier; one that exits must have all its
    /// answers; a CTA's warps must agree about it; and a slot given to a warp must be free.
    std::optional<std::string> error(const Record &record);

  private:
    struct Warp {
        bool alive = false;
        bool blocked = false;
        Cycle answered = 0; ///< all its instructions; kNever: one is not answered
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
