#include "report/functional_run.h"

#include <initializer_list>

namespace smsim::report {
namespace {

using Json = nlohmann::ordered_json;

void leave_out(Json &object, std::initializer_list<const char *> members) {
    for (const char *member : members) {
        object.erase(member);
    }
}

void leave_out_each(Json &list, std::initializer_list<const char *> members) {
    for (Json &object : list) {
        leave_out(object, members);
    }
}

} // namespace

void leave_out_times(Json &json) {
    leave_out(json, {"validation", "verdict", "microseconds", "ipc", "warp_cycles", "stalls", "no_instruction",
                     "states", "sub_partitions", "fetch", "occupancy", "over_time", "utilisation", "roofline",
                     "latencies", "metrics", "hazards"});
    json["cycles"] = nullptr;
    if (Json &raised = json["run"]["raised"]; raised.is_object()) {
        leave_out(raised, {"issued", "issued_since"});
        raised["cycle"] = nullptr;
    }
    Json &instructions = json["instructions"];
    leave_out(instructions, {"top"});
    leave_out_each(instructions["all"], {"warp_cycles", "stalls", "waits_for", "memory"});
    leave_out(json["branch_unit"], {"busy_cycles", "measured"});
    Json &barriers = json["barrier_unit"]["barriers"];
    leave_out_each(barriers, {"wait_cycles", "imbalance_cycles", "imbalance_mean", "imbalance_max"});
    for (Json &barrier : barriers) {
        leave_out_each(barrier["warps"], {"last_arrivals", "wait_cycles"});
    }
    Json &memory = json["memory"];
    leave_out(memory, {"shared", "l1", "global", "l2"});
    leave_out(memory["load_store"],
              {"transactions_shared", "transactions_global", "moved_global_bytes", "coalescing", "constant_misses"});
    leave_out_each(json["warps"], {"start", "end", "stalls", "states"});
    for (Json &place : json["memory_check"]["list"]) {
        place["cycle"] = nullptr;
    }
}

} // namespace smsim::report
