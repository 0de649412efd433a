// Latencies between dependent instructions, from the latencies of the pipes (sm.md Control fields).
#include "model/timing/dependence.h"

#include <algorithm>

#include "model/config/config.h"

namespace smsim::timing {
namespace {

using isa::Dependences;
using isa::Instruction;
using isa::OpFlag;

bool overlap(Dependences::Range a, Dependences::Range b) {
    return a.count != 0 && b.count != 0 && a.first < b.first + b.count && b.first < a.first + a.count;
}

bool reads_register(const Dependences &deps, Dependences::Range range) {
    return std::any_of(deps.reads.begin(), deps.reads.begin() + deps.read_count,
                       [&](Dependences::Range read) { return overlap(read, range); });
}

bool reads_uniform(const Dependences &deps, Dependences::Range range) {
    return std::any_of(deps.uniform_reads.begin(), deps.uniform_reads.begin() + deps.uniform_read_count,
                       [&](Dependences::Range read) { return overlap(read, range); });
}

bool writes_anything(const Dependences &deps) {
    return deps.write.count != 0 || deps.uniform_write.count != 0 || deps.predicate_writes != 0;
}

} // namespace

SchedulingModel::SchedulingModel(const Config &config)
    : pipes(config), branch_cycles(config.bru.branch_latency), sync_cycles(config.bru.sync_latency) {}

unsigned control_cycles(const SchedulingModel &model, const Instruction &insn) {
    switch (insn.op) {
    case isa::Op::kBra:
        return model.branch_cycles;
    case isa::Op::kBsync:
    case isa::Op::kWarpsync:
        return model.sync_cycles;
    default:
        return 1;
    }
}

bool needs_write_scoreboard(const Instruction &insn) {
    return insn.spec().has(OpFlag::kVariable) && writes_anything(isa::dependences_of(insn));
}

bool needs_read_scoreboard(const Instruction &insn) {
    if (!pipe_spec(insn.unit).reads_late) {
        return false;
    }
    const Dependences deps = isa::dependences_of(insn);
    return deps.read_count != 0 || deps.uniform_read_count != 0;
}

unsigned dependence_latency(const SchedulingModel &model, const Instruction &producer, const Instruction &consumer,
                            Carrier carrier) {
    if (producer.spec().has(OpFlag::kVariable)) {
        return 0;
    }
    const unsigned result = model.pipes.latency(producer);
    const PipeTiming &reader = model.pipes[consumer.unit];
    switch (carrier) {
    case Carrier::kUniform:
        return std::max(result, reader.uniform_in);
    case Carrier::kGuard:
        return reader.guard_in;
    case Carrier::kPredicateSource:
        return reader.predicate_in;
    case Carrier::kRegister:
        break;
    }
    return producer.unit == consumer.unit
               ? result
               : std::max({result, model.pipes[producer.unit].register_out, reader.register_in});
}

unsigned overwrite_latency(const SchedulingModel &model, const Instruction &producer, const Instruction &writer) {
    if (producer.spec().has(OpFlag::kVariable)) {
        return 0;
    }
    const unsigned first = model.pipes.latency(producer);
    if (writer.spec().has(OpFlag::kVariable)) {
        return first;
    }
    const unsigned second = model.pipes.latency(writer);
    return first >= second ? first - second + 1 : 0;
}

unsigned uniform_settle_latency(const SchedulingModel &model, const Instruction &producer) {
    if (producer.spec().has(OpFlag::kVariable) || isa::dependences_of(producer).uniform_write.count == 0) {
        return 0;
    }
    return std::max(model.pipes.latency(producer), model.pipes.slowest().uniform_in);
}

unsigned settle_latency(const SchedulingModel &model, const Instruction &producer) {
    if (producer.spec().has(OpFlag::kVariable)) {
        return 0;
    }
    const Dependences deps = isa::dependences_of(producer);
    const unsigned result = model.pipes.latency(producer);
    unsigned latency = uniform_settle_latency(model, producer);
    if (deps.write.count != 0) {
        latency =
            std::max({latency, result, model.pipes[producer.unit].register_out, model.pipes.slowest().register_in});
    }
    if (deps.predicate_writes != 0) {
        latency = std::max({latency, result, model.pipes.slowest().predicate_in});
    }
    return latency;
}

unsigned required_distance(const SchedulingModel &model, const Instruction &earlier, const Dependences &first,
                           const Instruction &later, const Dependences &second) {
    unsigned distance = 0;
    if (reads_register(second, first.write)) {
        distance = std::max(distance, dependence_latency(model, earlier, later, Carrier::kRegister));
    }
    if (reads_uniform(second, first.uniform_write)) {
        distance = std::max(distance, dependence_latency(model, earlier, later, Carrier::kUniform));
    }
    if ((second.guard_reads & first.predicate_writes) != 0) {
        distance = std::max(distance, dependence_latency(model, earlier, later, Carrier::kGuard));
    }
    if ((second.predicate_reads & first.predicate_writes) != 0) {
        distance = std::max(distance, dependence_latency(model, earlier, later, Carrier::kPredicateSource));
    }
    if (overlap(first.write, second.write) || overlap(first.uniform_write, second.uniform_write) ||
        (first.predicate_writes & second.predicate_writes) != 0) {
        distance = std::max(distance, overwrite_latency(model, earlier, later));
    }
    return distance;
}

bool touches_result(const Dependences &first, const Dependences &second) {
    return reads_register(second, first.write) || overlap(first.write, second.write) ||
           reads_uniform(second, first.uniform_write) || overlap(first.uniform_write, second.uniform_write) ||
           (first.predicate_writes & (second.predicate_reads | second.predicate_writes)) != 0;
}

bool overwrites_source(const Dependences &first, const Dependences &second) {
    return reads_register(first, second.write) || reads_uniform(first, second.uniform_write);
}

unsigned required_distance(const SchedulingModel &model, const Instruction &earlier, const Instruction &later) {
    return required_distance(model, earlier, isa::dependences_of(earlier), later, isa::dependences_of(later));
}

bool touches_result(const Instruction &earlier, const Instruction &later) {
    return touches_result(isa::dependences_of(earlier), isa::dependences_of(later));
}

bool overwrites_source(const Instruction &earlier, const Instruction &later) {
    return overwrites_source(isa::dependences_of(earlier), isa::dependences_of(later));
}

} // namespace smsim::timing
