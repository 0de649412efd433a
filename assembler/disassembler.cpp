#include "assembler/disassembler.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace smsim::assembler {
namespace {

using isa::Instruction;
using isa::Kind;
using isa::Op;
using isa::OperandSpec;
using isa::Place;

std::string hex(std::int64_t value) {
    return value < 0 ? fmt::format("-{:#x}", ~static_cast<std::uint64_t>(value) + 1) : fmt::format("{:#x}", value);
}

std::string target(const SymbolLookup &symbols, std::int64_t address) {
    const std::string name = symbols && address >= 0 ? symbols(static_cast<Pc>(address)) : std::string();
    return name.empty() ? hex(address) : fmt::format("`({})", name);
}

/// The shortest decimal text that reads back as `value`, marked as floating-point.
template <typename Float> std::string decimal(Float value) {
    std::array<char, 64> buffer{};
    const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    std::string text(buffer.data(), result.ptr);
    if (text.find_first_of(".e") == std::string::npos) {
        text += ".0";
    }
    return text;
}

std::string float_text(std::uint32_t bits) {
    const auto value = std::bit_cast<float>(bits);
    if (std::isnan(value)) {
        return fmt::format("0f{:08x}", bits); // payloads have no other spelling
    }
    return std::isinf(value) ? (value < 0 ? "-INF" : "+INF") : decimal(value);
}

std::string double_text(std::uint32_t upper) {
    const auto value = std::bit_cast<double>(std::uint64_t{upper} << 32);
    if (std::isnan(value)) {
        return fmt::format("0d{:08x}00000000", upper);
    }
    return std::isinf(value) ? (value < 0 ? "-INF" : "+INF") : decimal(value);
}

std::string register_text(std::string_view prefix, unsigned number, unsigned zero, unsigned count) {
    if (number == zero) {
        return fmt::format("{}Z", prefix);
    }
    return count == 1 ? fmt::format("{}{}", prefix, number)
                      : fmt::format("{}[{}:{}]", prefix, number, number + count - 1);
}

std::string predicate_text(unsigned number, bool inverted) {
    return fmt::format("{}P{}", inverted ? "!" : "", number == isa::kPt ? "T" : std::to_string(number));
}

class Printer {
  public:
    Printer(const Instruction &insn, const SymbolLookup &symbols)
        : insn_(insn), symbols_(symbols), spec_(insn.spec()) {}

    /// The instruction without its control fields.
    std::string operation() {
        std::string text;
        if (insn_.pg != isa::kPt || insn_.pg_not) {
            text = fmt::format("@{} ", predicate_text(insn_.pg, insn_.pg_not));
        }
        text += spec_.name;
        for (std::size_t i = 0; i < spec_.modifiers.size(); ++i) {
            const isa::ModifierSpec &modifier = spec_.modifiers[i];
            const std::uint8_t value = insn_.mod[i];
            if (modifier.required || modifier.always_printed || value != modifier.default_value) {
                text.append(".").append(modifier.names[value]);
            }
        }
        const char *separator = " ";
        for (const OperandSpec &operand : isa::find_form(spec_, insn_.form)->operands) {
            if (!is_left_out(operand)) {
                text.append(separator).append(operand_text(operand));
                separator = ", ";
            }
        }
        return text;
    }
    std::string run() { return operation() + control_text(); }

  private:
    std::uint8_t register_at(Place place) const {
        switch (place) {
        case Place::kRd:
        case Place::kUrd:
            return insn_.rd;
        case Place::kRa:
            return insn_.ra;
        case Place::kRb:
        case Place::kRbHigh:
            return insn_.rb;
        case Place::kRc:
        case Place::kRcLow:
            return insn_.rc;
        case Place::kRe:
            return insn_.re;
        default:
            return insn_.ur;
        }
    }

    std::pair<unsigned, bool> predicate_at(Place place) const {
        switch (place) {
        case Place::kPu:
            return {insn_.pu, false};
        case Place::kPv:
            return {insn_.pv, false};
        case Place::kPa:
            return {insn_.pa, insn_.pa_not};
        case Place::kPb:
            return {insn_.pb, insn_.pb_not};
        default:
            return {insn_.pp, insn_.pp_not};
        }
    }

    std::int64_t number_at(Place place) const {
        switch (place) {
        case Place::kBarId:
            return insn_.barid;
        case Place::kImm13:
        case Place::kLut:
        case Place::kShift:
        case Place::kCount:
            return insn_.imm2;
        default:
            return insn_.imm;
        }
    }

    /// Whether the operand has the value that it gets when it is left out.
    bool is_left_out(const OperandSpec &operand) const {
        if (!operand.has(isa::kOptional)) {
            return false;
        }
        switch (operand.kind) {
        case Kind::kReg:
            return register_at(operand.place) == isa::kRz;
        case Kind::kPredDst:
        case Kind::kPredSrc: {
            const bool carry = insn_.op == Op::kIadd3 && insn_.mod[0] != 0 && operand.place == Place::kPp;
            return predicate_at(operand.place) == std::pair<unsigned, bool>{isa::kPt, false} && !carry;
        }
        case Kind::kUint:
            return number_at(operand.place) == operand.default_value;
        case Kind::kTarget:
        case Kind::kByteOff:
            return insn_.imm == 0;
        case Kind::kTest:
            return insn_.test == ConditionTest::kT;
        default:
            return false;
        }
    }

    std::string with_signs(const OperandSpec &operand, std::string text) const {
        const isa::Source source = isa::source_of(insn_.form, operand.place);
        if (isa::has_reuse_bit(spec_, operand) && (insn_.reuse & isa::reuse_bit(source)) != 0) {
            text += ".reuse";
        }
        if (operand.has(isa::kAbsolute) && insn_.*isa::absolute_member(source)) {
            text = fmt::format("|{}|", text);
        }
        if (operand.has(isa::kNegate) && insn_.*isa::negation_member(source)) {
            text = fmt::format("-{}", text);
        }
        if (operand.has(isa::kInvert) && insn_.bitnot) {
            text = fmt::format("~{}", text);
        }
        return text;
    }

    std::string address_text(unsigned count, std::int64_t offset) const {
        if (insn_.ra == isa::kRz && offset != 0) {
            return hex(offset);
        }
        return with_offset(register_text("R", insn_.ra, isa::kRz, count), offset);
    }
    static std::string with_offset(const std::string &base, std::int64_t offset) {
        return offset == 0 ? base : fmt::format("{}+{}", base, hex(offset));
    }

    std::string operand_text(const OperandSpec &operand) const {
        const unsigned count = isa::register_count(insn_, operand);
        // A recording may hold any address: beyond the last one addresses begin again.
        const auto from_next = [this](std::int64_t offset) {
            return static_cast<std::int64_t>(insn_.pc + kInstructionBytes + static_cast<Pc>(offset));
        };
        const std::int64_t bytes = insn_.imm * static_cast<std::int64_t>(kInstructionBytes);
        switch (operand.kind) {
        case Kind::kReg:
            return with_signs(operand, register_text("R", register_at(operand.place), isa::kRz, count));
        case Kind::kUreg:
            return with_signs(operand, register_text("UR", register_at(operand.place), isa::kUrz, count));
        case Kind::kPredDst:
        case Kind::kPredSrc: {
            const auto [number, inverted] = predicate_at(operand.place);
            return predicate_text(number, inverted);
        }
        case Kind::kBreg:
            return fmt::format("B{}", insn_.breg);
        case Kind::kUint:
            return hex(number_at(operand.place));
        case Kind::kInt:
            return hex(static_cast<std::int32_t>(static_cast<std::uint32_t>(insn_.imm)));
        case Kind::kFloat:
            return float_text(static_cast<std::uint32_t>(insn_.imm));
        case Kind::kFloat64:
            return double_text(static_cast<std::uint32_t>(insn_.imm));
        case Kind::kTarget:
            return target(symbols_, from_next(bytes));
        case Kind::kByteOff:
            if (insn_.op == Op::kCall && insn_.form == isa::Form::kR && insn_.ra == isa::kRz) {
                const std::int64_t to = insn_.mod[0] == 0 ? from_next(bytes) : bytes;
                const std::string name = target(symbols_, to);
                return name.front() == '`' ? name : hex(bytes);
            }
            return hex(bytes);
        case Kind::kConst:
            return with_signs(operand, fmt::format("c[{:#x}][{:#x}]", insn_.const_bank, insn_.const_offset));
        case Kind::kIndexed:
            return fmt::format("c[{:#x}][{}]", insn_.const_bank, address_text(1, insn_.const_offset));
        case Kind::kAddress:
            return fmt::format("[{}]", address_text(count, insn_.imm));
        case Kind::kUaddress:
            return fmt::format("[{}]", with_offset(register_text("UR", insn_.ur, isa::kUrz, count), insn_.imm));
        case Kind::kSreg:
            return std::string(isa::special_register_names()[insn_.imm2]);
        case Kind::kPredFile:
            return "PR";
        case Kind::kTest:
            return fmt::format("CC.{}", condition_test_name(insn_.test));
        case Kind::kRelative:
            return target(symbols_, from_next(insn_.imm));
        case Kind::kPlace:
            return target(symbols_, insn_.imm);
        case Kind::kBase: {
            const std::string base = register_text("R", insn_.ra, isa::kRz, 1);
            return insn_.imm == 0 ? base : fmt::format("{}{}{}", base, insn_.imm > 0 ? "+" : "", hex(insn_.imm));
        }
        }
        return {};
    }

    std::string control_text() const {
        std::string text;
        if (insn_.stall != 0) {
            text += fmt::format(" ?stall{}", insn_.stall);
        }
        if (insn_.yield) {
            text += " ?yield";
        }
        if (insn_.req != 0) {
            std::string list;
            for (unsigned s = 0; s < isa::kScoreboards; ++s) {
                if (((insn_.req >> s) & 1U) != 0) {
                    list += fmt::format("{}{}", list.empty() ? "" : ",", s);
                }
            }
            text += fmt::format(" &req={{{}}}", list);
        }
        if (insn_.wsb != isa::kNoScoreboard) {
            text += fmt::format(" &wsb={}", insn_.wsb);
        }
        if (insn_.rsb != isa::kNoScoreboard) {
            text += fmt::format(" &rsb={}", insn_.rsb);
        }
        return text;
    }

    const Instruction &insn_;
    const SymbolLookup &symbols_;
    const isa::OpSpec &spec_;
};

constexpr std::size_t kDataPerLine = 16;

std::string bytes_line(std::span<const std::uint8_t> bytes) {
    return fmt::format("  .byte {:#04x}\n", fmt::join(bytes, ", "));
}

std::string bank_text(std::uint8_t bank, std::span<const std::uint8_t> bytes) {
    std::string text = fmt::format(".const {}\n", bank);
    for (std::size_t i = 0; i < bytes.size(); i += kDataPerLine) {
        text += bytes_line(bytes.subspan(i, std::min(kDataPerLine, bytes.size() - i)));
    }
    return text;
}

/// The global data; runs of zeros, which may be long, take one line each.
std::string global_text(const Program &program) {
    const std::span<const std::uint8_t> bytes = program.global_data;
    std::string text = ".global\n";
    std::uint64_t zeros = 0;
    const auto flush = [&] {
        text += zeros == 0 ? std::string() : fmt::format("  .zero {:#x}\n", zeros);
        zeros = 0;
    };
    for (std::size_t i = 0; i < bytes.size(); i += kDataPerLine) {
        const auto line = bytes.subspan(i, std::min(kDataPerLine, bytes.size() - i));
        if (std::ranges::all_of(line, [](std::uint8_t byte) { return byte == 0; })) {
            zeros += line.size();
        } else {
            flush();
            text += bytes_line(line);
        }
    }
    zeros += program.global_data_bytes - bytes.size();
    flush();
    return text;
}

std::string kernel_text(const Kernel &kernel) {
    std::string text = fmt::format("\n.kernel {}\n.registers {}\n.shared {}\n.local {}\n", kernel.name,
                                   kernel.registers, kernel.shared_bytes, kernel.local_bytes);
    if (kernel.parameter_bytes) {
        text += fmt::format(".parameters {}\n", *kernel.parameter_bytes);
    }
    if (kernel.most_threads != 0) {
        text += fmt::format(".maxntid {}\n", kernel.most_threads);
    }
    if (kernel.block[0] != 0) {
        text += fmt::format(".reqntid {}, {}, {}\n", kernel.block[0], kernel.block[1], kernel.block[2]);
    }
    return text + fmt::format(".schedule {}\n", kernel.scheduled_by_pass ? "done" : "manual");
}

} // namespace

std::string disassemble(const Instruction &insn, const SymbolLookup &symbols) {
    return Printer(insn, symbols).run();
}

std::string operation_text(const Instruction &insn, const SymbolLookup &symbols) {
    return Printer(insn, symbols).operation();
}

std::string disassemble(const Program &program) {
    std::map<Pc, std::string> first_name;
    std::multimap<Pc, std::string> labels;
    for (const Symbol &symbol : program.symbols) {
        first_name.try_emplace(symbol.address, symbol.name);
        labels.emplace(symbol.address, symbol.name);
    }
    const SymbolLookup lookup = [&](Pc pc) {
        const auto found = first_name.find(pc);
        return found == first_name.end() ? std::string() : found->second;
    };
    std::string text = fmt::format(".engine {}\n", program.engine);
    for (const auto &[bank, bytes] : program.constants) {
        text += bank_text(bank, bytes);
    }
    if (program.global_data_bytes != 0) {
        text += global_text(program);
    }
    text += ".text\n.schedule manual\n";
    auto kernel = program.kernels.begin();
    const Kernel *open = nullptr;
    for (std::size_t i = 0; i <= program.code.size(); ++i) {
        const Pc pc = i * kInstructionBytes;
        const bool begins = kernel != program.kernels.end() && kernel->entry == pc;
        if (open != nullptr && open->end == pc) {
            text += begins || i == program.code.size() ? "" : ".endkernel\n.schedule manual\n";
            open = nullptr;
        }
        if (begins) {
            open = &*kernel++;
            text += kernel_text(*open);
        }
        const auto [begin, end] = labels.equal_range(pc);
        for (auto label = begin; label != end; ++label) {
            text.append(label->second).append(":\n");
        }
        if (i < program.code.size()) {
            text += fmt::format("  /*{:04x}*/ {};\n", pc, disassemble(program.code[i], lookup));
        }
    }
    return text;
}

} // namespace smsim::assembler
