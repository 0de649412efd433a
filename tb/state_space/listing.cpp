// Labels, text, and post-dominators.
#include "tb/state_space/listing.h"

#include <bitset>
#include <iterator>
#include <map>

#include "model/error.h"

namespace smsim::state_space {
namespace {

constexpr std::size_t kMostLines = 512; // of a kernel or function
using Lines = std::bitset<kMostLines>;

} // namespace

Listing::Label Listing::label() {
    places_.push_back(0);
    return places_.size() - 1;
}

std::string Listing::text() const {
    std::string written;
    for (std::size_t i = 0; i <= lines_.size(); ++i) {
        for (Label label = 0; label < places_.size(); ++label) {
            if (places_[label] == i) {
                fmt::format_to(std::back_inserter(written), "l{}:\n", label);
            }
        }
        if (i < lines_.size()) {
            const Line &one = lines_[i];
            fmt::format_to(std::back_inserter(written), "    {}{};\n", one.text,
                           one.target ? fmt::format("l{}", *one.target) : "");
        }
    }
    return written;
}

/// For each line after `begin`: among the other lines that every path from it passes, the nearest.
std::vector<std::size_t> Listing::immediate_post_dominators(std::size_t begin) const {
    const std::size_t size = lines_.size() - begin;
    if (size > kMostLines) {
        throw InputError(fmt::format("search: a function of {} lines; expected at most {}", size, kMostLines));
    }
    std::vector<Lines> passed(size, Lines().set()); // on every path, including the line itself
    passed.back() = Lines().set(size - 1);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = size - 1; i-- > 0;) {
            const Line &one = lines_[begin + i];
            Lines behind = one.flow == Flow::kJump ? Lines().set() : passed[i + 1];
            if (one.flow == Flow::kBranch || one.flow == Flow::kJump) {
                behind &= passed[places_[*one.target] - begin];
            }
            behind.set(i);
            changed = changed || behind != passed[i];
            passed[i] = behind;
        }
    }
    std::vector<std::size_t> nearest(size);
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t other = 0; other < size; ++other) {
            if (other != i && passed[i].test(other) && passed[other].count() + 1 == passed[i].count()) {
                nearest[i] = other;
            }
        }
    }
    return nearest;
}

void Listing::reconverge(std::size_t begin) {
    const std::vector<std::size_t> join_of = immediate_post_dominators(begin);
    const std::vector<Line> before(lines_.begin() + static_cast<std::ptrdiff_t>(begin), lines_.end());
    std::map<std::size_t, Label> joins; // by line
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i].flow == Flow::kBranch && !joins.contains(join_of[i])) {
            joins.emplace(join_of[i], label());
        }
    }
    lines_.resize(begin);
    std::vector<std::size_t> moved;
    for (std::size_t i = 0; i < before.size(); ++i) {
        moved.push_back(lines_.size());
        if (joins.contains(i)) {
            line("JOIN");
        }
        if (before[i].flow == Flow::kBranch) {
            to(Flow::kOn, "SETRPC ", joins.at(join_of[i]));
        }
        lines_.push_back(before[i]);
    }
    for (std::size_t &place : places_) {
        place = place < begin ? place : moved[place - begin];
    }
    for (const auto &[place, label] : joins) {
        places_[label] = moved[place];
    }
}

} // namespace smsim::state_space
