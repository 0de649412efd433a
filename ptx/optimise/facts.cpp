#include "ptx/optimise/facts.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

namespace smsim::ptx::optimise {

using namespace machine;

namespace {

/// True when the operand specification accepts `operand`.
bool can_be(const isa::OperandSpec &spec, const Operand &operand) {
    using isa::Kind;
    const bool sign = (!operand.negated || spec.has(isa::kNegate)) && (!operand.absolute || spec.has(isa::kAbsolute));
    switch (operand.kind) {
    case OperandKind::kZero:
        return (spec.kind == Kind::kReg && sign) || spec.kind == Kind::kPredSrc || spec.kind == Kind::kPredDst;
    case OperandKind::kRegister:
        return spec.kind == Kind::kReg && sign && spec.has(isa::kWritten) == operand.defined;
    case OperandKind::kPredicate:
        return spec.kind == (operand.defined ? Kind::kPredDst : Kind::kPredSrc) ||
               (!operand.has_register() && !operand.negated && spec.kind == Kind::kPredDst);
    case OperandKind::kInteger:
        return !operand.negated && !operand.absolute &&
               (spec.kind == Kind::kInt || spec.kind == Kind::kUint || spec.kind == Kind::kFloat ||
                spec.kind == Kind::kFloat64);
    case OperandKind::kAddress:
        return spec.kind == Kind::kAddress;
    case OperandKind::kConstant:
        return (spec.kind == Kind::kConst && sign && !operand.has_register()) || spec.kind == Kind::kIndexed;
    case OperandKind::kText:
        return spec.kind == Kind::kSreg || spec.kind == Kind::kInt;
    default:
        return false;
    }
}

/// True when `operands` are those of the form, skipping its optional ones where they do not match.
bool matches(std::span<const isa::OperandSpec> form, std::span<const Operand> operands) {
    if (form.empty() || operands.empty()) {
        return operands.empty() &&
               std::ranges::all_of(form, [](const isa::OperandSpec &spec) { return spec.has(isa::kOptional); });
    }
    if (can_be(form.front(), operands.front()) && matches(form.subspan(1), operands.subspan(1))) {
        return true;
    }
    return form.front().has(isa::kOptional) && matches(form.subspan(1), operands);
}

bool changes_with_time(const Instruction &instruction) {
    return std::ranges::any_of(instruction.operands, [](const Operand &operand) {
        return operand.text.starts_with("SR_CLOCK") || operand.text.starts_with("SR_GLOBALTIMER");
    });
}

} // namespace

const isa::OpSpec *operation_of(std::string_view mnemonic) {
    static const std::unordered_map<std::string_view, const isa::OpSpec *> kByName = [] {
        std::unordered_map<std::string_view, const isa::OpSpec *> names;
        for (const isa::OpSpec &spec : isa::all_operations()) {
            names.emplace(spec.name, &spec); // of equal names, those of token_stack come last, and do not count
        }
        return names;
    }();
    const auto found = kByName.find(mnemonic.substr(0, mnemonic.find('.')));
    return found == kByName.end() ? nullptr : found->second;
}

bool is_operation(std::string_view mnemonic, std::string_view name) {
    return mnemonic.starts_with(name) && (mnemonic.size() == name.size() || mnemonic[name.size()] == '.');
}

bool has_modifier(std::string_view mnemonic, std::string_view word) {
    for (std::size_t at = mnemonic.find(word); at != std::string_view::npos; at = mnemonic.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if (end == mnemonic.size() || mnemonic[end] == '.') {
            return true;
        }
    }
    return false;
}

bool is_pure(const Instruction &instruction) {
    const isa::OpSpec *spec = operation_of(instruction.mnemonic);
    if (spec == nullptr || instruction.warp_wide || instruction.spins || instruction.moves_threads ||
        !instruction.uses.empty() || !instruction.defines.empty()) {
        return false;
    }
    switch (spec->op) {
    case isa::Op::kS2r:
        return !changes_with_time(instruction);
    case isa::Op::kLdc:
        return true;
    case isa::Op::kCs2r:
    case isa::Op::kP2r:
    case isa::Op::kR2p:
    case isa::Op::kVote:
    case isa::Op::kMatch:
    case isa::Op::kRedux:
        return false;
    default:
        return spec->unit == isa::Unit::kAlu || spec->unit == isa::Unit::kFma || spec->unit == isa::Unit::kXu ||
               spec->unit == isa::Unit::kFp64 || spec->unit == isa::Unit::kHalf;
    }
}

bool is_slow(const Instruction &instruction) {
    const isa::OpSpec *spec = operation_of(instruction.mnemonic);
    return spec != nullptr && spec->has(isa::kVariable);
}

bool has_form(const Instruction &instruction) {
    const isa::OpSpec *spec = operation_of(instruction.mnemonic);
    return spec != nullptr && std::ranges::any_of(spec->forms, [&](const isa::FormSpec &form) {
               return matches(form.operands, instruction.operands);
           });
}

bool is_comparison(std::string_view mnemonic) {
    return is_operation(mnemonic, "ISETP") || is_operation(mnemonic, "FSETP") || is_operation(mnemonic, "DSETP");
}

std::optional<std::string> opposite_comparison(const std::string &mnemonic) {
    using Names = std::pair<std::string_view, std::string_view>;
    constexpr std::array<Names, 6> kIntegers = {
        {{"LT", "GE"}, {"GE", "LT"}, {"GT", "LE"}, {"LE", "GT"}, {"EQ", "NE"}, {"NE", "EQ"}}};
    constexpr std::array<Names, 14> kFloats = {{{"LT", "GEU"},
                                                {"GEU", "LT"},
                                                {"GE", "LTU"},
                                                {"LTU", "GE"},
                                                {"GT", "LEU"},
                                                {"LEU", "GT"},
                                                {"LE", "GTU"},
                                                {"GTU", "LE"},
                                                {"EQ", "NEU"},
                                                {"NEU", "EQ"},
                                                {"NE", "EQU"},
                                                {"EQU", "NE"},
                                                {"NUM", "NAN"},
                                                {"NAN", "NUM"}}};
    const std::size_t begin = mnemonic.find('.') + 1;
    const std::size_t end = std::min(mnemonic.find('.', begin), mnemonic.size());
    const std::string_view name = std::string_view(mnemonic).substr(begin, end - begin);
    const auto with = [&](const auto &names) -> std::optional<std::string> {
        const auto *found = std::ranges::find(names, name, &Names::first);
        if (found == names.end()) {
            return std::nullopt;
        }
        return mnemonic.substr(0, begin) + std::string(found->second) + mnemonic.substr(end);
    };
    return is_operation(mnemonic, "ISETP") ? with(kIntegers) : with(kFloats);
}

Numbers numbers_of(std::string_view mnemonic) {
    const isa::OpSpec *spec = operation_of(mnemonic);
    if (spec == nullptr) {
        return Numbers::kBits;
    }
    switch (spec->op) {
    case isa::Op::kFadd:
    case isa::Op::kFmul:
    case isa::Op::kFfma:
    case isa::Op::kFmnmx:
    case isa::Op::kFsetp:
    case isa::Op::kMufu:
        return Numbers::kSingle;
    case isa::Op::kDadd:
    case isa::Op::kDmul:
    case isa::Op::kDfma:
    case isa::Op::kDsetp:
        return Numbers::kDouble;
    case isa::Op::kHadd2:
    case isa::Op::kHmul2:
    case isa::Op::kHfma2:
        return Numbers::kHalves;
    case isa::Op::kIadd3:
        return Numbers::kInteger;
    default:
        return Numbers::kBits;
    }
}

} // namespace smsim::ptx::optimise
