// Combines several observers where the model takes one.
#pragma once

#include <functional>
#include <vector>

#include "model/observation/observer.h"
#include "sm/execution_observer.h"

namespace smsim::session {

/// An observer that forwards every notification to others, in the order in which they were added.
template <typename Observer> class FanOut : public Observer {
  public:
    /// `observer` must outlive this object; null adds nothing.
    void add(Observer *observer) {
        if (observer != nullptr) {
            all_.push_back(observer);
        }
    }
    /// The observer for the model: null where there are no observers, so that an unobserved run pays nothing.
    Observer *as_one() { return all_.empty() ? nullptr : all_.size() == 1 ? all_.front() : this; }

  protected:
    template <typename... Parameters, typename... Values>
    void tell(void (Observer::*what)(Parameters...), const Values &...values) {
        for (Observer *observer : all_) {
            (observer->*what)(values...);
        }
    }

  private:
    std::vector<Observer *> all_;
};

/// Forwards what instructions do.
class ExecutionObservers final : public FanOut<sm::ExecutionObserver> {
  public:
    void begin(const ControlStateOf &state_of) override { tell(&Observer::begin, state_of); }
    void postponed(const sm::ExecutedInstruction &instruction) override { tell(&Observer::postponed, instruction); }
    void executed(const sm::ExecutedInstruction &instruction) override { tell(&Observer::executed, instruction); }
    void accesses(const protocol::LoadStoreExtension &access) override { tell(&Observer::accesses, access); }
    void completed(const sm::CompletedInstruction &instruction) override { tell(&Observer::completed, instruction); }
    void ended(const WarpStart &start, const sm::compute::WarpRegisters &registers) override {
        tell(&Observer::ended, start, registers);
    }

  private:
    using Observer = sm::ExecutionObserver;
};

/// Forwards what happens inside the parts.
class PartObservers final : public FanOut<observation::Observer> {
  public:
    void observe(Cycle now, const observation::Event &event) override {
        tell(&observation::Observer::observe, now, event);
    }
    void used(Cycle begin, Cycle cycles, const UnitUses &units) override {
        tell(&observation::Observer::used, begin, cycles, units);
    }
    void end(Cycle last) override { tell(&observation::Observer::end, last); }
};

} // namespace smsim::session
