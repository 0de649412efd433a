// The implementation of each part of an SM, chosen by name. Those of this project are called "standard"; a test bench
// or another project adds its own and chooses it.
//
//     sm::PartFactory factory = sm::PartFactory::standard();
//     factory.branch_units.add("rtl", [](const char *name, const Config &config) {
//         return std::make_unique<RtlBranchUnit>(name, config);
//     });
//     factory.branch_units.choose("rtl");
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "bru/reconvergence_engine.h"
#include "ibuffer/issue_policy.h"
#include "model/config/config.h"
#include "model/parts/barrier_unit.h"
#include "model/parts/branch_unit.h"
#include "model/parts/instruction_buffer.h"
#include "model/parts/memories.h"
#include "sm/dispatch/grid_distributor.h"
#include "sm/parts.h"

namespace smsim::sm {

/// The implementations of one kind of part.
template <typename Part, typename... Arguments> class PartTable {
  public:
    /// Makes a part: `name` is that of its module, `config` must outlive it.
    using Make = std::function<std::unique_ptr<Part>(const char *name, const Config &config, Arguments... arguments)>;

    /// `kind` appears in messages: "branch unit".
    explicit PartTable(std::string kind) : kind_(std::move(kind)) {}

    /// Adds an implementation, or replaces the one of that name. The first one is chosen.
    void add(const std::string &name, Make make) {
        if (makers_.empty()) {
            chosen_ = name;
        }
        makers_[name] = std::move(make);
    }
    /// Chooses the implementation `name`. InputError, listing the available names, for an unknown one.
    void choose(const std::string &name) {
        if (!makers_.contains(name)) {
            std::string known;
            for (const auto &[one, make] : makers_) {
                known += (known.empty() ? "" : ", ") + one;
            }
            throw InputError(kind_ + ": there is no implementation '" + name + "'; expected one of: " + known);
        }
        chosen_ = name;
    }
    /// The name of the chosen implementation.
    const std::string &chosen() const { return chosen_; }
    /// Makes a part of the chosen implementation.
    std::unique_ptr<Part> make(const char *name, const Config &config, Arguments... arguments) const {
        return makers_.at(chosen_)(name, config, arguments...);
    }

  private:
    std::string kind_;
    std::string chosen_;
    std::map<std::string, Make> makers_;
};

/// All parts of an SM.
struct PartFactory {
    /// A factory with the implementations of this project.
    static PartFactory standard();

    PartTable<parts::InstructionBuffer, unsigned> instruction_buffers{"instruction buffer"}; ///< and its sub-partition
    PartTable<parts::Datapath> datapaths{"datapath"};
    PartTable<parts::BranchUnit> branch_units{"branch unit"};
    PartTable<parts::BarrierUnit> barrier_units{"barrier unit"};
    PartTable<parts::SleepTimer> sleep_timers{"sleep timer"};
    PartTable<parts::SharedPipe, isa::Unit> shared_pipes{"shared pipe"}; ///< for each pipe that is one of the SM
    PartTable<parts::LoadStoreUnit> load_store_units{"load/store unit"};
    PartTable<parts::InstructionMemory> instruction_memories{"instruction memory"};
    PartTable<parts::SharedMemory> shared_memories{"shared memory"};
    PartTable<parts::DataCache> data_caches{"data cache"}; ///< used if `l1.enabled`
    PartTable<parts::CtaDispatch, GridDistributor &, SmId> cta_dispatches{"CTA dispatch"};
};

/// The branch unit of this project with another reconvergence engine, which is created for `config.warps()` warp slots:
/// for use in a `branch_units` entry. InputError for an invalid timing value.
std::unique_ptr<parts::BranchUnit> make_branch_unit(const char *name, const Config &config,
                                                    std::unique_ptr<bru::ReconvergenceEngine> engine);
/// The instruction buffer of this project with another issue policy, one object for each sub-partition: for use in an
/// `instruction_buffers` entry. `config` must outlive it.
std::unique_ptr<parts::InstructionBuffer> make_instruction_buffer(const char *name, const Config &config,
                                                                  unsigned sub_partition,
                                                                  std::unique_ptr<ibuffer::IssuePolicy> policy);

} // namespace smsim::sm
