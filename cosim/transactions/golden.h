// Replay into the rules alone: the cores without SystemC and time, which get the recorded requests in their order and
// say what must be answered.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cosim/transactions/comparison.h"
#include "model/config/config.h"
#include "model/transactions/file.h"

namespace smsim::cosim::transactions {

/// The rules of one part.
class Golden {
  public:
    explicit Golden(Part part) { result_.part = part; }
    Golden(const Golden &) = delete;
    Golden &operator=(const Golden &) = delete;
    virtual ~Golden() = default;

    /// The next record, of this number, which SequenceCheck has passed.
    void take(const Record &record, std::uint64_t number) {
        ++result_.records;
        next(record, number);
    }
    /// There are no more; up to the end of cycle `last` everything was recorded.
    virtual void finish(Cycle last) = 0;

    /// The first difference up to now.
    const std::optional<Difference> &difference() const { return difference_; }
    const PartResult &result() const { return result_; }

  protected:
    virtual void next(const Record &record, std::uint64_t number) = 0;
    /// `text` differs in record `number`; null: of which nothing is left to show.
    void differs(std::uint64_t number, const Record *record, Cycle cycle, const std::string &text);
    /// An answer to `record` has been compared; `text` is what differs, or empty.
    void compared(std::uint64_t number, const Record &record, Cycle cycle, const std::string &text);

  private:
    PartResult result_;
    std::optional<Difference> difference_;
};

/// The rules of `part` as `config`, which outlives them, wants them.
std::unique_ptr<Golden> make_golden(Part part, const Config &config);
std::unique_ptr<Golden> make_golden_bru(const Config &config);
std::unique_ptr<Golden> make_golden_bcu(const Config &config);
std::unique_ptr<Golden> make_golden_timer(const Config &config);
std::unique_ptr<Golden> make_golden_shared(const Config &config);

/// Replays `parts` of `file` one after the other, up to the first difference. InputError for records that cannot be
/// read or follow one another.
ReplayResult replay_into_golden(const File &file, const Config &config, std::span<const Part> parts);

} // namespace smsim::cosim::transactions
