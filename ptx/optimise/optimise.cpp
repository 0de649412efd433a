#include "ptx/optimise/optimise.h"

#include <algorithm>
#include <array>
#include <map>

#include "ptx/machine/flow_graph.h"
#include "ptx/machine/liveness.h"
#include "ptx/optimise/combine.h"
#include "ptx/optimise/gather.h"
#include "ptx/optimise/invariants.h"
#include "ptx/optimise/merge.h"
#include "ptx/optimise/offsets.h"
#include "ptx/optimise/predicate.h"
#include "ptx/optimise/propagate.h"
#include "ptx/optimise/share.h"
#include "ptx/optimise/thread.h"
#include "ptx/optimise/unread.h"
#include "ptx/optimise/vectorise.h"
#include "ptx/optimise/webs.h"

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

constexpr std::string_view kInline = "inline";
constexpr std::string_view kSplit = "split";
constexpr std::string_view kPropagate = "propagate";
constexpr std::string_view kThread = "thread";
constexpr std::string_view kGather = "gather";
constexpr std::string_view kCombine = "combine";
constexpr std::string_view kOffset = "offset";
constexpr std::string_view kMerge = "merge";
constexpr std::string_view kPredicate = "predicate";
constexpr std::string_view kVectorise = "vectorise";
constexpr std::string_view kShare = "share";
constexpr std::string_view kHoist = "hoist";

/// Rounds after which values are left unchanged; most functions need two.
constexpr unsigned kMostRounds = 3;

class Pipeline {
  public:
    Pipeline(Function &function, unsigned words, const Watch &watch, const PassChoice &choice)
        : function_(function), words_(words), watch_(watch), choice_(choice) {}

    void run(unsigned level, const Inline &inline_calls) {
        if (level == 0) {
            return;
        }
        if (level >= 2 && inline_calls) {
            pass(kInline, inline_calls);
        }
        split();
        values();
        const std::size_t registers = function_.registers.size();
        split(); // pairs with only one word left
        std::size_t changes = function_.registers.size() - registers;
        if (level >= 2) {
            changes += pass(kMerge, merge_tails);
            changes += pass(kPredicate, predicate_branches);
        }
        if (changes != 0) {
            values();
        }
        if (level >= 3 && pass(kVectorise, vectorise_loads) != 0) {
            values();
        }
        if (level >= 2) {
            loops();
        }
        remove_dead_code(function_);
        tidy(function_);
    }

  private:
    /// Runs a pass, and removes what is not read any more; not when it has found nothing in the same code before.
    template <typename Change> unsigned pass(std::string_view name, Change change) {
        const bool chosen =
            choice_.only.empty() || std::ranges::find(choice_.only, std::string(name)) != choice_.only.end();
        const auto idle = idle_at_.find(name);
        if (!chosen || runs_ >= choice_.runs || (idle != idle_at_.end() && idle->second == version_)) {
            return 0;
        }
        ++runs_;
        const unsigned changes = change(function_);
        if (changes == 0) {
            idle_at_[name] = version_;
        } else {
            ++version_;
            remove_unread(function_);
            tidy(function_);
        }
        if (watch_) {
            watch_(name, function_, changes);
        }
        return changes;
    }

    void split() {
        pass(kSplit, [](Function &function) {
            const std::size_t before = function.registers.size();
            split_registers(function);
            return static_cast<unsigned>(std::max(function.registers.size(), before + 1) - before);
        });
    }

    /// Moves values to their readers, in rounds: one pass makes work for another.
    void values() {
        for (unsigned round = 0; round < kMostRounds; ++round) {
            unsigned changes = pass(kPropagate, propagate);
            changes += pass(kThread, thread_branches);
            changes += pass(kGather, gather_words);
            changes += pass(kCombine, combine);
            changes += pass(kOffset, take_offsets);
            if (changes == 0) {
                return;
            }
        }
    }

    void loops() {
        pass(kShare, share_numbers);
        pass(kHoist, [this](Function &function) {
            normalise_loops(function);
            return hoist_invariants(function, words_);
        });
        pass(kShare, share_numbers);
    }

    Function &function_;
    unsigned words_;
    const Watch &watch_;
    const PassChoice &choice_;
    unsigned runs_ = 0;                              ///< of passes
    unsigned version_ = 0;                           ///< of the code
    std::map<std::string_view, unsigned> idle_at_{}; ///< by pass, the last version in which it found nothing
};

} // namespace

void optimise(Function &function, unsigned level, unsigned words, const Watch &watch, const PassChoice &choice,
              const Inline &inline_calls) {
    Pipeline(function, words, watch, choice).run(level, inline_calls);
}

const std::vector<std::string> &pass_names() {
    static const std::vector<std::string> kNames = [] {
        constexpr std::array kAll = {kInline, kSplit, kPropagate, kThread,    kGather, kCombine,
                                     kOffset, kMerge, kPredicate, kVectorise, kShare,  kHoist};
        return std::vector<std::string>(kAll.begin(), kAll.end());
    }();
    return kNames;
}

} // namespace smsim::ptx::optimise
