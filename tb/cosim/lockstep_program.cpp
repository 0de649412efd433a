#include "tb/cosim/lockstep_program.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spdlog/spdlog.h>

#include "assembler/assembler.h"
#include "model/config/config.h"
#include "model/config/loader.h"
#include "session/simulation.h"
#include "tb/support/child_process.h"

namespace smsim::cosim {
namespace {

launch::Launch launch_of(const LockstepProgram &program) {
    launch::Launch launch;
    launch.path = "generated";
    launch.grid = {program.ctas, 1, 1};
    launch.block = {program.threads, 1, 1};
    launch::Argument results;
    results.name = "results";
    results.is_buffer = true;
    results.count = std::uint64_t{program.ctas} * program.threads;
    results.init = launch::Zeros{};
    launch.arguments.push_back(results);
    return launch;
}

/// Adds to `shown`: the answers of the branch unit, and what RTL did in other cycles than the model.
void count(const LockstepStats &stats, LockstepRun &shown) {
    for (const auto &[name, operations] : stats) {
        for (const auto &[operation, apart] : operations) {
            const AnswerCount count = count_answers(apart);
            shown.branch_answers += name == "bru" && is_answer(operation) ? count.answers : 0;
            shown.apart += count.answers - count.together;
            for (const auto &[cycles, answers] : apart) {
                shown.early += name == "bru" && cycles < 0 ? answers : 0;
            }
        }
    }
}

session::SimulationResult simulate(const LockstepProgram &program, const std::vector<std::string> &settings) {
    const Config config = load_config(std::nullopt, settings);
    const Program assembled = assemble(program.text, "generated.sasm", timing::SchedulingModel(config));
    return session::simulate(config, assembled, assembled.kernels.at(0), launch_of(program));
}

/// Writes the outcome for the parent process to `file`: figures, message, results.
void run_here(const LockstepProgram &program, const std::vector<std::string> &settings, const std::string &file) {
    spdlog::set_level(spdlog::level::off); // SYSCALL logs a notice
    session::SimulationResult result;
    try {
        result = simulate(program, settings);
    } catch (const std::exception &error) {
        result.exception = std::string("error: ") + error.what();
        result.buffers.resize(1);
    }
    LockstepRun shown;
    count(result.stats.lockstep, shown);
    std::ofstream out(file, std::ios::binary);
    out << result.stats.cycles << ' ' << result.stats.bcu.instructions << ' ' << result.stats.shared.accesses << ' '
        << shown.branch_answers << ' ' << shown.apart << ' ' << shown.early << '\n'
        << result.exception.size() << ' ' << result.exception << '\n';
    const auto &words = result.buffers.at(0);
    out.write(reinterpret_cast<const char *>(words.data()), static_cast<std::streamsize>(words.size()));
}

} // namespace

LockstepRun run(const LockstepProgram &program, const std::vector<std::string> &settings) {
    std::vector<std::string> all = program.settings;
    all.insert(all.end(), settings.begin(), settings.end());
    const test::TemporaryFolder folder;
    const std::string file = folder / "run";
    LockstepRun shown;
    const bool ended = test::run_in_child([&] { run_here(program, all, file); });
    std::istringstream in(test::read_file(file));
    std::size_t size = 0;
    if (!ended || !(in >> shown.cycles >> shown.barrier_operations >> shown.shared_accesses >> shown.branch_answers >>
                    shown.apart >> shown.early >> size)) {
        shown.failure = "error: the run has not ended as it should; its message is on the standard error output";
        return shown;
    }
    shown.failure.resize(size);
    in.ignore().read(shown.failure.data(), static_cast<std::streamsize>(size)).ignore();
    shown.results.assign(std::istreambuf_iterator<char>(in), {});
    return shown;
}

std::string reproducer(const LockstepProgram &program, const std::string &name,
                       const std::vector<std::string> &settings) {
    const auto base = std::filesystem::temp_directory_path() / name;
    test::write_file(base.string() + ".sasm", program.text);
    test::write_file(base.string() + ".launch.yaml",
                     fmt::format("program: {}.sasm\ngrid: {}\nblock: {}\narguments:\n"
                                 "  - {{name: results, type: u32, count: {}}}\n",
                                 name, program.ctas, program.threads, program.ctas * program.threads));
    std::vector<std::string> all = program.settings;
    all.insert(all.end(), settings.begin(), settings.end());
    return fmt::format("smsim run {}.launch.yaml --set {}", base.string(), fmt::join(all, " --set "));
}

LockstepKernel::LockstepKernel(std::uint64_t seed, std::uint32_t ctas, std::uint32_t threads, std::uint32_t iterations)
    : random(seed), ctas_(ctas), threads_(threads), iterations_(iterations) {}

void LockstepKernel::begin() {
    out.line("MOV R3, {:#x}", 1 + (random.next() & 0xffff'fffe));
    out.line("S2R R8, SR_LANEID");
    out.line("S2R R9, SR_TID.X");
    out.line("S2R R24, SR_CTAID.X");
    out.line("SHR R10, R9, 0x5");
    out.line("IMAD R25, R24, {:#x}, R9", threads_);
    out.line("MOV R26, 0x4");
    out.line("IMAD.WIDE.U32 R[50:51], R25, R26, c[0x0][0x160]");
    out.line("IMAD R12, R24, 0x3f, R10");
    out.line("IMAD R12, R12, 0x9e3779b1, R3");
    out.line("IMAD R13, R25, 0x85ebca6b, R3");
    out.line("MOV R20, R13");
    out.line("LOP3 R11, R24, 0x3, RZ, 0xc0"); // CTAs reach the same place in different iterations
}

void LockstepKernel::end() {
    out.line("IADD3 R11, R11, 0x1, RZ");
    out.line("ISETP.LT.AND P6, PT, R11, {:#x}, PT", iterations_ + 3);
    out.line("@P6 BRA iteration");
    store("");
    out.place("last");
    out.line("EXIT");
}

LockstepProgram LockstepKernel::finished(std::uint32_t shared, std::vector<std::string> settings) {
    LockstepProgram program;
    program.text = fmt::format(".kernel random\n.registers 64\n.shared {}\n{}", shared, out.code());
    if (!out.constants().empty()) {
        program.text += ".const 3\n" + out.constants();
    }
    program.ctas = ctas_;
    program.threads = threads_;
    program.settings = std::move(settings);
    return program;
}

void LockstepKernel::draw() {
    for (const char *name : {"R12", "R13"}) {
        out.line("IMAD {0}, {0}, 0x19660d, R3", name);
        out.line("SHF.L.W {0}, {0}, 0xd, {0}", name);
    }
}

void LockstepKernel::delay() {
    switch (random.below(10)) {
    case 0: { // some dozens of cycles
        const std::string loop = out.new_label();
        out.line("SHR R30, R12, {:#x}", 26 + random.below(3));
        out.place(loop);
        out.line("IADD3 R30, R30, -1, RZ");
        out.line("ISETP.GT.AND P6, PT, R30, RZ, PT");
        out.line("@P6 BRA {}", loop);
        break;
    }
    case 1:
    case 2: // sleep or not; uniform within a warp
        out.line("SHR R30, R12, {:#x}", 24 + random.below(6));
        out.line("LOP3 R31, R12, {:#x}, RZ, 0xc0", 1U << random.below(16));
        out.line("ISETP.EQ.AND P6, PT, R31, RZ, PT");
        out.line("@P6 NANOSLEEP R30");
        break;
    case 3:
        out.line("NANOSLEEP {:#x}", random.below(100));
        break;
    case 4:
        out.line("S2R R30, SR_CLOCKLO");
        out.line("MOV R31, R30");
        break;
    case 5:
        for (std::uint32_t i = random.below(8); i > 0; --i) {
            out.line("IMAD R30, R12, R3, R30");
        }
        break;
    default:
        break;
    }
}

std::vector<std::string> random_design(fuzz::Random &random, bool slow) {
    static constexpr const char *kPolicies[] = {"greedy_then_youngest", "loose_round_robin"};
    std::vector<std::string> settings = {"sm.registers=262144"};
    const auto set = [&](const char *key, std::uint32_t value) {
        settings.push_back(fmt::format("{}={}", key, value));
    };
    const auto latency = [&](std::uint32_t most) {
        return slow && random.chance(40) ? random.between(100, 600) : random.of({1, 2, random.between(1, most)});
    };
    settings.push_back(fmt::format("ibuffer.policy={}", kPolicies[random.below(2)]));
    set("sm.cta_launch_interval", random.of({1, 1, 9}));
    set("bru.branch_latency", random.between(1, 8));
    set("bru.yield_latency", random.between(1, 8));
    set("timer.granularity", random.of({1, 1, 8, 33}));
    set("bcu.arrival_latency", latency(40));
    set("bcu.interval", random.of({1, 1, 2, random.between(1, 8)}));
    set("bcu.release_latency", latency(60));
    set("bcu.release_interval", random.of({1, 1, random.between(1, 8)}));
    set("bcu.move_latency", latency(60));
    set("lsu.queue_depth", random.between(1, 10));
    set("lsu.issue_interval", random.of({1, 1, 2, 4}));
    const std::uint32_t queue = random.between(1, 10);
    set("lsu.queue_latency", queue);
    set("shared.latency", queue + 1 + latency(40));
    set("l1.latency", queue + 30);
    set("shared.atomic_latency", latency(20) - 1);
    return settings;
}

} // namespace smsim::cosim
