// Puts the strict checker of the base protocol on every memory socket of an SM, and on that of its global memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sm/link_binder.h"
#include "tb/support/base_protocol_checker.h"

namespace smsim::tb {

/// Lives until the simulation has ended.
class CheckedLinks final : public sm::LinkBinder {
  public:
    template <typename Traits> using Initiator = tlm::tlm_initiator_socket<64, Traits>;

    void join(Initiator<protocol::MemoryLink> &initiator, sm::LinkTarget<protocol::MemoryLink> &target,
              const std::string &link) override {
        checkers_.push_back({link, std::make_unique<BaseProtocolChecker>(("checker_" + link).c_str())});
        initiator.bind(checkers_.back().checker->from_initiator);
        checkers_.back().checker->to_target.bind(target);
    }
    void join(Initiator<protocol::IssueLink> &i, sm::LinkTarget<protocol::IssueLink> &t, const std::string &) override {
        i.bind(t);
    }
    void join(Initiator<protocol::BranchLink> &i, sm::LinkTarget<protocol::BranchLink> &t,
              const std::string &) override {
        i.bind(t);
    }
    void join(Initiator<protocol::BarrierLink> &i, sm::LinkTarget<protocol::BarrierLink> &t,
              const std::string &) override {
        i.bind(t);
    }
    void join(Initiator<protocol::LoadStoreLink> &i, sm::LinkTarget<protocol::LoadStoreLink> &t,
              const std::string &) override {
        i.bind(t);
    }
    void join(Initiator<protocol::TimerLink> &i, sm::LinkTarget<protocol::TimerLink> &t, const std::string &) override {
        i.bind(t);
    }
    void join(Initiator<protocol::WakeLink> &i, sm::LinkTarget<protocol::WakeLink> &t, const std::string &) override {
        i.bind(t);
    }
    void join(Initiator<protocol::LifecycleLink> &i, sm::LinkTarget<protocol::LifecycleLink> &t,
              const std::string &) override {
        i.bind(t);
    }

    /// The violations, each with the name of its link.
    std::vector<std::string> violations() const {
        std::vector<std::string> all;
        for (const One &one : checkers_) {
            for (const std::string &violation : one.checker->violations()) {
                all.push_back(one.link + ": " + violation);
            }
        }
        return all;
    }
    /// Transactions checked on the non-blocking path.
    std::uint64_t transactions() const {
        std::uint64_t sum = 0;
        for (const One &one : checkers_) {
            sum += one.checker->transactions();
        }
        return sum;
    }

  private:
    struct One {
        std::string link;
        std::unique_ptr<BaseProtocolChecker> checker;
    };
    std::vector<One> checkers_;
};

} // namespace smsim::tb
