// An SM with a branch unit of this project's own, which watches the one of the library that it has inside.
#include <cstdio>
#include <cstring>
#include <memory>

#include <systemc>
#include <tlm>

#include "model/assembler/assembler.h"
#include "model/config/loader.h"
#include "model/parts/branch_unit.h"
#include "session/simulation.h"
#include "sm/part_factory.h"

namespace {

using namespace smsim;

class WatchedBranchUnit final : public sc_core::sc_module, public parts::BranchUnit {
  public:
    WatchedBranchUnit(const sc_core::sc_module_name &name, const Config &config, unsigned &asked)
        : sc_module(name), unit_(sm::PartFactory::standard().branch_units.make("unit", config)), asked_(asked) {}

    tlm::tlm_target_socket<64, protocol::BranchLink> &from_datapath(unsigned i) override {
        return unit_->from_datapath(i);
    }
    tlm::tlm_initiator_socket<64, protocol::TimerLink> &to_timer() override { return unit_->to_timer(); }
    tlm::tlm_target_socket<64, protocol::TimerLink> &from_timer() override { return unit_->from_timer(); }
    tlm::tlm_initiator_socket<64, protocol::WakeLink> &to_ibuffer(unsigned i) override { return unit_->to_ibuffer(i); }
    tlm::tlm_target_socket<64, protocol::LifecycleLink> &from_dispatch() override { return unit_->from_dispatch(); }
    void observe(observation::Observer *observer) override { unit_->observe(observer); }
    const BruStats &stats() const override {
        ++asked_;
        return unit_->stats();
    }
    void clear_statistics() override { unit_->clear_statistics(); }
    ControlState snapshot(WarpSlot warp) const override { return unit_->snapshot(warp); }
    std::string describe(WarpSlot warp) const override { return unit_->describe(warp); }

  private:
    std::unique_ptr<parts::BranchUnit> unit_;
    unsigned &asked_;
};

} // namespace

int sc_main(int, char **) {
    const Config config = load_config(std::nullopt, {});
    const Program program =
        assemble(".kernel k\n S2R R0, SR_TID.X;\n EXIT;\n", "text", timing::SchedulingModel(config));
    unsigned asked = 0;
    sm::PartFactory factory = sm::PartFactory::standard();
    factory.branch_units.add("watched", [&asked](const char *name, const Config &given) {
        return std::make_unique<WatchedBranchUnit>(name, given, asked);
    });
    factory.branch_units.choose("watched");
    session::Options options;
    options.factory = &factory;
    const session::SimulationResult result =
        session::simulate(config, program, program.kernels.at(0), launch::Launch(), options);
    std::printf("%llu cycles, the branch unit was asked %u times\n",
                static_cast<unsigned long long>(result.stats.cycles), asked);
    return result.fault || asked == 0 ? 1 : 0;
}
