// How the links between the parts are bound: directly, or through external code that watches them.
#pragma once

#include <string>

#include <tlm>

#include "model/protocol/links.h"
#include "model/protocol/memory.h"

namespace smsim::sm {

/// What a link is bound to: tlm_target_socket<64, Traits>, and every socket derived from it.
template <typename Traits> using LinkTarget = typename tlm::tlm_target_socket<64, Traits>::base_type;

/// Binds links with protocol traits `Traits`.
template <typename Traits> class BindsLink {
  public:
    virtual ~BindsLink() = default;
    /// Binds `initiator` to `target`, or both to something between them. `link` is the name of the link: "issue_0",
    /// "timer". Called during elaboration.
    virtual void join(tlm::tlm_initiator_socket<64, Traits> &initiator, LinkTarget<Traits> &target,
                      const std::string &link) = 0;
};

/// Binds every link of an SM.
class LinkBinder : public BindsLink<protocol::IssueLink>,
                   public BindsLink<protocol::BranchLink>,
                   public BindsLink<protocol::BarrierLink>,
                   public BindsLink<protocol::LoadStoreLink>,
                   public BindsLink<protocol::TimerLink>,
                   public BindsLink<protocol::WakeLink>,
                   public BindsLink<protocol::LifecycleLink>,
                   public BindsLink<protocol::MemoryLink> {
  public:
    using BindsLink<protocol::IssueLink>::join;
    using BindsLink<protocol::BranchLink>::join;
    using BindsLink<protocol::BarrierLink>::join;
    using BindsLink<protocol::LoadStoreLink>::join;
    using BindsLink<protocol::TimerLink>::join;
    using BindsLink<protocol::WakeLink>::join;
    using BindsLink<protocol::LifecycleLink>::join;
    using BindsLink<protocol::MemoryLink>::join;
};

} // namespace smsim::sm
