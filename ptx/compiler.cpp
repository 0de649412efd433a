#include "ptx/compiler.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "assembler/assembler.h"
#include "model/error.h"
#include "ptx/checker.h"
#include "ptx/launch_bounds.h"
#include "ptx/leave_out.h"
#include "ptx/library.h"
#include "ptx/line_table.h"
#include "ptx/machine/call_checks.h"
#include "ptx/machine/call_graph.h"
#include "ptx/machine/convergence.h"
#include "ptx/machine/flow_graph.h"
#include "ptx/machine/liveness.h"
#include "ptx/machine/lowering/lowering.h"
#include "ptx/machine/mask_synchronisation.h"
#include "ptx/machine/numbering.h"
#include "ptx/machine/record.h"
#include "ptx/machine/regions.h"
#include "ptx/machine/write.h"
#include "ptx/optimise/inline.h"
#include "ptx/optimise/optimise.h"
#include "ptx/parser.h"
#include "ptx/select/function.h"
#include "ptx/select/layout.h"
#include "ptx/select/usage.h"
#include "ptx/simplify.h"

namespace smsim::ptx {

namespace {

/// Registers of the SM of the specification: it must have room for CTAs of the size and number that a kernel names.
constexpr unsigned kRegistersOfSm = 65536;

/// Words of registers up to which moving code out of loops may increase the pressure.
constexpr unsigned kLoopWords = 48;

/// Depth of nested loops, far beyond that of real code.
constexpr unsigned kMostLoops = 64;

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

/// Decides which calls are inlined.
class Inlining {
  public:
    Inlining(machine::Module &module, const machine::CallGraph &calls)
        : module_(module), calls_(calls), sites_(module.functions.size(), 0), bodies_(module.functions.size()) {
        for (const machine::Function &function : module.functions) {
            total_ += size(function);
            for (const machine::Block &block : function.blocks) {
                for (const machine::Instruction &instruction : block.code) {
                    if (instruction.callee >= 0) {
                        ++sites_[static_cast<std::size_t>(instruction.callee)];
                    }
                }
            }
        }
    }

    /// Inlines in one function; all that it calls must be finished.
    unsigned run(std::size_t index) {
        machine::Function &function = module_.functions[index];
        std::size_t instructions = size(function);
        std::size_t blocks = function.blocks.size();
        const unsigned count = optimise::inline_calls(function, [&](const machine::Instruction &call) {
            const machine::Function *body = body_of(call);
            if (body == nullptr || instructions + size(*body) > kMostGrown ||
                blocks + body->blocks.size() > kMostGrownBlocks ||
                total_ + size(*body) > machine::kMostModuleInstructions) {
                return static_cast<const machine::Function *>(nullptr);
            }
            instructions += size(*body);
            total_ += size(*body);
            blocks += body->blocks.size() + 1;
            return body;
        });
        keep(index);
        return count;
    }

    /// Keeps the code of a function for its callers, if any of them may inline it.
    void keep(std::size_t index) {
        const machine::Function &function = module_.functions[index];
        const bool once = sites_[index] == 1 && !calls_.addressed().contains(index);
        if (!function.kernel && !calls_.in_circle(index) && (once || size(function) <= kSmall)) {
            bodies_[index] = function;
        }
    }

  private:
    static constexpr std::size_t kSmall = 100;            ///< instructions of a function worth inlining at each call
    static constexpr std::size_t kMostGrown = 20000;      ///< instructions of a function with inlined calls
    static constexpr std::size_t kMostGrownBlocks = 2000; ///< likewise, blocks

    static std::size_t size(const machine::Function &function) {
        std::size_t count = 0;
        for (const machine::Block &block : function.blocks) {
            count += block.code.size();
        }
        return count;
    }

    const machine::Function *body_of(const machine::Instruction &call) const {
        if (call.callee < 0 || !bodies_[static_cast<std::size_t>(call.callee)]) {
            return nullptr;
        }
        return &*bodies_[static_cast<std::size_t>(call.callee)];
    }

    machine::Module &module_;
    const machine::CallGraph &calls_;
    std::size_t total_ = 0;                                ///< instructions of the module
    std::vector<std::size_t> sites_;                       ///< calls by name, by function
    std::vector<std::optional<machine::Function>> bodies_; ///< by function; empty for functions that are not inlined
};

/// An error of one function, which other kernels may not need.
struct FunctionError {
    std::string function;
    InputError error;
};

class Compiler {
  public:
    /// `refused`: functions that an earlier attempt could not compile, and why.
    Compiler(std::string_view text, const std::string &file, const CompileOptions &options,
             const std::vector<LeftOut> &refused)
        : source_(parse_module(text, file)), lines_(lines_of(text)), options_(options) {
        resolve_aliases(source_, file);
        simplify(source_);
        add_library(source_, file);
        if (options.left_out == nullptr) {
            check_module(source_, file);
        } else {
            *options.left_out = leave_out(source_, check_what_is_covered(source_, file), refused, file);
        }
        module_.file = file;
        module_.matrix_steps = options.matrix_steps;
        if (source_.address_size != 64) {
            refuse(1, "addresses of 32 bits are not covered; expected .address_size 64");
        }
    }

    machine::Assembly run() {
        declare();
        select();
        optimise();
        check_calls();
        find_calls();
        converge();
        allocate();
        return write();
    }

    const Module &source() const { return source_; }

  private:
    [[noreturn]] void refuse(std::uint32_t line, const std::string &cause) const {
        throw InputError(fmt::format("{}:{}:1: {}", module_.file, line, cause));
    }

    /// Runs `work` for a function. Where kernels may be left out, errors that it throws concern only this function.
    template <typename Work> void of_function(const machine::Function &function, Work work) const {
        try {
            work();
        } catch (const InputError &error) {
            if (options_.left_out == nullptr) {
                throw;
            }
            throw FunctionError{function.name, error};
        }
    }

    void declare() {
        std::set<std::string> labels;
        for (const auto &item : source_.items) {
            if (const auto *variable = std::get_if<Variable>(&item)) {
                scopes_.declare(variable->name, {variable, nullptr, false});
            } else if (const auto *function = std::get_if<Function>(&item)) {
                scopes_.declare(function->name, {nullptr, function, false});
                if (function->body) {
                    declare_function(*function, labels);
                    if (module_.functions.size() > machine::kMostFunctions) {
                        refuse(function->place.line, fmt::format("more than {} functions; expected a smaller module",
                                                                 machine::kMostFunctions));
                    }
                }
            }
        }
        select::lay_out(source_, scopes_, module_);
        shared_bytes_ = select::lay_out_shared(module_, select::used_shared(source_, module_));
    }

    void declare_function(const Function &function, std::set<std::string> &labels) {
        machine::Function code;
        code.name = function.name;
        code.kernel = function.entry;
        code.line = function.place.line;
        if (function.entry) {
            code.parameter_bytes = select::parameter_bytes(function.signature, module_.file);
            const LaunchBounds bounds = launch_bounds(function);
            code.register_limit = register_limit(bounds, kRegistersOfSm, machine::kGeneralRegisters);
            code.most_threads = bounds.threads_required ? 0 : bounds.most_threads.value_or(0);
            code.block = bounds.block;
        }
        // Function names that are not valid assembly symbols get a number.
        code.label = function.name;
        const bool clear = assembler::is_symbol_name(code.label) && !is_own_label(code.label);
        if (!clear || !labels.insert(code.label).second) {
            code.label = fmt::format("F{}_{}", module_.functions.size(), clear ? code.label : "function");
            labels.insert(code.label);
        }
        module_.function_index[function.name] = static_cast<std::uint32_t>(module_.functions.size());
        module_.functions.push_back(std::move(code));
    }

    /// Labels that the writer generates: L0_1, C2, T3, J4, F5_...
    static bool is_own_label(std::string_view name) {
        return name.size() > 1 && std::string_view("LCTJF").find(name[0]) != std::string_view::npos && name[1] >= '0' &&
               name[1] <= '9';
    }

    void select() {
        std::size_t instructions = 0;
        for (const auto &item : source_.items) {
            const auto *function = std::get_if<Function>(&item);
            if (function != nullptr && function->body) {
                const std::uint32_t index = module_.function_index.at(function->name);
                machine::Function &code = module_.functions[index];
                of_function(code, [&] { select::select_function(*function, scopes_, module_, code); });
                for (const machine::Block &block : code.blocks) {
                    instructions += block.code.size();
                }
                if (instructions > machine::kMostModuleInstructions) {
                    refuse(function->place.line, fmt::format("more than {} instructions of the model; expected a "
                                                             "smaller module",
                                                             machine::kMostModuleInstructions));
                }
                machine::tidy(code);
                machine::remove_dead_code(code);
                machine::tidy(code);
                record("select", code);
                words_.resize(module_.functions.size());
                words_[index] = select::call_words(function->signature);
            }
        }
    }

    /// Callees before callers, which may inline them.
    void optimise() {
        const machine::CallGraph calls(module_, words_);
        Inlining inlining(module_, calls);
        for (const std::size_t index : calls.order()) {
            optimise::Inline inline_calls;
            if (calls.callees(index).empty()) {
                inlining.keep(index);
            } else {
                inline_calls = [&](machine::Function &) { return inlining.run(index); };
            }
            optimise::optimise(module_.functions[index], options_.level, kLoopWords, watch(), options_.passes,
                               inline_calls);
        }
    }

    void record(std::string_view pass, const machine::Function &function, unsigned changes = 0) const {
        if (options_.log != nullptr) {
            machine::record(*options_.log, pass, function, changes);
        }
    }
    optimise::Watch watch() const {
        if (options_.log == nullptr) {
            return {};
        }
        return [this](std::string_view pass, const machine::Function &function, unsigned changes) {
            record(pass, function, changes);
        };
    }

    void check_calls() {
        for (machine::Function &function : module_.functions) {
            if (const unsigned checks = machine::check_null_calls(function)) {
                record("calls", function, checks);
            }
        }
    }

    void find_calls() {
        calls_.emplace(module_, words_);
        lowering_ = machine::make_lowering(options_.engine, module_, *calls_, options_.force);
    }

    /// Meetings and what keeps a warp together; callers before callees, because both depend on where a function is
    /// called.
    void converge() {
        std::vector<bool> together(module_.functions.size(), true);
        for (const std::size_t function : calls_->addressed()) { // a pointer may send threads to different functions
            together[function] = false;
        }
        // In a call cycle, not all callers of a function precede it.
        for (std::size_t function = 0; function < together.size(); ++function) {
            together[function] = together[function] && !calls_->in_circle(function);
        }
        const std::vector<bool> has_sync = calls_->reaching(having(machine::is_sync));
        const auto calls_sync = [&](const machine::Instruction &call) {
            return std::ranges::any_of(calls_->targets(call), [&](std::size_t target) { return has_sync[target]; });
        };
        mark_calls_that_wait();
        for (auto index = calls_->order().rbegin(); index != calls_->order().rend(); ++index) {
            machine::Function &function = module_.functions[*index];
            of_function(function, [&] { converge(*index, calls_sync, together); });
        }
    }

    void converge(std::size_t index, const machine::CallsSync &calls_sync, std::vector<bool> &together) {
        machine::Function &function = module_.functions[index];
        check_loops(function);
        if (machine::meet_in_one_place(function, together[index]) + machine::separate_masks(function) != 0) {
            machine::remove_dead_code(function);
            record("meetings", function);
        }
        lowering_->prepare(index, calls_sync);
        machine::normalise_loops(function);
        const machine::FlowGraph graph = machine::analyse(function);
        const machine::Divergence divergence = machine::find_divergence(function, graph);
        machine::Regions regions = machine::find_regions(function, divergence);
        const std::vector<bool> converged = machine::find_converged(function, regions, divergence, together[index]);
        callees_together(function, converged, together);
        if (machine::remove_meetings(function,
                                     converged)) { // ways out may have bypassed them
            regions = machine::find_regions(function, divergence);
        }
        lowering_->lower(index, regions);
        record("regions", function);
    }

    void check_loops(const machine::Function &function) const {
        for (const machine::Loop &loop : machine::analyse(function).loops) {
            if (loop.depth > kMostLoops) {
                refuse(function.line,
                       fmt::format("'{}' has more than {} nested loops; expected fewer", function.name, kMostLoops));
            }
        }
    }

    /// Functions whose own code has an instruction for which `is_one` holds.
    template <typename Test> std::vector<bool> having(Test is_one) const {
        std::vector<bool> found;
        for (const machine::Function &function : module_.functions) {
            found.push_back(std::ranges::any_of(
                function.blocks, [&](const machine::Block &block) { return std::ranges::any_of(block.code, is_one); }));
        }
        return found;
    }

    /// A call counts as an access to what other threads write if a function that it reaches has one.
    void mark_calls_that_wait() {
        const std::vector<bool> waits = calls_->reaching(having([](const auto &code) { return code.spins; }));
        for (machine::Function &function : module_.functions) {
            for (machine::Block &block : function.blocks) {
                for (machine::Instruction &instruction : block.code) {
                    if (instruction.mnemonic == "CALL") {
                        instruction.spins = std::ranges::any_of(calls_->targets(instruction),
                                                                [&](std::size_t target) { return waits[target]; });
                    }
                }
            }
        }
    }

    void callees_together(const machine::Function &function, const std::vector<bool> &converged,
                          std::vector<bool> &together) const {
        for (std::size_t block = 0; block < function.blocks.size(); ++block) {
            bool here = converged[block];
            for (const machine::Instruction &instruction : function.blocks[block].code) {
                if (instruction.mnemonic == "CALL") {
                    for (const std::size_t target : calls_->targets(instruction)) {
                        together[target] = together[target] && here;
                    }
                }
                here = machine::together_behind(instruction, here);
            }
        }
    }

    void allocate() {
        machine::NumberingRules rules{
            .registers = options_.registers, .rotate = options_.level >= 2, .stack_bytes = options_.stack_bytes};
        if (options_.log != nullptr) {
            rules.ordered = [this](const machine::Function &function) { record("order", function); };
        }
        numbering_ = machine::number_module(module_, *calls_, rules);
    }

    /// Functions that kernels may reach; all functions of a module without a kernel.
    std::vector<bool> wanted_functions() const {
        std::vector<std::size_t> open(calls_->addressed().begin(), calls_->addressed().end());
        for (std::size_t index = 0; index < module_.functions.size(); ++index) {
            if (module_.functions[index].kernel) {
                open.push_back(index);
            }
        }
        const bool no_kernel = std::ranges::none_of(module_.functions, &machine::Function::kernel);
        std::vector<bool> wanted(module_.functions.size(), no_kernel);
        while (!open.empty()) {
            const std::size_t index = open.back();
            open.pop_back();
            if (!wanted[index]) {
                wanted[index] = true;
                for (const auto &[target, callee] : calls_->callees(index)) {
                    open.push_back(target);
                }
            }
        }
        return wanted;
    }

    machine::Assembly write() {
        machine::Writer writer(module_, lines_, lowering_->return_address(), options_.level >= 2);
        writer.engine(lowering_->engine());
        std::size_t kernel = 0;
        for (std::size_t index = 0; index < module_.functions.size(); ++index) {
            const machine::Function &function = module_.functions[index];
            if (!function.kernel) {
                continue;
            }
            const machine::Numbering &numbers = numbering_[index];
            const machine::KernelSizes sizes{.registers = numbers.kernel_registers,
                                             .shared_bytes = shared_bytes_[kernel++],
                                             .local_bytes = numbers.local_bytes,
                                             .alloca_base = numbers.frames_bytes,
                                             .has_alloca = numbers.has_alloca};
            writer.kernel(function, numbers.allocation, sizes);
            if (options_.log != nullptr) {
                options_.log->kernels.push_back({function.name, sizes.registers, sizes.local_bytes});
            }
        }
        const std::vector<bool> wanted = wanted_functions();
        for (std::size_t index = 0; index < module_.functions.size(); ++index) {
            if (!module_.functions[index].kernel && wanted[index]) {
                writer.device_function(module_.functions[index], numbering_[index].allocation);
            }
        }
        writer.data();
        return writer.take();
    }

    Module source_;
    std::vector<std::string_view> lines_;
    CompileOptions options_;
    Scopes scopes_;
    machine::Module module_;
    std::vector<std::uint32_t> shared_bytes_; ///< by kernel
    std::vector<machine::CallWords> words_;   ///< by function
    std::optional<machine::CallGraph> calls_;
    std::unique_ptr<machine::Lowering> lowering_;
    std::vector<machine::Numbering> numbering_; ///< by function
};

/// Compiles, leaving out what cannot be compiled as long as a kernel remains. `use` takes a compiler that has run.
template <typename Use>
auto compile_what_can_be(std::string_view text, const std::string &file, const CompileOptions &options, Use use) {
    std::vector<LeftOut> refused;
    for (;;) {
        try {
            if (options.log != nullptr) {
                options.log->passes.clear();
                options.log->kernels.clear();
            }
            Compiler compiler(text, file, options, refused);
            const machine::Assembly assembly = compiler.run();
            return use(compiler, assembly);
        } catch (const FunctionError &error) {
            refused.push_back({error.function, error.error.what()});
        }
    }
}

} // namespace

std::string compile_to_assembly(std::string_view text, const std::string &file, const CompileOptions &options) {
    return compile_what_can_be(text, file, options,
                               [](const Compiler &, const machine::Assembly &assembly) { return assembly.text; });
}

Program compile(std::string_view text, const std::string &file, const timing::SchedulingModel &model,
                const CompileOptions &options) {
    return compile_what_can_be(text, file, options, [&](const Compiler &compiler, const machine::Assembly &assembly) {
        Program program = assembler::assemble(assembly.text, file, model);
        const LineTable table = line_table(compiler.source());
        for (SourcePlace &place : program.lines) {
            place.line = place.line == 0 || place.line > assembly.lines.size() ? 0 : assembly.lines[place.line - 1];
            if (!table.file.empty()) {
                place.line = place.line < table.lines.size() ? table.lines[place.line] : 0;
            }
        }
        program.source.clear();
        if (!table.file.empty()) {
            program.files = {table.file};
            return program;
        }
        for (const std::string_view line : lines_of(text)) {
            program.source.emplace_back(line);
        }
        return program;
    });
}

} // namespace smsim::ptx
