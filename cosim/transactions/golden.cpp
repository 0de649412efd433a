#include "cosim/transactions/golden.h"

#include <fmt/format.h>

#include "cosim/transactions/listing.h"
#include "model/config/config.h"
#include "model/error.h"
#include "model/transactions/sequence_check.h"

namespace smsim::cosim::transactions {

void Golden::differs(std::uint64_t number, const Record *record, Cycle cycle, const std::string &text) {
    if (!difference_) {
        difference_ = Difference{result_.part, number, cycle, text, record != nullptr ? text_of(*record) : ""};
    }
}

void Golden::compared(std::uint64_t number, const Record &record, Cycle cycle, const std::string &text) {
    ++result_.answers[operation_of(record)];
    if (!text.empty()) {
        differs(number, &record, cycle, text);
    }
}

std::unique_ptr<Golden> make_golden(Part part, const Config &config) {
    switch (part) {
    case Part::kBru:
        return make_golden_bru(config);
    case Part::kBcu:
        return make_golden_bcu(config);
    case Part::kTimer:
        return make_golden_timer(config);
    case Part::kShared:
        break;
    }
    return make_golden_shared(config);
}

ReplayResult replay_into_golden(const File &file, const Config &config, std::span<const Part> parts) {
    ReplayResult result;
    for (const Part part : parts) {
        if (part == Part::kBru && config.jitter.seed != 0 && config.bru.pipelines < config.sm.sub_partitions) {
            throw InputError(file.name() + ": with bru.pipelines and jitter.seed the rules of bru cannot know in which "
                                           "cycle an instruction has started; expected a replay into parts");
        }
        const std::unique_ptr<Golden> rules = make_golden(part, config);
        SequenceCheck check(config, part);
        RecordStream stream = file.stream(part);
        while (!rules->difference()) {
            const std::optional<Record> record = stream.next();
            if (!record) {
                rules->finish(file.last());
                break;
            }
            if (const auto error = check.error(*record)) {
                throw InputError(fmt::format("{}: {} {}: {}", file.name(), part_name(part), stream.number(), *error));
            }
            rules->take(*record, stream.number());
        }
        result.parts.push_back(rules->result());
        result.difference = rules->difference();
        if (result.difference) {
            break;
        }
    }
    return result;
}

} // namespace smsim::cosim::transactions
