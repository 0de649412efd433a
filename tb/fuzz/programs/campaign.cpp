#include "tb/fuzz/programs/campaign.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "model/error.h"
#include "tb/fuzz/programs/generate_tree.h"
#include "tb/fuzz/programs/vary.h"

namespace smsim::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kKept = 16;
constexpr std::size_t kMessage = 1000;

/// Written by a worker and read by the campaign, in shared memory.
struct WorkerReport {
    std::atomic<std::uint64_t> programs;
    std::atomic<std::uint64_t> failed;
    std::uint64_t warp_instructions;
    std::uint64_t thread_instructions;
    std::uint64_t oracle_instructions;
    std::uint64_t static_instructions;
    LockstepAnswers lockstep;
    struct {
        std::uint64_t seed;
        Verdict::Kind kind;
        char message[kMessage + 1];
    } failures[kKept];
    CoverageCounts coverage;
};

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

class Campaign {
  public:
    explicit Campaign(const CampaignOptions &options)
        : options_(options), jobs_(std::max(1U, options.jobs)), memory_(jobs_ * sizeof(WorkerReport)) {
        for (unsigned job = 0; job < jobs_; ++job) {
            new (memory_.data() + job * sizeof(WorkerReport)) WorkerReport{};
        }
    }

    CampaignSummary run() {
        std::vector<pid_t> workers;
        for (unsigned job = 0; job < jobs_; ++job) {
            const pid_t worker = fork();
            if (worker == 0) {
                work(job);
                end_child();
            }
            workers.push_back(worker);
        }
        wait(workers);
        return summary();
    }

  private:
    WorkerReport &report(unsigned job) {
        return *std::launder(reinterpret_cast<WorkerReport *>(memory_.data() + job * sizeof(WorkerReport)));
    }

    bool anything_failed() {
        for (unsigned job = 0; job < jobs_; ++job) {
            if (report(job).failed != 0) {
                return true;
            }
        }
        return false;
    }

    Verdict judge_on_design(const Tree &tree, std::uint64_t seed, WorkerReport &mine, ModelRunner &runner) const {
        try {
            ModelRun run = vary(seed, tree.threads, options_.settings, options_.engine);
            run.without_timing = options_.without_timing;
            run.cuts = options_.cuts;
            run.counts = &mine.coverage;
            return judge(tree, run, runner);
        } catch (const InputError &error) { // settings that are inconsistent with this design
            Verdict refused;
            refused.kind = Verdict::Kind::kGenerator;
            refused.message = error.what();
            return refused;
        }
    }

    void work(unsigned job) {
        ModelRunner runner;
        WorkerReport &mine = report(job);
        for (std::uint64_t i = job; i < options_.programs; i += jobs_) {
            if ((options_.seconds > 0 && since(start_) > options_.seconds) ||
                (options_.stop_at_failure && anything_failed())) {
                return;
            }
            const std::uint64_t seed = options_.first_seed + i;
            const Tree tree = grow(seed);
            const Verdict verdict = judge_on_design(tree, seed, mine, runner);
            mine.warp_instructions += verdict.warp_instructions;
            mine.thread_instructions += verdict.thread_instructions;
            mine.oracle_instructions += verdict.oracle_instructions;
            mine.static_instructions += verdict.static_instructions;
            mine.lockstep += verdict.lockstep;
            if (verdict.kind != Verdict::Kind::kAgree) {
                if (mine.failed < kKept) {
                    auto &kept = mine.failures[mine.failed];
                    kept.seed = seed;
                    kept.kind = verdict.kind;
                    std::strncpy(kept.message, verdict.message.c_str(), kMessage);
                }
                ++mine.failed;
            }
            ++mine.programs;
        }
    }

    void wait(std::vector<pid_t> workers) {
        auto shown = Clock::now();
        while (!workers.empty()) {
            std::erase_if(workers, [](pid_t worker) { return waitpid(worker, nullptr, WNOHANG) != 0; });
            if (options_.progress && since(shown) > 1) {
                shown = Clock::now();
                std::uint64_t programs = 0;
                for (unsigned job = 0; job < jobs_; ++job) {
                    programs += report(job).programs;
                }
                options_.progress(programs);
            }
            usleep(5000);
        }
    }

    CampaignSummary summary() {
        CampaignSummary all;
        all.seconds = since(start_);
        for (unsigned job = 0; job < jobs_; ++job) {
            const WorkerReport &one = report(job);
            all.programs += one.programs;
            all.failed += one.failed;
            all.warp_instructions += one.warp_instructions;
            all.thread_instructions += one.thread_instructions;
            all.oracle_instructions += one.oracle_instructions;
            all.static_instructions += one.static_instructions;
            all.lockstep += one.lockstep;
            for (unsigned i = 0; i < std::min<std::uint64_t>(one.failed, kKept); ++i) {
                all.failures.push_back({one.failures[i].seed, one.failures[i].kind, one.failures[i].message});
            }
            for (std::size_t i = 0; i < all.coverage.size(); ++i) {
                all.coverage[i] += one.coverage[i];
            }
        }
        std::ranges::sort(all.failures, {}, &Failure::seed);
        return all;
    }

    const CampaignOptions &options_;
    unsigned jobs_;
    SharedBytes memory_;
    Clock::time_point start_ = Clock::now();
};

} // namespace

CampaignSummary run_campaign(const CampaignOptions &options) {
    return Campaign(options).run();
}

std::string summary_text(const CampaignSummary &s) {
    const double programs = static_cast<double>(std::max<std::uint64_t>(s.programs, 1));
    std::string text = fmt::format("{} programs in {:.1f} s: {:.0f} programs/s; {} failed\n", s.programs, s.seconds,
                                   programs / std::max(s.seconds, 1e-9), s.failed);
    text += fmt::format("instructions: {} thread instructions of the oracle, {} of the model in {} warp instructions\n",
                        s.oracle_instructions, s.thread_instructions, s.warp_instructions);
    text += fmt::format("a program: {:.0f} instructions long, {:.0f} warp instructions executed\n",
                        static_cast<double>(s.static_instructions) / programs,
                        static_cast<double>(s.warp_instructions) / programs);
    if (const LockstepAnswers &answers = s.lockstep; answers.bru + answers.bcu + answers.timer + answers.shared != 0) {
        text +=
            fmt::format("answers in lockstep: {} of the branch unit, {} of the barrier unit, {} expiries, {} of shared "
                        "memory; {} in another cycle\n",
                        answers.bru, answers.bcu, answers.timer, answers.shared, answers.apart);
    }
    for (const Failure &failure : s.failures) {
        text += fmt::format("seed {}: {}{}\n", failure.seed,
                            failure.kind == Verdict::Kind::kGenerator ? "generator: " : "", failure.message);
    }
    return text;
}

} // namespace smsim::fuzz
