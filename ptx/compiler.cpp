#include "ptx/compiler.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "model/assembler/assembler.h"
#include "model/error.h"
#include "ptx/checker.h"
#include "ptx/library.h"
#include "ptx/line_table.h"
#include "ptx/machine/abi.h"
#include "ptx/machine/call_graph.h"
#include "ptx/machine/convergence.h"
#include "ptx/machine/liveness.h"
#include "ptx/machine/lowering/lowering.h"
#include "ptx/machine/record.h"
#include "ptx/machine/regions.h"
#include "ptx/machine/schedule.h"
#include "ptx/machine/write.h"
#include "ptx/optimise/optimise.h"
#include "ptx/parser.h"
#include "ptx/select/function.h"
#include "ptx/select/layout.h"
#include "ptx/select/usage.h"

namespace smsim::ptx {

namespace {

/// Registers of the SM of the specification: a CTA of the size that a kernel names must find room.
constexpr unsigned kRegistersOfSm = 65536;

/// Bytes of local memory that alloca may take, behind all frames.
constexpr std::uint32_t kAllocaBytes = 16384;

/// Words of registers that what is moved out of loops may bring them to.
constexpr unsigned kLoopWords = 48;

/// Depth of loops in loops, far beyond that of real code.
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

class Compiler : public machine::CallEffects {
  public:
    Compiler(std::string_view text, const std::string &file, const CompileOptions &options)
        : source_(parse_module(text, file)), lines_(lines_of(text)), options_(options) {
        add_library(source_, file);
        check_module(source_, file);
        module_.file = file;
        if (source_.address_size != 64) {
            refuse(1, "addresses of 32 bits are not covered; expected .address_size 64");
        }
    }

    machine::Assembly run() {
        declare();
        select();
        find_calls();
        converge();
        allocate();
        return write();
    }

    const Module &source() const { return source_; }

    const machine::RegisterSet &clobbered(const machine::Instruction &call) const override {
        const bool known = call.callee >= 0 && !calls_->within_ring(current_, static_cast<std::size_t>(call.callee));
        return known ? changed_[static_cast<std::size_t>(call.callee)] : changed_by_any_;
    }

  private:
    [[noreturn]] void refuse(std::uint32_t line, const std::string &cause) const {
        throw InputError(fmt::format("{}:{}:1: {}", module_.file, line, cause));
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

    /// Most registers per thread under a kernel's directives: .maxnreg, and .maxntid or .reqntid for the CTA's size.
    static unsigned register_limit(const Function &function) {
        unsigned limit = machine::kGeneralRegisters;
        for (const Directive &directive : function.directives) {
            std::uint64_t product = 1;
            for (const std::string &word : directive.words) {
                std::uint64_t value = 0;
                const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
                product *= error == std::errc{} && end != word.data() ? std::min<std::uint64_t>(value, 4096) : 1;
            }
            if (directive.name == "maxnreg") {
                limit = std::min<unsigned>(limit, static_cast<unsigned>(product));
            } else if (directive.name == "maxntid" || directive.name == "reqntid") {
                const auto threads = static_cast<unsigned>(std::clamp<std::uint64_t>(product, 32, 1024));
                limit = std::min(limit, kRegistersOfSm / ((threads + 31) / 32 * 32) / 8 * 8);
            }
        }
        return std::max(limit, 16U);
    }

    void declare_function(const Function &function, std::set<std::string> &labels) {
        machine::Function code;
        code.name = function.name;
        code.kernel = function.entry;
        code.line = function.place.line;
        if (function.entry) {
            code.parameter_bytes = select::parameter_bytes(function.signature, module_.file);
            code.register_limit = register_limit(function);
        }
        // Names of functions that are no symbols of the assembly language get a number.
        code.label = function.name;
        const bool clear = assembler::is_symbol_name(code.label) && !is_own_label(code.label);
        if (!clear || !labels.insert(code.label).second) {
            code.label = fmt::format("F{}_{}", module_.functions.size(), clear ? code.label : "function");
            labels.insert(code.label);
        }
        module_.function_index[function.name] = static_cast<std::uint32_t>(module_.functions.size());
        module_.functions.push_back(std::move(code));
    }

    /// Labels that the writer makes: L0_1, C2, T3, J4, F5_...
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
                select::select_function(*function, scopes_, module_, code);
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
                optimise::optimise(code, options_.level, kLoopWords, watch(), options_.passes);
                words_.resize(module_.functions.size());
                words_[index] = select::call_words(function->signature);
            }
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

    /// Finds out who calls whom; recursion is refused.
    void find_calls() {
        for (const machine::Function &function : module_.functions) {
            has_alloca_ |= function.moves_stack;
        }
        calls_.emplace(module_, words_);
        lowering_ = machine::make_lowering(options_.engine, module_, *calls_, options_.force);
        if (const auto recursion = calls_->recursion()) {
            refuse(recursion->line,
                   fmt::format("'{}' calls itself, directly or through others; recursion is not covered",
                               module_.functions[recursion->function].name));
        }
    }

    /// Meetings and what holds a warp together; callers before callees, because both depend on where a function is
    /// called.
    void converge() {
        std::vector<bool> together(module_.functions.size(), true);
        for (const std::size_t function : calls_->addressed()) { // a pointer may send threads to different functions
            together[function] = false;
        }
        const std::vector<bool> has_sync = calls_->reaching(having(machine::is_sync));
        const auto calls_sync = [&](const machine::Instruction &call) {
            return std::ranges::any_of(calls_->targets(call), [&](std::size_t target) { return has_sync[target]; });
        };
        mark_calls_that_wait();
        for (auto index = calls_->order().rbegin(); index != calls_->order().rend(); ++index) {
            machine::Function &function = module_.functions[*index];
            check_loops(function);
            lowering_->prepare(*index, calls_sync);
            machine::normalise_loops(function);
            const machine::FlowGraph graph = machine::analyse(function);
            const machine::Divergence divergence = machine::find_divergence(function, graph);
            machine::Regions regions = machine::find_regions(function, divergence);
            const std::vector<bool> converged =
                machine::find_converged(function, regions, divergence, together[*index]);
            callees_together(function, converged, together);
            if (machine::remove_meetings(function, converged)) { // ways out may have passed them
                regions = machine::find_regions(function, divergence);
            }
            lowering_->lower(*index, regions);
            record("regions", function);
        }
    }

    void check_loops(const machine::Function &function) const {
        for (const machine::Loop &loop : machine::analyse(function).loops) {
            if (loop.depth > kMostLoops) {
                refuse(function.line, fmt::format("'{}' has more than {} loops inside one another; expected fewer",
                                                  function.name, kMostLoops));
            }
        }
    }

    /// Functions whose own code has an instruction of which `is_one` holds.
    template <typename Test> std::vector<bool> having(Test is_one) const {
        std::vector<bool> found;
        for (const machine::Function &function : module_.functions) {
            found.push_back(std::ranges::any_of(
                function.blocks, [&](const machine::Block &block) { return std::ranges::any_of(block.code, is_one); }));
        }
        return found;
    }

    /// A call is an access to what other threads write when a function that it reaches has one.
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
        machine::AllocationRules rules{.general = options_.registers, .reserved = {}};
        if (calls_->has_calls()) {
            rules.reserved.general.set(machine::kFrame);
        }
        if (has_alloca_) {
            rules.reserved.general.set(machine::kAllocaTop);
        }
        changed_.resize(module_.functions.size());
        allocations_.resize(module_.functions.size());
        depth_.assign(module_.functions.size(), 0);
        const std::vector<unsigned> limits = limits_with_callers();
        for (const std::size_t index : calls_->order()) {
            machine::Function &function = module_.functions[index];
            changed_by_any_ = {};
            for (const auto &[target, callee] : calls_->callees(index)) {
                if (calls_->within_ring(index, target)) {
                    changed_by_any_ = everything();
                } else if (calls_->addressed().contains(target)) {
                    changed_by_any_ |= changed_[target];
                }
            }
            changed_by_any_ |= return_registers();
            rules.general = std::min(options_.registers, limits[index]);
            rules.rotate = function.kernel && options_.level >= 2;
            machine::thread_jumps(function);
            current_ = index;
            order_and_number(function, rules, allocations_[index]);
            if (calls_->ends_ring(index)) {
                finish_ring(calls_->ring(index));
            }
        }
    }

    /// Orders the instructions and numbers the registers. Where the order takes a kernel just beyond a number of
    /// registers with which twice as many warps fit, it gets an order that needs fewer, if there is one.
    void order_and_number(machine::Function &function, const machine::AllocationRules &rules,
                          machine::Allocation &allocation) {
        constexpr std::array<std::size_t, 2> kSteps = {64, 128};
        constexpr std::size_t kJustBeyond = 12;
        constexpr unsigned kBetweenPairs = 8; // registers that lie unused between pairs
        machine::Room room;
        room.most = rules.general - kBetweenPairs;
        room.words = std::min(room.words, room.most);
        const machine::Function unordered = function.kernel ? function : machine::Function();
        machine::schedule_blocks(function, room);
        record("order", function);
        allocation = machine::allocate(function, rules, *this, module_.file);
        const std::size_t number = highest(allocation);
        const auto step = std::ranges::find_if(
            kSteps, [&](std::size_t limit) { return limit < number && number <= limit + kJustBeyond; });
        if (!function.kernel || step == kSteps.end()) {
            return;
        }
        machine::Function again = unordered;
        room.more /= 3;
        machine::schedule_blocks(again, room);
        machine::Allocation fewer = machine::allocate(again, rules, *this, module_.file);
        if (highest(fewer) <= *step && fewer.spills <= allocation.spills) {
            function = std::move(again);
            allocation = std::move(fewer);
            record("order", function);
        }
    }

    /// Registers up to the highest number that is given.
    static std::size_t highest(const machine::Allocation &allocation) {
        std::size_t number = machine::kGeneralRegisters;
        while (number > 0 && !allocation.used.general.test(number - 1)) {
            --number;
        }
        return number;
    }

    static machine::RegisterSet everything() {
        machine::RegisterSet set;
        set.general.set();
        set.predicates.set();
        return set;
    }

    /// A function has the limit of the kernel with the lowest one that calls it.
    std::vector<unsigned> limits_with_callers() const {
        std::vector<unsigned> limits;
        for (const machine::Function &function : module_.functions) {
            limits.push_back(function.kernel ? function.register_limit : machine::kGeneralRegisters);
        }
        for (int round = 0; round < 2; ++round) { // twice for rings
            for (auto index = calls_->order().rbegin(); index != calls_->order().rend(); ++index) {
                for (const auto &[target, callee] : calls_->callees(*index)) {
                    limits[target] = std::min(limits[target], limits[*index]);
                }
            }
        }
        return limits;
    }

    static machine::RegisterSet return_registers() {
        machine::RegisterSet set;
        set.general.set(machine::kReturnAddress);
        set.general.set(machine::kReturnAddress + 1);
        return set;
    }

    /// What callers must know of a function, or of a ring of them: registers that change, depth of the frames. Each
    /// function of a ring has one frame at most at a time.
    void finish_ring(const std::vector<std::size_t> &ring) {
        machine::RegisterSet all = return_registers();
        std::uint64_t frames = 0;
        std::uint64_t below = 0;
        for (const std::size_t index : ring) {
            all |= allocations_[index].used;
            frames += (std::uint64_t{module_.functions[index].frame_bytes} + 15) / 16 * 16;
            for (const auto &[target, callee] : calls_->callees(index)) {
                if (!calls_->within_ring(index, target)) {
                    all |= changed_[target];
                    below = std::max<std::uint64_t>(below, depth_[target]);
                }
            }
        }
        if (frames + below > machine::kMostFrameBytes) {
            const machine::Function &last = module_.functions[ring.back()];
            refuse(last.line, fmt::format("'{}' needs {} bytes of local memory; expected at most {}", last.name,
                                          frames + below, machine::kMostFrameBytes));
        }
        // The caller's frame comes back as it was; the top of alloca may have been moved for good.
        all.general.reset(machine::kFrame);
        for (const std::size_t index : ring) {
            changed_[index] = all;
            depth_[index] = static_cast<std::uint32_t>(frames + below);
        }
    }

    /// Functions that kernels may come to; all of a module without kernel.
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
            machine::KernelSizes sizes;
            sizes.registers = 1;
            for (unsigned i = 0; i < machine::kGeneralRegisters; ++i) {
                sizes.registers = changed_[index].general.test(i) || (i == machine::kFrame && calls_->has_calls())
                                      ? std::max(sizes.registers, i + 1)
                                      : sizes.registers;
            }
            sizes.shared_bytes = shared_bytes_[kernel++];
            sizes.has_alloca = has_alloca_;
            sizes.alloca_base = depth_[index];
            sizes.local_bytes = depth_[index] + (has_alloca_ ? kAllocaBytes : 0);
            writer.kernel(function, allocations_[index], sizes);
            if (options_.log != nullptr) {
                options_.log->kernels.push_back({function.name, sizes.registers, sizes.local_bytes});
            }
        }
        const std::vector<bool> wanted = wanted_functions();
        for (std::size_t index = 0; index < module_.functions.size(); ++index) {
            if (!module_.functions[index].kernel && wanted[index]) {
                writer.device_function(module_.functions[index], allocations_[index]);
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
    std::size_t current_ = 0;                   ///< function that is allocated
    std::vector<machine::RegisterSet> changed_; ///< by function, its callees included
    machine::RegisterSet
        changed_by_any_; ///< by indirect calls, and those to the ring, of the function that is allocated
    std::vector<machine::Allocation> allocations_;
    std::vector<std::uint32_t> depth_; ///< bytes of local memory, callees included
    bool has_alloca_ = false;
};

} // namespace

std::string compile_to_assembly(std::string_view text, const std::string &file, const CompileOptions &options) {
    return Compiler(text, file, options).run().text;
}

Program compile(std::string_view text, const std::string &file, const timing::SchedulingModel &model,
                const CompileOptions &options) {
    Compiler compiler(text, file, options);
    const machine::Assembly assembly = compiler.run();
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
}

} // namespace smsim::ptx
