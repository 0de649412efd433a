#include "tb/ptx_differential/variants.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace smsim::ptx_differential {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 28> kLists = {{
    {"INT", "u16|u32|u64|s16|s32|s64"},
    {"INT3264", "u32|u64|s32|s64"},
    {"ALLINT", "u8|u16|u32|u64|s8|s16|s32|s64"},
    {"BITS", "b16|b32|b64"},
    {"ANY", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"},
    {"MEM", "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    {"RND", "rn|rz|rm|rp"},
    {"RNI", "rni|rzi|rmi|rpi"},
    {"BITCMP", "eq|ne"},
    {"SCMP", "eq|ne|lt|le|gt|ge"},
    {"UCMP", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"},
    {"FCMP", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"SINT", "s16|s32|s64"},
    {"UINT", "u16|u32|u64"},
    {"BOOL", "and|or|xor"},
    {"SPACE", "const|global|local|shared|shared::cta|param"},
    {"LDSPACE", "const|global|local|param|param::entry|param::func|shared|shared::cta"},
    {"STSPACE", "global|local|param|param::func|shared|shared::cta"},
    {"ATSPACE", "global|shared|shared::cta"},
    {"LDCACHE", "ca|cg|cs|lu|cv"},
    {"STCACHE", "wb|cg|cs|wt"},
    {"EVICT", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {"FETCH", "L2::64B|L2::128B|L2::256B"},
    {"VEC", "v2|v4"},
    {"SCOPE", "cta|gpu|sys"},
    {"SEM", "relaxed|acquire|release|acq_rel"},
    {"HALF", "f16|f16x2"},
    {"BRAIN", "bf16|bf16x2"},
}};

/// Slots that do not change the result of a single thread.
constexpr std::array<std::string_view, 10> kHints = {"weak",  "SEM",   "SCOPE", "LDCACHE",         "STCACHE",
                                                     "EVICT", "FETCH", "cta",   "relaxed|release", "uni"};

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t at = text.find(separator);
        parts.push_back(text.substr(0, at));
        text = at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
    }
    return parts;
}

std::string_view bare(std::string_view slot) {
    slot.remove_suffix(slot.ends_with('?') ? 1 : 0);
    slot.remove_prefix(slot.starts_with(':') ? 1 : 0);
    return slot;
}

bool is_space(std::string_view word) {
    constexpr std::array<std::string_view, 5> kSpaces = {"const", "global", "local", "param", "shared"};
    return std::ranges::find(kSpaces, word.substr(0, word.find("::"))) != kSpaces.end();
}

/// The possible words of one slot; the empty word means "left out".
struct Slot {
    std::vector<std::string> words;
    bool hint = false;
};

std::vector<Slot> expanded(const ptx::InstructionForm &form) {
    std::vector<Slot> slots;
    bool space_seen = false;
    for (const std::string_view text : slots_of(form)) {
        Slot slot;
        slot.words = choices_of(text);
        slot.hint = std::ranges::find(kHints, bare(text)) != kHints.end();
        const bool space = !slot.words.empty() && is_space(slot.words.front());
        slot.hint = slot.hint || (space && space_seen);
        space_seen = space_seen || space;
        if (text.ends_with('?')) {
            slot.words.insert(slot.words.begin(), "");
        }
        slots.push_back(std::move(slot));
    }
    return slots;
}

Variant variant_of(const ptx::InstructionForm &form, const std::vector<std::string> &words) {
    Variant variant;
    variant.form = &form;
    std::ranges::copy_if(words, std::back_inserter(variant.modifiers), [](const auto &word) { return !word.empty(); });
    match_modifiers(form, variant.modifiers, variant.types);
    return variant;
}

/// Appends the variant unless PTX excludes it or the list has it already.
void keep(std::vector<Variant> &variants, Variant variant) {
    const bool known =
        std::ranges::any_of(variants, [&](const Variant &one) { return one.modifiers == variant.modifiers; });
    if (!known && excluded_by(variant).empty()) {
        variants.push_back(std::move(variant));
    }
}

} // namespace

bool Variant::has(std::string_view modifier) const {
    return std::ranges::find(modifiers, modifier) != modifiers.end();
}

std::string Variant::name() const {
    std::string text(form->opcode);
    for (const std::string &modifier : modifiers) {
        text += '.';
        text += modifier;
    }
    return text;
}

bool is_covered(const ptx::InstructionForm &form) {
    return ptx::covers_row(form.row) && form.modifiers != "*";
}

std::vector<std::string> choices_of(std::string_view slot) {
    std::vector<std::string> words;
    for (const std::string_view choice : split(bare(slot), '|')) {
        const auto list = std::ranges::find(kLists, choice, [](const auto &entry) { return entry.first; });
        for (const std::string_view word : split(list == kLists.end() ? choice : list->second, '|')) {
            words.emplace_back(word);
        }
    }
    return words;
}

std::vector<std::string_view> slots_of(const ptx::InstructionForm &form) {
    return split(form.modifiers, ' ');
}

std::vector<std::string_view> operand_words(const ptx::InstructionForm &form) {
    return split(form.operands, ' ');
}

std::string_view excluded_by(const Variant &variant) {
    const auto is_float = [&](std::size_t i, std::string_view name) {
        return i < variant.types.size() && variant.types[i].name == name;
    };
    const std::string_view opcode = variant.form->opcode;
    const bool compares = opcode == "set" || opcode == "slct";
    const bool single = compares ? is_float(1, "f32") : is_float(0, "f32") || is_float(1, "f32");
    const std::size_t operand = compares ? 1 : 0;
    const bool half =
        opcode != "cvt" && (is_float(operand, "f16") || is_float(operand, "f16x2") || (opcode == "ex2" && !single));
    const bool coarse = variant.has("approx") && is_float(0, "f64");
    if (variant.has("ftz") && !half && !single && !coarse) {
        return ".ftz is for single and half precision, of cvt for single precision";
    }
    if (variant.has("xorsign") != variant.has("abs") && (opcode == "min" || opcode == "max")) {
        return ".xorsign and .abs stand together";
    }
    if (variant.has("v4") && !variant.types.empty() && variant.types[0].bits == 64) {
        return "vectors have 128 bits at most";
    }
    if (opcode == "cvta" && variant.types[0].bits == 32) {
        return "addresses have 64 bits";
    }
    if (std::ranges::count_if(variant.modifiers, is_space) > 1) {
        return "one state space";
    }
    constexpr std::array<std::string_view, 4> kOrders = {"relaxed", "acquire", "release", "acq_rel"};
    if (std::ranges::count_if(variant.modifiers, [&](const std::string &word) {
            return std::ranges::find(kOrders, word) != kOrders.end();
        }) > 1) {
        return "one memory order";
    }
    return "";
}

std::vector<Variant> variants_of(const ptx::InstructionForm &form) {
    const std::vector<Slot> slots = expanded(form);
    std::vector<std::vector<std::string>> products = {{}};
    for (const Slot &slot : slots) {
        std::vector<std::vector<std::string>> longer;
        for (const auto &product : products) {
            const std::size_t count = slot.hint ? 1 : slot.words.size();
            for (std::size_t i = 0; i < count; ++i) {
                longer.push_back(product);
                longer.back().push_back(slot.words[i]);
            }
        }
        products = std::move(longer);
    }
    std::vector<Variant> variants;
    for (const auto &product : products) {
        keep(variants, variant_of(form, product));
    }
    std::size_t turn = 0;
    for (std::size_t at = 0; at < slots.size(); ++at) {
        for (std::size_t word = 1; slots[at].hint && word < slots[at].words.size(); ++word) {
            const std::size_t before = variants.size();
            // Some combinations exclude the hint (a second state space): the next one that does not is used.
            for (std::size_t tries = 0; tries < products.size() && variants.size() == before; ++tries) {
                std::vector<std::string> words = products[turn++ * 7 % products.size()];
                words[at] = slots[at].words[word];
                keep(variants, variant_of(form, words));
            }
        }
    }
    return variants;
}

const std::vector<Variant> &cached_variants(const ptx::InstructionForm &form) {
    static std::map<const ptx::InstructionForm *, std::vector<Variant>> known;
    const auto [entry, fresh] = known.try_emplace(&form);
    if (fresh) {
        entry->second = variants_of(form);
    }
    return entry->second;
}

} // namespace smsim::ptx_differential
