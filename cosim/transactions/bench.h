// A single part between stubs that send it the recorded requests and compare its answers (docs/transactions.md).
//
// Everything is sent in the cycle in which it was recorded, or later: what was recorded after an answer, a wake or an
// expiry is sent after it here, too. If anything arrives later than recorded, all that follows is sent later by the
// same amount, so that the requests of different warps keep their order.
#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include <systemc>
#include <tlm>

#include "cosim/transactions/comparison.h"
#include "model/protocol/clock.h"
#include "model/transactions/file.h"
#include "model/transactions/sequence_check.h"
#include "sm/part_factory.h"

namespace smsim {
struct Config;
}

namespace smsim::cosim::transactions {

/// The end of a replay, which its benches share.
class Ending {
  public:
    void differs(Difference difference);
    void fails(std::exception_ptr error);
    void part_done();
    /// Sets the number of parts that must finish.
    void expect(std::size_t parts) { left_ = parts; }

    bool ended() const { return difference_ || error_ || left_ == 0; }
    const std::optional<Difference> &difference() const { return difference_; }
    /// Rethrows the exception of a failure, if there was one.
    void rethrow() const;

  private:
    std::optional<Difference> difference_;
    std::exception_ptr error_;
    std::size_t left_ = 0;
};

class Bench : public sc_core::sc_module {
  public:
    SC_HAS_PROCESS(Bench);

    /// Replays the records of `part` in `file`; the arguments must outlive this object.
    Bench(const sc_core::sc_module_name &name, const Config &config, const File &file, Part part, Ending &ending);
    ~Bench() override;

    bool done() const { return done_; }
    const PartResult &result() const { return result_; }
    /// The earliest record that was due by `cycle` and has not arrived; nothing: none is missing.
    std::optional<Difference> missing(Cycle cycle) const;

  protected:
    using Payload = tlm::tlm_generic_payload;

    /// A request without an answer.
    struct Flight {
        Record record;
        std::uint64_t number;
        Cycle sent;
    };

    /// Sends a record, in the present cycle or with effect in the next one; false: the part takes none now, and
    /// `go_on` will be called.
    virtual bool send(const Record &record) = 0;
    /// Whether the part sends such events rather than receives them.
    virtual bool is_output(Event::Kind kind) const = 0;

    /// Sends the current request with `payload`; the flight is not moved until `answered`.
    Flight &begin(const Payload &payload);
    /// Records the answer of `payload`, which takes effect in cycle `effect`; `text` is the difference from the
    /// recorded one.
    void answered(const Payload &payload, Cycle effect, const std::string &text);
    Flight &flight_of(const Payload &payload);
    /// Records an event that the part has sent.
    void told(Event::Kind kind, WarpSlot warp, Cycle effect, Cycle cycles = 0);
    /// Resumes sending.
    void go_on() { event_.notify(sc_core::SC_ZERO_TIME); }
    /// The first cycle that does not begin before now.
    Cycle now() const { return clock_.at(sc_core::SC_ZERO_TIME); }
    const protocol::Clock &clock() const { return clock_; }
    const Config &config() const { return config_; }

  private:
    struct Expected {
        std::uint64_t number;
        Event event;
    };
    struct Early {
        Cycle effect;
        Cycle cycles;
    };
    using Source = std::pair<Event::Kind, WarpSlot>;

    void step();
    void advance();
    bool fetch();
    bool may_send(Cycle sent) const;
    void expect(const Event &event);
    void match(const Expected &expected, Cycle effect, Cycle cycles);
    void count(const Record &record, Cycle recorded, Cycle here);
    void differs(std::uint64_t number, const Record *record, Cycle cycle, std::string text);
    void finish();

    const Config &config_;
    const File &file_;
    Part part_;
    Ending &ending_;
    protocol::Clock clock_;
    RecordStream stream_;
    SequenceCheck check_;
    bool serial_; ///< each request waits for the answers of all before: channels are held up at random
    PartResult result_;

    std::optional<Record> next_; ///< to be sent
    Cycle slip_ = 0;             ///< cycles by which everything is sent later than recorded
    bool exhausted_ = false;
    bool done_ = false;
    std::unordered_map<const Payload *, std::unique_ptr<Flight>> flights_;
    std::multimap<Cycle, const Flight *> due_; ///< flights whose answer was recorded, by its cycle
    std::map<Source, std::deque<Expected>> expected_;
    std::multiset<Cycle> expected_cycles_;      ///< of all of them
    std::map<Source, std::deque<Early>> early_; ///< reported before their record was read
    sc_core::sc_event event_;
};

/// Makes the bench of `part`, with a part made by `factory`.
std::unique_ptr<Bench> make_bench(Part part, const Config &config, const File &file, const sm::PartFactory &factory,
                                  Ending &ending);
std::unique_ptr<Bench> make_bru_bench(const Config &config, const File &file, const sm::PartFactory &factory,
                                      Ending &ending);
std::unique_ptr<Bench> make_bcu_bench(const Config &config, const File &file, const sm::PartFactory &factory,
                                      Ending &ending);
std::unique_ptr<Bench> make_timer_bench(const Config &config, const File &file, const sm::PartFactory &factory,
                                        Ending &ending);
std::unique_ptr<Bench> make_shared_bench(const Config &config, const File &file, const sm::PartFactory &factory,
                                         Ending &ending);

} // namespace smsim::cosim::transactions
