// The control state after every control instruction as lines of plain text (`smsim run --trace-format control`), in
// the form in which simulators with a stack per warp log theirs, so that logs can be compared line by line.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

#include "model/state/control_snapshot.h"
#include "sm/execution_observer.h"
#include "views/trace/line_queue.h"

namespace smsim::views {

/// Writes a line for each executed instruction of the branch unit:
///
///     cta 0 warp 0 pc 0x60 mask 0x55555555 rpc 0x70 stack {0x70 0x70 0xffffffff} {0x70 0x40 0xaaaaaaaa}
///
/// CTA and warp are followed by the fields of the control state after the instruction, as the reconvergence engine
/// declares them: addresses in hexadecimal, masks with eight digits, numbers in decimal, a list as its entries in
/// braces with their columns, a stack from the bottom up; banks and the addresses of threads are left out. The lines
/// of all launches but the first begin with "launch 1 " and so on. Lines are in order of cycle, then warp slot.
class ControlLog final : public sm::ExecutionObserver {
  public:
    /// `cycles`: each line ends with " cycle " and the cycle of the instruction.
    ControlLog(std::ostream &out, ControlStateOf state_of, bool cycles);
    ~ControlLog() override;

    /// Sets the number of the launch that follows.
    void begin_launch(std::uint32_t launch) { launch_ = launch; }
    void postponed(const sm::ExecutedInstruction &instruction) override;
    void executed(const sm::ExecutedInstruction &instruction) override;
    /// Writes the lines that are held.
    void flush();

  private:
    std::ostream &out_;
    ControlStateOf state_of_;
    bool cycles_;
    std::uint32_t launch_ = 0;
    LineQueue lines_; ///< of `cycle_`, and later ones after lines that are expected
    Cycle cycle_ = 0;
};

} // namespace smsim::views
