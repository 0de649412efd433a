#include "tb/fuzz/programs/stack_emitter.h"

#include <algorithm>

namespace smsim::fuzz {

// R37: the exit path of a thread that leaves several constructs; 0 if there is none.

std::string StackEmitter::inverse(const std::string &predicate) {
    return predicate.starts_with("!") ? predicate.substr(1) : "!" + predicate;
}

std::string StackEmitter::both(const std::string &guard, const std::string &second) {
    const std::string first = guard.empty() ? "PT" : guard.substr(1, guard.size() - 2);
    if (second.empty()) {
        return first;
    }
    const std::string other = second.substr(0, second.size() - 2);
    if (first == "PT") {
        return other;
    }
    out_.line("PSETP.AND.AND P6, PT, {}, {}, PT", first, other);
    return "P6";
}

std::string StackEmitter::or_agreed(const std::string &predicate, std::uint32_t raw) {
    if (raw % 12 > 1) {
        return predicate;
    }
    agreed_guard(raw % 12 == 0);
    return "P6";
}

std::uint32_t StackEmitter::way_to(std::size_t index, bool for_next) {
    return static_cast<std::uint32_t>(2 * (index + 1) + (for_next ? 1 : 0));
}

void StackEmitter::enter(Construct construct) {
    construct.scope = scopes_.size();
    open(construct);
    constructs_.push_back(std::move(construct));
}

void StackEmitter::close(std::uint32_t raw) {
    const std::size_t index = constructs_.size() - 1;
    arrive_at_end(index, raw);
    const Construct closed = std::move(constructs_.back());
    constructs_.pop_back();
    out_.place(closed.end);
    go_on(closed.passing, index);
}

/// After construct number `closed`: a thread on an exit path ends it here or leaves the enclosing construct.
void StackEmitter::go_on(const std::set<std::uint32_t> &passing, std::size_t closed) {
    std::set<std::uint32_t> others = passing;
    if (others.erase(way_to(closed, false)) != 0) {
        out_.line("ISETP.EQ.AND P5, PT, R37, {:#x}, PT", way_to(closed, false));
        out_.instruction("@P5 ", "MOV R37, RZ");
    }
    if (others.empty()) {
        return;
    }
    if (constructs_.empty()) { // only the end of the program is that far out
        out_.line("ISETP.NE.AND P5, PT, R37, RZ, PT");
        end_threads({"P5"}, Node{});
        return;
    }
    const std::size_t around = constructs_.size() - 1;
    if (others.erase(way_to(around, true)) != 0) {
        out_.line("ISETP.EQ.AND P5, PT, R37, {:#x}, PT", way_to(around, true));
        out_.instruction("@P5 ", "MOV R37, RZ");
        leave(around, {"P5"}, true, 0);
    }
    if (!others.empty()) {
        out_.line("ISETP.NE.AND P5, PT, R37, RZ, PT");
        leave(around, {"P5"}, false, 0);
        constructs_[around].passing.insert(others.begin(), others.end());
    }
}

void StackEmitter::leave_on(std::uint32_t way, const Condition &condition, std::uint32_t raw) {
    out_.instruction(condition.predicate == "PT" ? "" : "@" + condition.predicate + " ",
                     fmt::format("MOV R37, {:#x}", way));
    out_.line("ISETP.NE.AND P5, PT, R37, RZ, PT");
    constructs_.back().passing.insert(way);
    leave(constructs_.size() - 1, {"P5"}, false, raw);
}

void StackEmitter::branch_if(const Node &node) {
    const auto &p = node.p;
    if (node.blocks.empty()) {
        return;
    }
    Scope then;
    Scope otherwise;
    const auto [condition, also] = part_if(node, then, otherwise);
    // Uniform if possible, otherwise per thread: both by the same condition.
    const bool uniform_first = p[5] % 12 == 0;
    const bool known = p[0] % 5 < 3 || uniform_first;
    const std::string predicate = both(condition, also);
    const std::string other = out_.new_label();
    const std::string end = out_.new_label();
    const bool has_else = node.blocks.size() > 1;
    const std::uint32_t kind = p[3] % 8;
    enter({.end = end, .next = {}, .keeps = kind == 0 ? Keeps::kBreak : kind == 1 ? Keeps::kContinue : Keeps::kSync});
    if (uniform_first) {
        unanimous(other, "@" + predicate + " ", "", p[5] >> 8);
    }
    // Code that only diverged threads reach must have no lasting effects, such as on condition flags.
    branch(other, {predicate, known, p[0] % 5 == 2}, uniform_first ? p[4] - p[4] % 5 : p[4]);
    block(node.blocks[0], then);
    if (has_else) {
        leave(constructs_.size() - 1, {"PT"}, false, p[5]);
        out_.place(other);
        block(node.blocks[1], otherwise);
    } else {
        out_.place(other);
    }
    close(p[5] >> 4);
    if (together_possible() && (p[4] >> 8) % 4 == 0) {
        meet(here().lanes, p[4] >> 12);
    }
}

void StackEmitter::loop(const Node &node) {
    const auto &p = node.p;
    Scope body;
    const std::string counter = begin_loop(node, body);
    if (counter.empty()) {
        return;
    }
    if (p[0] % 3 != 0 && here().depth == 0 && p[1] % 12 == 0) {
        out_.line("MOV {}, R8", counter); // threads leave one by one: the deepest stack
    }
    const std::string head = out_.new_label();
    const bool test_first = p[3] % 2 == 0;
    enter({.end = out_.new_label(), .next = out_.new_label(), .keeps = p[2] % 3 == 0 ? Keeps::kSync : Keeps::kBreak});
    out_.place(head);
    const std::size_t index = constructs_.size() - 1;
    if (test_first) {
        out_.line("ISETP.LE.AND P4, PT, {}, RZ, PT", counter);
        leave(index, {"P4"}, false, p[4]);
    }
    begin_turn(constructs_[index], p[2] >> 4);
    block(node.blocks[0], body);
    end_turn(constructs_[index]);
    out_.line("IADD3 {0}, {0}, -0x1, RZ", counter);
    if (test_first) {
        go(head, p[5]);
    } else if (constructs_[index].keeps == Keeps::kSync) {
        branch_while(head, counter, p[0] % 3 == 0, p[5]);
    } else {
        out_.line("ISETP.LE.AND P4, PT, {}, RZ, PT", counter);
        leave(index, {"P4"}, false, p[4]);
        go(head, p[5]);
    }
    close(p[4] >> 4);
}

void StackEmitter::jump_table(const Node &node) {
    const auto &p = node.p;
    const std::size_t cases = node.blocks.size();
    if (cases == 0) {
        return;
    }
    Scope scope = here();
    scope.exact = false;
    ++scope.depth;
    std::vector<std::string> labels;
    for (std::size_t i = 0; i < cases; ++i) {
        labels.push_back(out_.new_label());
    }
    enter({.end = out_.new_label(), .next = {}, .keeps = p[0] % 8 == 0 ? Keeps::kBreak : Keeps::kSync});
    const std::string predicate = both(p[2] % 4 == 0 ? "@" + Emitter::predicate(p[2] >> 4) + " " : "", second(p[3]));
    out_.line("LOP3 R24, {}, 0x3, RZ, 0xc0", source(p[1]));
    table(labels, source(p[1]), predicate, node);
    for (std::size_t i = 0; i < cases; ++i) {
        out_.place(labels[i]);
        block(node.blocks[i], scope);
        if (i + 1 < cases && (p[4] >> i) % 4 != 0) {
            leave(constructs_.size() - 1, {"PT"}, false, p[5] >> i);
        }
    }
    close(p[5] >> 8);
}

void StackEmitter::either(const Node &node) {
    const auto &p = node.p;
    if (node.blocks.empty()) {
        return;
    }
    Scope scope = here();
    scope.exact = false;
    ++scope.depth;
    const std::string other = out_.new_label();
    enter({.end = out_.new_label(), .next = {}});
    unanimous(other, guard(p[4]), second(p[5]), p[1]);
    block(node.blocks[0], scope);
    leave(constructs_.size() - 1, {"PT"}, false, p[5] >> 8);
    out_.place(other);
    block(node.blocks[0], scope);
    close(p[5] >> 12);
}

void StackEmitter::call(const Node &node) {
    const auto &p = node.p;
    const auto count = static_cast<unsigned>(tree_.functions.size());
    if (function_ >= count) {
        return;
    }
    const unsigned index = function_ + p[0] % (count - function_);
    called_[index] = true;
    const std::string guarded = p[2] % 4 == 0 ? "@" + predicate(p[2] >> 4) + " " : "";
    call_function(index, or_agreed(both(guarded, second(p[3])), p[5] >> 8), node);
}

void StackEmitter::break_out(const Node &node) {
    const auto &p = node.p;
    if (constructs_.empty()) {
        return;
    }
    const std::size_t target = constructs_.size() - 1 - p[0] % constructs_.size();
    const std::string predicate = or_agreed(both("@" + Emitter::predicate(p[1]) + " ", second(p[3])), p[4] >> 8);
    const bool for_next = constructs_[target].turns && p[5] % 2 == 0;
    if (leaves_directly(target, for_next) && (target + 1 == constructs_.size() || p[2] % 2 == 0)) {
        leave(target, {predicate}, for_next, p[4]);
    } else {
        leave_on(way_to(target, for_next), {predicate}, p[4]);
    }
    for (std::size_t i = constructs_[target].scope; i < scopes_.size(); ++i) {
        scopes_[i].exact = false;
    }
}

void StackEmitter::exit(const Node &node) {
    const auto &p = node.p;
    if (in_function_) {
        return leave_function({or_agreed(both("@" + predicate(p[1]) + " ", second(p[3])), p[4])});
    }
    const std::string condition = exit_condition(node);
    const std::string also = p[3] % 3 == 0 ? predicate(p[3] >> 4) + ", " : "";
    // A place that some threads reach, sometimes all of them.
    const bool all = (here().lanes != kAllLanes || !here().exact) && (p[4] >> 8) % 6 == 0;
    end_threads({all ? "PT" : both(condition, also)}, node);
    exits_ = true;
}

/// After a meeting the result of .U is known.
void StackEmitter::known_branch(const Node &node) {
    const auto &p = node.p;
    if (!together_possible()) {
        return;
    }
    const std::string guarded = known_guard(node);
    const std::string target = out_.new_label();
    meet(here().lanes, p[2] >> 4);
    unanimous(target, guarded, p[4] % 5 == 0 ? predicate(p[4] >> 4) + ", " : "", p[0]);
    out_.line("IADD3 {0}, {0}, {1:#x}, RZ", data(p[3]), 1 + p[5] % 1000);
    out_.place(target);
}

void StackEmitter::part_barrier(const Node &node) {
    const auto &p = node.p;
    if (!whole_cta() || exits_) {
        return;
    }
    const std::uint32_t lanes = p[0] | 1U;
    meet(kAllLanes, p[2]);
    lanes_to_p4(lanes);
    enter({.end = out_.new_label(), .next = {}});
    const std::size_t index = constructs_.size() - 1;
    if (others_may_work()) {
        const std::string part = out_.new_label();
        branch(part, {"P4"}, p[3]);
        out_.line("IMAD {0}, {0}, {0}, R9", data(p[1] >> 4));
        if (p[1] % 4 == 0) {
            out_.line("NANOSLEEP {:#x}", 200 + p[1] % 1000);
        }
        leave(index, {"PT"}, false, p[3] >> 5);
        out_.place(part);
    } else {
        leave(index, {"!P4"}, false, p[3]);
    }
    meet(lanes, p[5]);
    part_arrival(node);
    close(p[3] >> 8);
    meet(kAllLanes, p[2] >> 4);
    // Warps that have not waited may be far ahead: no warp uses that barrier again before all have finished with it
    // here.
    arrive_all((p[4] + 1) % 16, p[5] >> 16);
}

void StackEmitter::arrive_by_parity(std::uint32_t id, std::uint32_t lanes, const Node &node) {
    const std::string skip = out_.new_label();
    const std::string after = out_.new_label();
    unanimous(skip, "@!P4 ", "", node.p[5]);
    arrival_by_parity(id, lanes, node, true);
    go(after, node.p[5] >> 12);
    out_.place(skip);
    arrival_by_parity(id, lanes, node, false);
    out_.place(after);
}

void StackEmitter::repeat(const std::string &label) {
    unanimous(label, "@P5 ", "", 0);
}

} // namespace smsim::fuzz
