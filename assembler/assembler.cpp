// Layout, label values, encoding and scheduling: the steps after parsing.
#include "assembler/assembler.h"

#include <algorithm>
#include <span>

#include "assembler/scheduler.h"
#include "assembler/source.h"
#include "model/isa/engine_operations.h"
#include "model/program/branch_targets.h"

namespace smsim::assembler {
namespace {

constexpr std::size_t kMaxTextBytes = 64U << 20U; // far above any real kernel; tokens take many times that in memory
constexpr unsigned kMaxScheduleRounds = 1000;

class Assembly {
  public:
    Assembly(std::string_view text, const std::string &file, const timing::SchedulingModel &model)
        : text_(text), file_(file), model_(model), diagnostics_(file) {}

    Program run() {
        if (text_.size() > kMaxTextBytes) {
            throw InputError(file_ + ":1:1: text is larger than 64 MiB");
        }
        source_ = parse_source(tokenize(text_, diagnostics_), diagnostics_); // tokens take much memory and are not kept
        diagnostics_.throw_if_any();
        check_schedule_modes();
        nops_before_.assign(source_.code.size() + 1, 0);
        for (unsigned round = 0; round < kMaxScheduleRounds; ++round) {
            lay_out();
            Program program = build();
            diagnostics_.throw_if_any();
            if (schedule_regions(program)) {
                finish(program);
                diagnostics_.throw_if_any();
                return program;
            }
        }
        throw InputError(file_ + ":1:1: no schedule found; the latencies of the configuration are too long");
    }

  private:
    bool is_scheduled(const Region &region) const {
        return region.first != region.last &&
               (region.schedule == ScheduleMode::kAuto || region.schedule == ScheduleMode::kUnsaid);
    }

    /// Decides for each region whether the pass runs; encoding.md "where none is written on any instruction".
    void check_schedule_modes() {
        for (Region &region : source_.regions) {
            const auto begin = source_.code.begin();
            const auto written = std::find_if(begin + static_cast<std::ptrdiff_t>(region.first),
                                              begin + static_cast<std::ptrdiff_t>(region.last),
                                              [](const ParsedInstruction &insn) { return insn.has_control; });
            const bool any = written != begin + static_cast<std::ptrdiff_t>(region.last);
            if (any && region.schedule == ScheduleMode::kUnsaid) {
                region.schedule = ScheduleMode::kManual;
            } else if (any && region.schedule == ScheduleMode::kAuto) {
                diagnostics_.add(written->place,
                                 "control field under .schedule auto; expected none, or .schedule manual");
            }
        }
    }

    /// Gives every written instruction its index in the program, counting NOPs of the scheduler.
    void lay_out() {
        index_.resize(source_.code.size() + 1);
        origin_.clear();
        for (std::size_t i = 0; i <= source_.code.size(); ++i) {
            // Labels and kernels point before the NOPs, except that labels of a JOIN name the JOIN itself, as SETRPC
            // requires.
            const bool join = i < source_.code.size() && source_.code[i].fields.op == isa::Op::kJoin;
            index_[i] = origin_.size() + (join ? nops_before_[i] : 0);
            origin_.insert(origin_.end(), nops_before_[i], i);
            if (i < source_.code.size()) {
                origin_.push_back(i);
            }
        }
    }

    Pc address(std::size_t written) const { return index_[written] * kInstructionBytes; }

    Value lookup(std::string_view name, Place place, Pc pc, const Expansion &expansion) const {
        if (name == ".") {
            return {static_cast<std::int64_t>(pc), 1};
        }
        if (const auto label = source_.label_index.find(name); label != source_.label_index.end()) {
            return {static_cast<std::int64_t>(address(label->second)), 1};
        }
        if (const auto data = source_.data_labels.find(name); data != source_.data_labels.end()) {
            return {static_cast<std::int64_t>(data->second), 0};
        }
        if (const auto constant = source_.constants.find(name); constant != source_.constants.end()) {
            const Expansion inside = expansion.enter(name, place, constant->second);
            return evaluate(constant->second,
                            [&](std::string_view inner, Place where) { return lookup(inner, where, pc, inside); });
        }
        if (std::string missing = missing_register(name); !missing.empty()) {
            throw SyntaxError{place, std::move(missing)};
        }
        throw SyntaxError{place, "'" + std::string(name) + "' is not defined; expected a label, register or number"};
    }

    Program build() {
        Program program;
        program.files = {file_};
        program.engine = source_.engine.value_or(kDefaultEngine);
        for (std::size_t i = 0; i < origin_.size(); ++i) {
            const ParsedInstruction &parsed = source_.code[std::min(origin_[i], source_.code.size() - 1)];
            const Pc pc = i * kInstructionBytes;
            const bool nop = i + 1 < origin_.size() ? origin_[i + 1] == origin_[i] : origin_[i] == source_.code.size();
            isa::Instruction insn;
            insn.pc = pc;
            if (!nop) {
                std::size_t terms = 0;
                try {
                    insn = build_instruction(parsed, pc, [&](std::string_view name, Place place) {
                        return lookup(name, place, pc, Expansion(terms));
                    });
                    if (const auto refusal = isa::engine_refusal(insn, program.engine)) {
                        diagnostics_.add(parsed.place, *refusal);
                    }
                } catch (const SyntaxError &error) {
                    diagnostics_.add(error);
                }
            }
            program.code.push_back(insn);
            program.lines.push_back({0, parsed.place.line});
        }
        for (const Label &label : source_.labels) {
            program.symbols.push_back({std::string(label.name), address(label.instruction)});
        }
        program.constants = source_.banks;
        program.global_data = source_.global_data;
        program.global_data_bytes = source_.global_data_bytes;
        for (const DataItem &item : source_.data) {
            place_data(item, item.bank ? program.constants[*item.bank] : program.global_data);
        }
        return program;
    }

    void place_data(const DataItem &item, std::vector<std::uint8_t> &bytes) {
        std::size_t terms = 0;
        try {
            const Value value = evaluate(item.expression, [&](std::string_view name, Place place) {
                if (name == ".") {
                    throw SyntaxError{place, "'.' has no meaning in data; expected a number or label"};
                }
                return lookup(name, place, 0, Expansion(terms));
            });
            const unsigned bits = 8 * item.bytes;
            if (bits < 64 &&
                (value.number < -(std::int64_t{1} << (bits - 1)) || value.number >= (std::int64_t{1} << bits))) {
                throw SyntaxError{item.expression.place, "value " + std::to_string(value.number) + " does not fit " +
                                                             std::to_string(item.bytes) +
                                                             (item.bytes == 1 ? " byte" : " bytes")};
            }
            for (unsigned i = 0; i < item.bytes; ++i) {
                bytes[item.offset + i] = static_cast<std::uint8_t>(static_cast<std::uint64_t>(value.number) >> (8 * i));
            }
        } catch (const SyntaxError &error) {
            diagnostics_.add(error);
        }
    }

    /// Runs the scheduler pass; false when it needs NOPs and the layout must be repeated.
    bool schedule_regions(Program &program) {
        std::vector<CodeRange> ranges;
        for (const Region &region : source_.regions) {
            if (is_scheduled(region)) {
                ranges.push_back({index_[region.first], index_[region.last]});
            }
        }
        const std::vector<NopRequest> requests = schedule(program, ranges, model_);
        if (requests.empty()) {
            return true;
        }
        for (const ParsedInstruction &insn : source_.code) {
            for (const Operand &operand : insn.operands) {
                const auto kind = insn.fields.op;
                const bool jumps = kind == isa::Op::kBra || kind == isa::Op::kBrx || kind == isa::Op::kCall ||
                                   kind == isa::Op::kRet || kind == isa::Op::kSetrpc || isa::is_vector_branch(kind) ||
                                   isa::is_token_jump(kind) || isa::opens_region(kind);
                const bool number = operand.kind == OperandKind::kExpression || operand.has_offset;
                if (jumps && number && !operand.expression.has_names() &&
                    !(operand.expression.is_number() && operand.expression.terms.front().number == 0)) {
                    throw InputError(file_ + ":" + std::to_string(operand.place.line) + ":" +
                                     std::to_string(operand.place.column) +
                                     ": the scheduler has to insert NOPs, which moves targets written as numbers; "
                                     "expected a label");
                }
            }
        }
        for (const NopRequest &request : requests) {
            nops_before_[request.index < origin_.size() ? origin_[request.index] : source_.code.size()] +=
                request.count;
        }
        return false;
    }

    void check_branches(const Program &program) {
        for (std::size_t i = 0; i < origin_.size(); ++i) {
            if (const auto error = branch_target_error(program, program.code[i])) {
                diagnostics_.add(source_.code[origin_[i]].place, *error);
            }
        }
    }

    void finish(Program &program) {
        check_branches(program);
        while (!program.global_data.empty() && program.global_data.back() == 0) {
            program.global_data.pop_back();
        }
        // functions may be called from any kernel, so a kernel needs what the whole file uses
        const std::uint32_t all = std::max(1U, isa::registers_used(program.code));
        for (const Region &region : source_.regions) {
            if (!region.is_kernel) {
                continue;
            }
            const unsigned own = isa::registers_used(
                std::span(program.code).subspan(index_[region.first], index_[region.last] - index_[region.first]));
            if (region.registers && own > *region.registers) {
                diagnostics_.add(region.place, "kernel '" + std::string(region.name) + "' uses register R" +
                                                   std::to_string(own - 1) + "; expected .registers " +
                                                   std::to_string(own) + " or more");
            }
            Kernel kernel;
            kernel.name = std::string(region.name);
            kernel.entry = address(region.first);
            kernel.end = address(region.last);
            kernel.registers = region.registers.value_or(all);
            kernel.shared_bytes = region.shared_bytes;
            kernel.local_bytes = region.local_bytes;
            kernel.parameter_bytes = region.parameter_bytes;
            kernel.most_threads = region.most_threads;
            kernel.block = region.block;
            kernel.scheduled_by_pass = is_scheduled(region) || region.schedule == ScheduleMode::kDone;
            program.kernels.push_back(std::move(kernel));
        }
        for (std::size_t begin = 0; begin < text_.size();) {
            const std::size_t end = std::min(text_.find('\n', begin), text_.size());
            std::size_t length = end - begin;
            if (length != 0 && text_[begin + length - 1] == '\r') {
                --length;
            }
            program.source.emplace_back(text_.substr(begin, length));
            begin = end + 1;
        }
    }

    std::string_view text_;
    const std::string &file_;
    const timing::SchedulingModel &model_;
    Diagnostics diagnostics_;
    Source source_;
    std::vector<unsigned> nops_before_; ///< NOPs in front of each written instruction; one more entry for the end
    std::vector<std::size_t> index_;    ///< written instruction to index in the program
    std::vector<std::size_t> origin_;   ///< index in the program to written instruction; a NOP has the instruction
                                        ///< after it
};

} // namespace

Program assemble(std::string_view text, const std::string &file_name, const timing::SchedulingModel &model) {
    return Assembly(text, file_name, model).run();
}

bool is_name(std::string_view name) {
    const auto part = [](char c) {
        return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
               c == '$';
    };
    return !name.empty() && !(name.front() >= '0' && name.front() <= '9') && std::ranges::all_of(name, part);
}

bool is_symbol_name(std::string_view name) {
    Operand ignored;
    return is_name(name) && name != "." && !named_register(name, ignored) && name != "R" && name != "UR" &&
           name != "c" && name != "INF" && name != "NAN";
}

} // namespace smsim::assembler
