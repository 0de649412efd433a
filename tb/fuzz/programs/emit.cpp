// The frame of a generated program: prologue, statements in order, epilogue, launch.
#include "tb/fuzz/programs/emit.h"

#include "tb/fuzz/programs/emitter.h"
#include "tb/fuzz/programs/simt_emitter.h"
#include "tb/fuzz/programs/token_emitter.h"

namespace smsim::fuzz {
namespace {

constexpr unsigned kPrivateBytes = 64;
constexpr unsigned kSharedPrivateBytes = 32;
constexpr unsigned kInputWords = 64;
constexpr unsigned kRegisters = 40;
constexpr unsigned kSharedOutWords = 2 * kCells;
constexpr unsigned kMaxChains = 2;

launch::Argument buffer(std::string name, std::uint64_t words, launch::Init init) {
    launch::Argument argument;
    argument.name = std::move(name);
    argument.is_buffer = true;
    argument.count = words;
    argument.init = std::move(init);
    return argument;
}

launch::Random random_words(std::uint64_t seed) {
    return {seed, std::uint64_t{0}, std::uint64_t{0xffffffff}};
}

} // namespace

Case emit(const Tree &tree, std::string_view engine) {
    if (engine == "token_stack") {
        return TokenEmitter(tree).finish();
    }
    if (engine != "simt_stack") {
        return Emitter(tree).finish();
    }
    SimtEmitter careful(tree, false);
    Case test = careful.finish();
    return careful.meets() ? test : SimtEmitter(tree, true).finish();
}

Emitter::Emitter(const Tree &tree) : tree_(tree), called_(tree.functions.size()) {}

bool Emitter::together_possible() const {
    return scopes_.back().exact && scopes_.back().lanes != 0 && !in_lock_ && !in_function_;
}

bool Emitter::whole_cta() const {
    return together_possible() && scopes_.back().lanes == kAllLanes && scopes_.back().all_warps;
}

std::string Emitter::data(std::uint32_t raw) {
    return fmt::format("R{}", raw % 8);
}
std::string Emitter::data2(std::uint32_t raw) {
    return fmt::format("R[{}:{}]", raw % 4 * 2, raw % 4 * 2 + 1);
}
std::string Emitter::data4(std::uint32_t raw) {
    return raw % 2 == 0 ? "R[0:3]" : "R[4:7]";
}
std::string Emitter::source(std::uint32_t raw) {
    const std::uint32_t reg = raw % 11;
    return reg == 10 ? "RZ" : fmt::format("R{}", reg);
}
std::string Emitter::predicate(std::uint32_t raw) {
    return fmt::format("{}P{}", (raw >> 2) % 2 == 0 ? "" : "!", raw % 4);
}
std::string Emitter::guard(std::uint32_t raw) {
    switch (raw % 16) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
        return fmt::format("@{} ", predicate(raw >> 4));
    case 5:
        return "@!PT ";
    case 6:
        return agreed_guard(true);
    case 7:
        return (raw >> 4) % 2 == 0 ? agreed_guard(false) : agreed_guard(true);
    default:
        return "";
    }
}
std::string Emitter::agreed_guard(bool value) {
    out_.line("ISETP.{}.U32.AND P6, PT, R9, RZ, PT", value ? "GE" : "LT");
    return "@P6 ";
}
std::string Emitter::second(std::uint32_t raw) {
    return raw % 6 == 0 ? fmt::format("{}, ", predicate(raw >> 4)) : raw % 41 == 1 ? "!PT, " : "";
}
std::string Emitter::wish(std::uint32_t raw) {
    return fmt::format("B{}", raw % 8 < 7 ? raw % 3 : (raw >> 4) % 16);
}

void Emitter::prologue(Writer &to) const {
    to.place("start");
    to.line("S2R R8, SR_LANEID");
    to.line("S2R R9, SR_TID.X");
    to.line("S2R R10, SR_WARPID");
    to.line("S2R R24, SR_CTAID.X");
    to.line("MOV R11, 0x4");
    to.line("MOV R25, {:#x}", kPrivateBytes);
    to.line("IMAD R26, R24, {:#x}, R9", tree_.threads);
    to.line("IMAD.WIDE.U32 R[12:13], R26, R25, c[0x0][0x160]");
    to.line("MOV R20, c[0x0][0x170]");
    to.line("MOV R21, c[0x0][0x174]");
    to.line("MOV R22, c[0x0][0x188]");
    to.line("MOV R23, c[0x0][0x18c]");
    to.line("LDG.128 R[0:3], [R[12:13]]");
    to.line("LDG.128 R[4:7], [R[12:13]+0x10]");
    to.line("UMOV UR8, {:#x}", static_cast<std::uint32_t>(tree_.data_seed >> 32));
    to.line("R2UR UR10, R11");
    to.line("LEA R15, R9, {:#x}, 0x2", kSharedExchange);
    to.line("LEA R14, R9, {:#x}, 0x5", kSharedExchange + 4 * 32 * warps());
    to.line("R2P PR, R0, 0xf");
    if (uses_uniform_) {
        constexpr std::pair<unsigned, unsigned> kBases[] = {{0, 0x168}, {2, 0x188}, {60, 0x170}};
        for (const auto &[reg, argument] : kBases) {
            to.line("UMOV UR{}, c[0x0][{:#x}]", reg, argument);
            to.line("UMOV UR{}, c[0x0][{:#x}]", reg + 1, argument + 4);
        }
        to.line("STG [UR[2:3]+{:#x}], R11", kSame);
    }
    if (uses_shared_) {
        to.line("ISETP.EQ.AND P4, PT, R9, RZ, PT");
        for (unsigned offset = 0; offset < kSharedExchange; offset += 16) {
            to.instruction("@P4 ", fmt::format("STS.128 [{:#x}], RZ", offset));
        }
        if (uses_uniform_) {
            to.instruction("@P4 ", fmt::format("STS [{:#x}], R11", kSame));
        }
        to.line("STS [R15], R9");
        to.line("STS.128 [R14], R[0:3]");
        to.line("STS.128 [R14+0x10], R[4:7]");
        to.line("BAR.SYNC 0x0");
    }
    if (uses_local_) {
        for (unsigned offset = 0; offset < kPrivateBytes; offset += 32) {
            to.line("STL.128 [{:#x}], R[4:7]", offset);
            to.line("STL.128 [{:#x}], R[0:3]", offset + 16);
        }
    }
}

Case Emitter::finish() {
    Scope top;
    top.lanes = kAllLanes;
    block(tree_.body, top);
    if (uses_shared_) {
        // All remaining threads write the shared cells out: the values are equal, so the last writer does not matter.
        scopes_.push_back(top);
        meet(kAllLanes, 0);
        out_.line("BAR.SYNC 0x0");
        out_.line("S2R R24, SR_CTAID.X");
        out_.line("MOV R28, {:#x}", 4 * kSharedOutWords);
        out_.line("IMAD.WIDE.U32 R[24:25], R24, R28, c[0x0][0x180]");
        for (unsigned offset = 0; offset < 8 * kCells; offset += 16) {
            out_.line("LDS.128 R[28:31], [{:#x}]", offset);
            out_.line("STG.128 [R[24:25]+{:#x}], R[28:31]", offset);
        }
        scopes_.pop_back();
    }
    end_kernel();
    functions();
    if (tree_.trap_handler) {
        out_.place("trap_handler");
        out_.line("IADD3 R31, R31, 0x1, RZ");
        out_.instruction("@!PT ", "RTT");
        switch (tree_.data_seed % 3) {
        case 0:
            out_.instruction(agreed_guard(true), "RTT");
            break;
        case 1: // all active threads return if one of them has a true guard
            out_.line("LOP3 R31, R8, {:#x}, RZ, 0xc0", 1U << (tree_.data_seed >> 8) % 5);
            out_.line("ISETP.EQ.AND P6, PT, R31, RZ, PT");
            out_.instruction("@P6 ", "RTT");
            break;
        default:
            break;
        }
        out_.line("RTT");
    }
    Writer first;
    prologue(first);

    Case result;
    const unsigned shared = uses_shared_ ? kSharedExchange + (4 + kSharedPrivateBytes) * 32 * warps() : 0;
    result.text = fmt::format("{}.const 0x3\n{}    .word {:#x}\n.text\n.kernel fuzz\n.registers {}\n", engine(),
                              out_.constants(), static_cast<std::uint32_t>(tree_.data_seed), kRegisters);
    if (shared != 0) {
        result.text += fmt::format(".shared {}\n", shared);
    }
    if (uses_local_) {
        result.text += fmt::format(".local {}\n", kPrivateBytes);
    }
    result.text += first.code() + code();
    result.trap_handler = tree_.trap_handler;
    result.compared_registers = 0xffffff;
    result.compared_predicates = 0xf;

    launch::Launch &launch = result.launch;
    launch.path = "generated";
    launch.kernel = "fuzz";
    launch.grid = {tree_.ctas, 1, 1};
    launch.block = {tree_.threads, 1, 1};
    const std::uint64_t threads = std::uint64_t{tree_.ctas} * tree_.threads;
    launch.arguments.push_back(buffer("private", threads * kPrivateBytes / 4, random_words(tree_.data_seed)));
    launch.arguments.push_back(buffer("input", kInputWords, random_words(tree_.data_seed + 1)));
    launch.arguments.push_back(buffer("cells", std::uint64_t{2} * kCells, random_words(tree_.data_seed + 2)));
    launch.arguments.push_back(buffer("chains", std::uint64_t{2} * kMaxChains * threads, launch::Zeros{}));
    launch.arguments.push_back(buffer("shared_out", std::uint64_t{tree_.ctas} * kSharedOutWords, launch::Zeros{}));
    launch.arguments.push_back(buffer("zeros", 64, launch::Zeros{}));
    return result;
}

void Emitter::functions() {
    for (unsigned i = 0; i < tree_.functions.size(); ++i) {
        if (called_[i]) {
            function(i);
        }
    }
}

void Emitter::block(const Block &nodes, Scope scope) {
    scopes_.push_back(scope);
    for (const Node &each : nodes) {
        node(each);
    }
    scopes_.pop_back();
}

void Emitter::node(const Node &node) {
    switch (node.kind) {
    case Kind::kCompute:
        return compute(node);
    case Kind::kPrivate:
        return private_access(node);
    case Kind::kGather:
        return gather(node);
    case Kind::kAtomic:
        return atomic(node);
    case Kind::kIf:
        return branch_if(node);
    case Kind::kLoop:
        return loop(node);
    case Kind::kSwitch:
        return jump_table(node);
    case Kind::kCall:
        return call(node);
    case Kind::kBreakOut:
        return break_out(node);
    case Kind::kExit:
        return exit(node);
    case Kind::kYield:
        return yield(node.p[0]);
    case Kind::kSleep:
        return sleep(node.p[0]);
    case Kind::kBarrierRegister:
        return barrier_register(node);
    case Kind::kNothing:
        return nothing(node);
    case Kind::kTrap:
        return trap(node);
    case Kind::kLock:
        return lock(node);
    case Kind::kEither:
        return either(node);
    case Kind::kMeet:
        return meeting(node);
    case Kind::kExchange:
        return exchange(node);
    case Kind::kKnownBranch:
        return known_branch(node);
    case Kind::kChain:
        return chain(node);
    case Kind::kBarrier:
        return barrier(node);
    case Kind::kReduce:
        return reduce(node);
    case Kind::kProducer:
        return producer(node);
    case Kind::kPartBarrier:
        return part_barrier(node);
    case Kind::kContext:
        return context(node);
    case Kind::kLate:
        return late(node);
    case Kind::kButterfly:
        return butterfly(node);
    }
}

std::string launch_text(const Case &test, const std::string &program) {
    const launch::Launch &launch = test.launch;
    std::string text =
        fmt::format("program: {}\ngrid: {}\nblock: {}\narguments:\n", program, launch.grid[0], launch.block[0]);
    for (const launch::Argument &argument : launch.arguments) {
        const auto *random = std::get_if<launch::Random>(&argument.init);
        text += fmt::format("  - {{name: {}, type: u32, count: {}, init: {}}}\n", argument.name, argument.count,
                            random != nullptr ? fmt::format("{{seed: {}, low: 0, high: 0xffffffff}}", random->seed)
                                              : "zeros");
    }
    return text;
}

} // namespace smsim::fuzz
