// The instruction trace: one JSON line per executed warp instruction (`smsim run --trace`).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "model/program/program.h"
#include "model/state/control_snapshot.h"
#include "model/stats/raised_exception.h"
#include "sm/execution_observer.h"
#include "views/trace/line_queue.h"

namespace smsim::views {

/// The first member of a line: the cycle of its instruction, or in functional execution `"number"`, the number of the
/// instruction among those of all warps.
enum class TraceClock : unsigned char { kCycle, kNumber };

/// Writes lines of the form
///
///     {"cycle":12,"sm":0,"cta":3,"warp":1,"pc":64,"text":"BSYNC B0","active":"0x0000ffff",
///      "after":{"ActivePC":80,"ActiveMask":"0xffffffff","ValidMask":...},"b":{"B0":"0x00000000"}}
///
/// `active` is ActiveMask before the instruction; `after` holds the fields of the control state after it as the
/// reconvergence engine declares them, except those of banks: `b` has the B registers that it changed. Only
/// DetailedTrace has addresses of threads. Lines are in order of cycle, then warp slot; `executed` must be called in
/// program order for each warp, and late instructions announced by `postponed`. The lines of all launches but the
/// first have a further member, `"launch":1` for the second.
///
/// The instruction of an exception has the line
///
///     {"cycle":12,"sm":0,"cta":3,"warp":1,"pc":64,"text":"BAR.ARV 0x1","active":"0x0000ffff",
///      "executed":"0x0000ffff","issued":12,"fault":"BarrierCount"}
///
/// after the others of its cycle; lines of the cycle in which the run stops for it may follow. If it was found at its
/// issue, no line of its warp follows. An instruction whose exception was found later than its issue has both lines.
class TraceWriter : public sm::ExecutionObserver {
  public:
    TraceWriter(std::ostream &out, ControlStateOf state_of, TraceClock clock = TraceClock::kCycle);
    ~TraceWriter() override;

    /// Begins launch number `launch`, of `program`, which must outlive the trace. Call before its first instruction.
    virtual void begin_launch(const Program &program, std::uint32_t launch);
    void postponed(const sm::ExecutedInstruction &instruction) override;
    void executed(const sm::ExecutedInstruction &instruction) override;
    /// The exception that ends the run; its place must name an instruction. Called once, at the end of the run.
    virtual void raised(const RaisedException &exception);
    /// The run has ended in cycle `last`: writes the lines that are still held.
    virtual void end(Cycle last);

  protected:
    /// The whole line of the instruction of an exception.
    std::string line_of(const RaisedException &exception) const;
    /// The line of an instruction up to its last member: without the closing brace and newline.
    std::string line_of(const sm::ExecutedInstruction &instruction);
    /// The first members of every line: cycle, launch, SM.
    std::string place_text(Cycle cycle, std::uint32_t sm) const;

    std::ostream &out_;
    TraceClock clock_;
    ControlSnapshot state_; ///< after the instruction of the last `line_of`

  private:
    /// Disassembly of each program, JSON-escaped, per instruction.
    std::map<const Program *, std::vector<std::string>> programs_;
    const std::vector<std::string> *texts_ = nullptr; ///< of the current launch's program
    std::uint32_t launch_ = 0;
    /// What the lines of the warp in a slot have shown of its banks.
    struct Known {
        std::optional<std::uint64_t> age;  ///< of the warp
        std::vector<std::uint64_t> values; ///< of all fields
    };

    ControlStateOf state_of_;
    std::vector<Known> known_; ///< by warp slot
    LineQueue lines_;          ///< of the current cycle, and later ones after lines that are expected
    Cycle cycle_ = 0;
};

} // namespace smsim::views
