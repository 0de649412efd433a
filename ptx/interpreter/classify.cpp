// Kinds of instructions, by opcode.
#include <algorithm>
#include <array>
#include <utility>

#include "ptx/interpreter/resolver.h"

namespace smsim::ptx::interpreter {

namespace {

constexpr std::array<std::pair<std::string_view, Kind>, 32> kKinds = {{
    {"mov", Kind::kMove},
    {"ld", Kind::kLoad},
    {"ldu", Kind::kLoad},
    {"st", Kind::kStore},
    {"atom", Kind::kAtomic},
    {"red", Kind::kAtomic},
    {"cvta", Kind::kToGeneric},
    {"isspacep", Kind::kIsSpace},
    {"bra", Kind::kBranch},
    {"brx", Kind::kTable},
    {"call", Kind::kCall},
    {"ret", Kind::kReturn},
    {"exit", Kind::kExit},
    {"bar", Kind::kBarrier},
    {"barrier", Kind::kBarrier},
    {"vote", Kind::kMeet},
    {"match", Kind::kMeet},
    {"shfl", Kind::kMeet},
    {"redux", Kind::kMeet},
    {"activemask", Kind::kActive},
    {"trap", Kind::kTrap},
    {"brkpt", Kind::kTrap},
    {"membar", Kind::kNothing},
    {"fence", Kind::kNothing},
    {"nanosleep", Kind::kNothing},
    {"prefetch", Kind::kNothing},
    {"prefetchu", Kind::kNothing},
    {"applypriority", Kind::kNothing},
    {"discard", Kind::kNothing},
    {"alloca", Kind::kAllocate},
    {"stacksave", Kind::kStackSave},
    {"stackrestore", Kind::kStackRestore},
}};

constexpr std::array<std::pair<std::string_view, Memory>, 5> kMemories = {{
    {"const", Memory::kConst},
    {"global", Memory::kGlobal},
    {"local", Memory::kLocal},
    {"shared", Memory::kShared},
    {"param", Memory::kParameter},
}};

} // namespace

void classify(const ptx::Instruction &instruction, Step &step) {
    const auto kind =
        std::ranges::find(kKinds, std::string_view(instruction.opcode), &std::pair<std::string_view, Kind>::first);
    step.kind = kind == kKinds.end() || instruction.opcode.empty() ? Kind::kCompute : kind->second;
    for (const std::string &modifier : instruction.modifiers) {
        const std::string_view head = std::string_view(modifier).substr(0, modifier.find("::"));
        for (const auto &[name, memory] : kMemories) {
            step.memory = head == name ? memory : step.memory;
        }
        if (modifier == "param::func") {
            step.memory = Memory::kLocal;
        }
    }
    if (step.kind == Kind::kToGeneric && step.operation.has(Word::kTo)) {
        step.kind = Kind::kFromGeneric;
    }
    if (step.kind == Kind::kBarrier && step.operation.has(Word::kWarp)) {
        step.kind = Kind::kMeet;
    }
}

} // namespace smsim::ptx::interpreter
