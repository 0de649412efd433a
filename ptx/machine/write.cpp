#include "ptx/machine/write.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "ptx/machine/abi.h"
#include "ptx/machine/flow_graph.h"

namespace smsim::ptx::machine {

namespace {

/// How an instruction writes its numbers.
enum class Numbers { kInteger, kSingle, kDouble };

Numbers numbers_of(std::string_view mnemonic) {
    const std::string_view head = mnemonic.substr(0, mnemonic.find('.'));
    constexpr std::array<std::string_view, 6> kSingle = {"FADD", "FMUL", "FFMA", "FMNMX", "FSETP", "MUFU"};
    constexpr std::array<std::string_view, 4> kDouble = {"DADD", "DMUL", "DFMA", "DSETP"};
    if (std::ranges::find(kSingle, head) != kSingle.end()) {
        return Numbers::kSingle;
    }
    return std::ranges::find(kDouble, head) != kDouble.end() ? Numbers::kDouble : Numbers::kInteger;
}

/// Blocks in an order in which most fall through to the next one. The usual way comes after a rare one, so that of the
/// two the rare one jumps to where they meet.
std::vector<BlockIndex> placement(const Function &function) {
    std::vector<BlockIndex> order;
    std::vector<bool> placed(function.blocks.size(), false);
    for (const BlockIndex start : analyse(function).order) {
        BlockIndex usual = kNoBlock; // beside the rare way that is being placed
        for (BlockIndex block = start; block != kNoBlock && !placed[block];) {
            placed[block] = true;
            order.push_back(block);
            const End &end = function.blocks[block].end;
            const bool goes_on = end.kind == EndKind::kFall || end.kind == EndKind::kBranch;
            BlockIndex next = goes_on ? end.next : kNoBlock;
            if (end.kind == EndKind::kBranch && placed[next]) {
                next = end.taken;
            } else if (end.kind == EndKind::kFall && usual != kNoBlock && !placed[usual]) {
                next = std::exchange(usual, kNoBlock);
            }
            if (end.kind == EndKind::kBranch && end.rare) {
                usual = end.taken;
            }
            block = next;
        }
    }
    return order;
}

/// A line of the source as a comment shows it: without control characters, and cut where it is far too long.
std::string trimmed(std::string_view text) {
    constexpr std::size_t kMostShown = 400;
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) {
        return {};
    }
    const bool whole = text.size() - first <= kMostShown;
    std::string shown(text.substr(first, whole ? text.find_last_not_of(" \t\r") - first + 1 : kMostShown));
    std::ranges::replace_if(
        shown, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return whole ? shown : shown + " ...";
}

} // namespace

void Writer::line(const std::string &text, std::uint32_t from) {
    assembly_.text += text;
    assembly_.text += '\n';
    assembly_.lines.push_back(from);
}

void Writer::line_of_code(const std::string &text, std::uint32_t from) {
    line(text, from);
    ++instructions_;
}

void Writer::align(const Beginning &from) {
    for (LoopSpan &loop : loops_) {
        loop.first -= from.instructions;
        loop.last -= from.instructions;
    }
    const std::uint32_t room = align_ ? room_before(from.instructions, loops_) : 0;
    std::string filling;
    for (std::uint32_t i = 0; i < room; ++i) {
        filling += "    NOP;\n";
    }
    assembly_.text.insert(from.text, filling);
    assembly_.lines.insert(assembly_.lines.begin() + static_cast<std::ptrdiff_t>(from.lines), room, 0);
    instructions_ += room;
    loops_.clear();
}

void Writer::comment(std::uint32_t from) {
    if (from == shown_ || from == 0 || from > source_.size()) {
        return;
    }
    shown_ = from;
    line(fmt::format("    // {}: {}", from, trimmed(source_[from - 1])));
}

std::string Writer::register_name(const Operand &operand) const {
    return fmt::format("R{}", allocation_->number[operand.reg] + operand.first);
}

std::string Writer::guard(const Operand &predicate) const {
    const std::string name =
        predicate.has_register() ? fmt::format("P{}", allocation_->number[predicate.reg]) : std::string("PT");
    return predicate.negated ? "!" + name : name;
}

std::string Writer::block_label(BlockIndex block) const {
    return fmt::format("L{}_{}", function_number_, block);
}

std::string Writer::operand(const Operand &operand, const Instruction &instruction) const {
    const auto sign = [&](std::string name) {
        if (operand.absolute) {
            name = fmt::format("|{}|", name);
        }
        return operand.negated ? "-" + name : name;
    };
    const auto offset = [&](const std::string &name) {
        if (operand.value == 0) {
            return name;
        }
        return operand.value < 0 ? fmt::format("{}+-0x{:x}", name, -operand.value)
                                 : fmt::format("{}+0x{:x}", name, operand.value);
    };
    switch (operand.kind) {
    case OperandKind::kZero:
        return sign("RZ");
    case OperandKind::kRegister:
        return sign(register_name(operand));
    case OperandKind::kPredicate:
        return guard(operand);
    case OperandKind::kInteger:
        switch (numbers_of(instruction.mnemonic)) {
        case Numbers::kSingle:
            return fmt::format("0f{:08x}", static_cast<std::uint32_t>(operand.value));
        case Numbers::kDouble:
            return fmt::format("0d{:016x}", static_cast<std::uint64_t>(operand.value));
        default:
            return fmt::format("0x{:x}", static_cast<std::uint32_t>(operand.value));
        }
    case OperandKind::kAddress:
        return operand.has_register() ? fmt::format("[{}]", offset(register_name(operand)))
                                      : fmt::format("[0x{:x}]", operand.value);
    case OperandKind::kConstant:
        if (instruction.mnemonic.starts_with("LDC")) {
            const std::string base = operand.has_register() ? register_name(operand) : "RZ";
            return sign(fmt::format("c[0x{:x}][{}]", operand.bank, offset(base)));
        }
        return sign(fmt::format("c[0x{:x}][0x{:x}]", operand.bank, operand.value));
    case OperandKind::kBarrier:
        return fmt::format("B{}", operand.value);
    case OperandKind::kLabel:
        return block_label(static_cast<BlockIndex>(operand.value));
    default:
        return operand.text;
    }
}

void Writer::instruction(const Instruction &instruction) {
    if (instruction.mnemonic == kUndefined) {
        return;
    }
    // A copy whose sides got the same place is unnecessary.
    if (is_copy(instruction) && register_name(instruction.operands[0]) == register_name(instruction.operands[1]) &&
        !instruction.operands[1].negated) {
        return;
    }
    comment(instruction.line);
    std::string text = "    ";
    if (instruction.guarded()) {
        text += "@" + guard(instruction.guard) + " ";
    }
    text += instruction.mnemonic;
    for (std::size_t i = 0; i < instruction.operands.size(); ++i) {
        text += i == 0 ? " " : ", ";
        text += operand(instruction.operands[i], instruction);
    }
    line_of_code(text + ";", instruction.line);
}

void Writer::call(const Function &function, const Instruction &instruction) {
    comment(instruction.line);
    const std::uint32_t from = instruction.line;
    const std::uint32_t frame = (function.frame_bytes + 15) / 16 * 16;
    if (function.kernel) {
        line_of_code(fmt::format("    MOV R{}, 0x{:x};", kFrame, frame), from);
    } else if (frame != 0) {
        line_of_code(fmt::format("    IADD3 R{0}, R{0}, 0x{1:x}, RZ;", kFrame, frame), from);
    }
    jump_to_callee(instruction);
    if (!function.kernel && frame != 0) {
        line_of_code(fmt::format("    IADD3 R{0}, R{0}, -0x{1:x}, RZ;", kFrame, frame), from);
    }
}

void Writer::jump_to_callee(const Instruction &call) {
    const bool by_name = call.callee >= 0;
    const std::string target =
        by_name ? module_.functions[static_cast<std::size_t>(call.callee)].label : register_name(call.operands[0]);
    if (return_address_ == ReturnAddress::kOnStack) {
        line_of_code(fmt::format("    CAL {};", target), call.line);
        return;
    }
    const std::string back = fmt::format("C{}", calls_++);
    line_of_code(fmt::format("    LEPC R{}, `({} - .);", kReturnAddress, back), call.line);
    line_of_code(by_name ? fmt::format("    CALL.REL {};", target) : fmt::format("    CALL.ABS {}, 0x0;", target),
                 call.line);
    line(back + ":");
}

void Writer::end(const Function &function, BlockIndex block, BlockIndex following) {
    const End &end = function.blocks[block].end;
    const auto jump = [&](const std::string &condition, BlockIndex to) {
        if (positions_[to] >= 0) {
            loops_.push_back({static_cast<std::uint32_t>(positions_[to]), instructions_});
        }
        line_of_code(fmt::format("    {}BRA {};", condition, block_label(to)), end.line);
    };
    switch (end.kind) {
    case EndKind::kBranch: {
        comment(end.line);
        Operand predicate = end.predicate;
        BlockIndex to = end.taken;
        BlockIndex next = end.next;
        if (!end.taken_written) {
            if (to == following && !end.next_written) {
                predicate.negated = !predicate.negated;
                std::swap(to, next);
            }
            jump("@" + guard(predicate) + " ", to);
        }
        if (next != following && !end.next_written) {
            jump("", next);
        }
        break;
    }
    case EndKind::kFall:
        if (end.next != following && !end.next_written) {
            comment(end.line);
            jump("", end.next);
        }
        break;
    case EndKind::kTable: {
        comment(end.line);
        Table table{.label = fmt::format("T{}", tables_.size()), .base = fmt::format("J{}", tables_.size())};
        for (const BlockIndex target : end.table) {
            table.targets.push_back(block_label(target));
        }
        const std::string index = register_name(end.index);
        line_of_code(fmt::format("    LDC {0}, c[0x{1:x}][{0}+0x{2:x}];", index, kTableBank, table_bytes_), end.line);
        line_of_code(fmt::format("    BRX {};", index), end.line);
        line(table.base + ":");
        table_bytes_ += static_cast<std::uint32_t>(4 * table.targets.size());
        tables_.push_back(std::move(table));
        break;
    }
    case EndKind::kExit:
        comment(end.line);
        line_of_code("    EXIT;", end.line);
        break;
    default:
        break;
    }
}

void Writer::body(const Function &function, const Allocation &allocation) {
    allocation_ = &allocation;
    shown_ = 0;
    const std::vector<BlockIndex> order = placement(function);
    positions_.assign(function.blocks.size(), -1);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const BlockIndex block = order[i];
        positions_[block] = instructions_;
        if (i > 0) {
            line(block_label(block) + ":");
        }
        for (const Instruction &instruction : function.blocks[block].code) {
            if (instruction.mnemonic == "CALL") {
                call(function, instruction);
            } else {
                this->instruction(instruction);
            }
        }
        end(function, block, i + 1 < order.size() ? order[i + 1] : kNoBlock);
    }
    ++function_number_;
}

void Writer::engine(std::string_view name) {
    line(fmt::format(".engine {}", name));
}

void Writer::kernel(const Function &function, const Allocation &allocation, const KernelSizes &sizes) {
    const Beginning begin = beginning();
    line(fmt::format(".kernel {}", function.label));
    line(fmt::format(".registers {}", sizes.registers));
    line(fmt::format(".parameters {}", function.parameter_bytes));
    if (function.most_threads != 0) {
        line(fmt::format(".maxntid {}", function.most_threads));
    }
    if (function.block[0] != 0) {
        line(fmt::format(".reqntid {}, {}, {}", function.block[0], function.block[1], function.block[2]));
    }
    if (sizes.shared_bytes != 0) {
        line(fmt::format(".shared {}", sizes.shared_bytes));
    }
    if (sizes.local_bytes != 0) {
        line(fmt::format(".local {}", sizes.local_bytes));
    }
    line(".schedule auto");
    if (sizes.has_alloca) {
        line_of_code(fmt::format("    MOV R{}, 0x{:x};", kAllocaTop, sizes.alloca_base), function.line);
    }
    body(function, allocation);
    align(begin);
    line(".endkernel");
    line("");
}

void Writer::device_function(const Function &function, const Allocation &allocation) {
    line(".schedule auto");
    const Beginning begin = beginning();
    line(function.label + ":", 0);
    body(function, allocation);
    align(begin);
    line("");
}

void Writer::bytes(const Data &data, std::uint64_t first) {
    std::uint64_t at = first;
    std::vector<FunctionAddress> functions = data.functions;
    std::ranges::sort(functions, {}, &FunctionAddress::offset);
    auto next = functions.begin();
    while (at < data.bytes.size()) {
        if (next != functions.end() && next->offset == at) {
            const std::string &label = module_.functions[next->function].label;
            line(fmt::format("    {} {}", next->bytes == 8 ? ".quad" : ".word", label));
            at += next->bytes;
            ++next;
            continue;
        }
        std::uint64_t end = std::min<std::uint64_t>(at + 16, data.bytes.size());
        if (next != functions.end()) {
            end = std::min(end, next->offset);
        }
        std::string text = "    .byte ";
        for (; at < end; ++at) {
            text += fmt::format("{}0x{:x}", text.ends_with(' ') ? "" : ",", data.bytes[at]);
        }
        line(text);
    }
    if (data.size > at) {
        line(fmt::format("    .zero {}", data.size - at));
    }
}

void Writer::data() {
    if (module_.constant.size != 0) {
        line(fmt::format(".const {}", kConstantBank));
        bytes(module_.constant, 0);
    }
    if (!tables_.empty()) {
        line(fmt::format(".const {}", kTableBank));
        for (const Table &table : tables_) {
            for (const std::string &target : table.targets) {
                line(fmt::format("    .word {} - {}", target, table.base));
            }
        }
    }
    if (module_.global.size != 0) {
        line(".global");
        bytes(module_.global, 0);
    }
}

} // namespace smsim::ptx::machine
