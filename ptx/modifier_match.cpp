// Matches modifiers with the slots of a form, and defines what the words in capitals of the table stand for.
#include <algorithm>
#include <array>

#include "ptx/instruction_table.h"

namespace smsim::ptx {

namespace {

struct Word {
    std::string_view name;
    std::string_view choices;
};
constexpr std::array kWords = {
    Word{"INT", "u16|u32|u64|s16|s32|s64"},
    Word{"HALF", "f16|f16x2"},
    Word{"BRAIN", "bf16|bf16x2"},
    Word{"INT3264", "u32|u64|s32|s64"},
    Word{"ALLINT", "u8|u16|u32|u64|s8|s16|s32|s64"},
    Word{"BITS", "b16|b32|b64"},
    Word{"ANY", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"},
    Word{"MEM", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    Word{"RND", "rn|rz|rm|rp"},
    Word{"RNI", "rni|rzi|rmi|rpi"},
    Word{"BITCMP", "eq|ne"},
    Word{"SCMP", "eq|ne|lt|le|gt|ge"},
    Word{"UCMP", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"},
    Word{"FCMP", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    Word{"SINT", "s16|s32|s64"},
    Word{"UINT", "u16|u32|u64"},
    Word{"BOOL", "and|or|xor"},
    Word{"SPACE", "const|global|local|shared|shared::cta|param"},
    Word{"LDSPACE", "const|global|local|param|param::entry|param::func|shared|shared::cta"},
    Word{"STSPACE", "global|local|param|param::func|shared|shared::cta"},
    Word{"ATSPACE", "global|shared|shared::cta"},
    Word{"LDCACHE", "ca|cg|cs|lu|cv"},
    Word{"STCACHE", "wb|cg|cs|wt"},
    Word{"EVICT", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    Word{"FETCH", "L2::64B|L2::128B|L2::256B"},
    Word{"VEC", "v2|v4"},
    Word{"SCOPE", "cta|gpu|sys"},
    Word{"SEM", "relaxed|acquire|release|acq_rel"},
};

/// Cuts the text before the first `separator` off `rest` and returns it.
std::string_view cut(std::string_view &rest, char separator) {
    const std::size_t at = rest.find(separator);
    const std::string_view head = rest.substr(0, at);
    rest = at == std::string_view::npos ? std::string_view() : rest.substr(at + 1);
    return head;
}

bool chosen(std::string_view choices, std::string_view modifier) {
    while (!choices.empty()) {
        const std::string_view choice = cut(choices, '|');
        const auto word = std::ranges::find(kWords, choice, &Word::name);
        if (word == kWords.end() ? choice == modifier : chosen(word->choices, modifier)) {
            return true;
        }
    }
    return false;
}

bool match_slots(std::string_view slots, std::span<const std::string> modifiers, std::vector<Type> &types) {
    if (slots.empty()) {
        return modifiers.empty();
    }
    std::string_view rest = slots;
    std::string_view slot = cut(rest, ' ');
    if (slot == "*") {
        return true;
    }
    const bool optional = slot.ends_with('?');
    slot.remove_suffix(optional ? 1 : 0);
    const bool typed = slot.starts_with(':');
    slot.remove_prefix(typed ? 1 : 0);
    if (!modifiers.empty() && chosen(slot, modifiers.front())) {
        const std::size_t known = types.size();
        if (typed) {
            types.push_back(*find_type(modifiers.front()));
        }
        if (match_slots(rest, modifiers.subspan(1), types)) {
            return true;
        }
        types.resize(known);
    }
    return optional && match_slots(rest, modifiers, types);
}

/// True for a slot whose word chooses the instruction: it and all before it keep their positions (mul.lo.u32,
/// bar.red).
bool keeps_its_place(std::string_view slot) {
    constexpr std::array<std::string_view, 10> kLeading = {"hi|lo", "lo|hi", "hi",   "wide", "cta?",
                                                           "red",   "pack",  "warp", "to",   "l|r"};
    return std::ranges::find(kLeading, slot) != kLeading.end();
}

/// Modifiers in other orders than that of the slots.
class AnyOrder {
  public:
    AnyOrder(const std::vector<std::string> &modifiers, std::vector<Type> &types)
        : modifiers_(modifiers), types_(types), used_(modifiers.size()) {}

    /// True when every modifier from `first` on has its own slot and no slot lacks a required one. The types keep
    /// their order: the next one is at `next_type` or later.
    bool match(std::string_view slots, std::size_t first, std::size_t next_type) {
        if (slots.empty()) {
            return std::find(used_.begin() + static_cast<std::ptrdiff_t>(first), used_.end(), false) == used_.end();
        }
        std::string_view rest = slots;
        std::string_view slot = cut(rest, ' ');
        const bool optional = slot.ends_with('?');
        slot.remove_suffix(optional ? 1 : 0);
        const bool typed = slot.starts_with(':');
        slot.remove_prefix(typed ? 1 : 0);
        for (std::size_t at = typed ? std::max(first, next_type) : first; at < modifiers_.size(); ++at) {
            if (used_[at] || !chosen(slot, modifiers_[at])) {
                continue;
            }
            used_[at] = true;
            if (typed) {
                types_.push_back(*find_type(modifiers_[at]));
            }
            if (match(rest, first, typed ? at + 1 : next_type)) {
                return true;
            }
            if (typed) {
                types_.pop_back();
            }
            used_[at] = false;
        }
        return optional && match(rest, first, next_type);
    }

  private:
    const std::vector<std::string> &modifiers_;
    std::vector<Type> &types_;
    std::vector<bool> used_;
};

/// Matches what assemblers accept beside the order of the slots: those that choose the instruction first, all others
/// in any order.
bool match_any_order(std::string_view slots, const std::vector<std::string> &modifiers, std::vector<Type> &types) {
    std::string_view rest = slots;
    std::size_t first = 0;
    while (!rest.empty() && keeps_its_place(rest.substr(0, rest.find(' ')))) {
        std::string_view slot = cut(rest, ' ');
        const bool optional = slot.ends_with('?');
        slot.remove_suffix(optional ? 1 : 0);
        if (first < modifiers.size() && chosen(slot, modifiers[first])) {
            ++first;
        } else if (!optional) {
            return false;
        }
    }
    const auto slots_left = static_cast<std::size_t>(std::ranges::count(rest, ' ') + (rest.empty() ? 0 : 1));
    return modifiers.size() - first <= slots_left && AnyOrder(modifiers, types).match(rest, first, first);
}

} // namespace

bool match_modifiers(const InstructionForm &form, const std::vector<std::string> &modifiers, std::vector<Type> &types) {
    types.clear();
    if (match_slots(form.modifiers, modifiers, types)) {
        return true;
    }
    types.clear();
    return modifiers.size() > 1 && !form.modifiers.ends_with('*') && match_any_order(form.modifiers, modifiers, types);
}

std::string_view modifier_among(std::string_view choices, const std::vector<std::string> &modifiers) {
    const auto found = std::ranges::find_if(modifiers, [&](const std::string &one) { return chosen(choices, one); });
    return found == modifiers.end() ? std::string_view() : std::string_view(*found);
}

std::string describe_forms(std::string_view opcode) {
    std::string text;
    for (const InstructionForm &form : forms_of(opcode)) {
        text += (text.empty() ? "'" : " or '") + std::string(opcode);
        for (std::string_view rest = form.modifiers; !rest.empty();) {
            std::string_view slot = cut(rest, ' ');
            slot.remove_prefix(slot.starts_with(':') ? 1 : 0);
            const bool optional = slot.ends_with('?');
            slot.remove_suffix(optional ? 1 : 0);
            text += optional ? "[." + std::string(slot) + "]" : "." + std::string(slot);
        }
        text += "'";
    }
    return text;
}

} // namespace smsim::ptx
