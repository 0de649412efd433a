// Replay into the rules alone: the cores without SystemC and time, which get the recorded requests in their order and
// determine the correct answers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "cosim/transactions/comparison.h"
#include "model/transactions/file.h"

namespace smsim {
struct Config;
}

namespace smsim::cosim::transactions {

/// The rules of one part.
class Golden {
  public:
    explicit Golden(Part part) { result_.part = part; }
    Golden(const Golden &) = delete;
    Golden &operator=(const Golden &) = delete;
    virtual ~Golden() = default;

    /// Takes the next record, which has this number and has passed SequenceCheck.
    void take(const Record &record, std::uint64_t number) {
        ++result_.records;
        next(record, number);
    }
    /// Call after the last record; everything up to the end of cycle `last` was recorded.
    virtual void finish(Cycle last) = 0;

    /// The first difference so far.
    const std::optional<Difference> &difference() const { return difference_; }
    const PartResult &result() const { return result_; }

  protected:
    virtual void next(const Record &record, std::uint64_t number) = 0;
    /// Records that record `number` differs as `text` says; `record` is null if it is no longer available.
    void differs(std::uint64_t number, const Record *record, Cycle cycle, const std::string &text);
    /// Counts a compared answer to `record`; `text` is the difference, or empty.
    void compared(std::uint64_t number, const Record &record, Cycle cycle, const std::string &text);

  private:
    PartResult result_;
    std::optional<Difference> difference_;
};

/// Makes the rules of `part` for `config`, which must outlive them.
std::unique_ptr<Golden> make_golden(Part part, const Config &config);
std::unique_ptr<Golden> make_golden_bru(const Config &config);
std::unique_ptr<Golden> make_golden_bcu(const Config &config);
std::unique_ptr<Golden> make_golden_timer(const Config &config);
std::unique_ptr<Golden> make_golden_shared(const Config &config);

/// Replays `parts` of `file` one after another, up to the first difference. InputError for records that cannot be read
/// or that cannot follow one another.
ReplayResult replay_into_golden(const File &file, const Config &config, std::span<const Part> parts);

} // namespace smsim::cosim::transactions
