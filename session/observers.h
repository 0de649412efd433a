// Several observers where the model knows one.
#pragma once

#include <vector>

#include "model/observation/observer.h"
#include "sm/execution_observer.h"

namespace smsim::session {

/// Hands every report on to those that are there.
class ExecutionObservers final : public sm::ExecutionObserver {
  public:
    void add(sm::ExecutionObserver *observer) {
        if (observer != nullptr) {
            all_.push_back(observer);
        }
    }
    /// For the datapaths: null without observers.
    sm::ExecutionObserver *as_one() { return all_.empty() ? nullptr : all_.size() == 1 ? all_.front() : this; }
    void executed(const sm::ExecutedInstruction &instruction) override {
        for (sm::ExecutionObserver *observer : all_) {
            observer->executed(instruction);
        }
    }
    void accesses(const protocol::LoadStoreExtension &access) override {
        for (sm::ExecutionObserver *observer : all_) {
            observer->accesses(access);
        }
    }
    void completed(const sm::CompletedInstruction &instruction) override {
        for (sm::ExecutionObserver *observer : all_) {
            observer->completed(instruction);
        }
    }
    void ended(const WarpStart &start, const sm::compute::WarpRegisters &registers) override {
        for (sm::ExecutionObserver *observer : all_) {
            observer->ended(start, registers);
        }
    }

  private:
    std::vector<sm::ExecutionObserver *> all_;
};

/// Hands what happens in the parts on to those that are there.
class PartObservers final : public observation::Observer {
  public:
    void add(observation::Observer *observer) {
        if (observer != nullptr) {
            all_.push_back(observer);
        }
    }
    /// For the parts: null without observers.
    observation::Observer *as_one() { return all_.empty() ? nullptr : all_.size() == 1 ? all_.front() : this; }
    void observe(Cycle now, const observation::Event &event) override {
        for (observation::Observer *observer : all_) {
            observer->observe(now, event);
        }
    }

  private:
    std::vector<observation::Observer *> all_;
};

} // namespace smsim::session
