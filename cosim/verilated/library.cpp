// A block that Verilator has compiled, as a library for smsim (cosim/smsim_block.h). scripts/verilate compiles this
// with the block's own files; in `block.inc` it says which block it is:
//
//     SMSIM_KIND               "bru"
//     SMSIM_PORTS(PORT)        PORT(name, bits, input) for each port but the clock
//     SMSIM_PARAMETERS(VALUE)  VALUE(NAME, value) for each parameter that was given to the module
#include "block.inc"

#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <verilated.h>
#if VM_TRACE_VCD
#include <verilated_vcd_c.h>
#endif
#if VM_COVERAGE
#include <atomic>
#include <cstdlib>

#include <unistd.h>
#include <verilated_cov.h>
#endif

#include "Vblock.h"
#include "smsim_block.h"

// The runtime calls these in place of its own, which end the process.
void vl_fatal(const char *file, int line, const char *, const char *message) {
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + message);
}
void vl_stop(const char *file, int line, const char *) {
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": stopped ($stop, or an assertion)");
}
void vl_finish(const char *file, int line, const char *) {
    throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": $finish");
}

namespace {

struct Built {
    const char *name;
    uint64_t value;
};

#define SMSIM_VALUE(NAME, VALUE) {#NAME, VALUE},
const Built kBuilt[] = {SMSIM_PARAMETERS(SMSIM_VALUE){nullptr, 0}};

/// Whether a block that was built for `built` serves `asked`. A smaller number of warps, CTAs or bytes is served too.
bool serves(const std::string &name, uint64_t built, uint64_t asked) {
    return name == "WARPS" || name == "CTAS" || name == "BYTES" ? built >= asked : built == asked;
}

/// The first of `parameters` that this block does not support, as a message; empty: it supports all.
std::string refusal(const smsim_block_parameter *parameters, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        for (const Built *built = kBuilt; built->name != nullptr; ++built) {
            const std::string name = parameters[i].name;
            if (name == built->name && !serves(name, built->value, parameters[i].value)) {
                return name + " is " + std::to_string(parameters[i].value) + "; it was built for " +
                       std::to_string(built->value) + " (scripts/verilate -G " + name + "=" +
                       std::to_string(parameters[i].value) + ")";
            }
        }
    }
    return {};
}

class Model {
  public:
    explicit Model(uint64_t initial) {
        context_.randReset(initial < 2 ? static_cast<int>(initial) : 2);
        if (initial >= 2) {
            context_.randSeed(static_cast<int>(initial));
        }
#if VM_TRACE_VCD
        context_.traceEverOn(true);
#endif
        top_ = std::make_unique<Vblock>(&context_, "block");
#define SMSIM_PORT(NAME, BITS, INPUT)                                                                                  \
    ports_.push_back({#NAME, BITS, INPUT, reinterpret_cast<unsigned char *>(&top_->NAME), nullptr});
        SMSIM_PORTS(SMSIM_PORT)
        top_->clk = 0;
        top_->eval();
    }
    ~Model() {
        trace(nullptr);
        try {
            top_->final();
        } catch (const std::exception &) {
            // A failure of a `final` block comes too late to be reported.
        }
        write_coverage();
    }
    Model(const Model &) = delete;
    Model &operator=(const Model &) = delete;

    const std::vector<smsim_block_port> &ports() const {
        return ports_;
    }
    const char *failure() const {
        return failure_.c_str();
    }

    int settle() {
        return guarded([this] {
            top_->clk = 0;
            top_->eval();
        });
    }
    int edge(uint64_t cycle) {
        ++edges_;
        return guarded([this, cycle] {
            dump(2 * cycle);
            top_->clk = 1;
            top_->eval();
            dump(2 * cycle + 1);
            count_from_here();
        });
    }
    int trace(const char *path) {
#if VM_TRACE_VCD
        if (waves_) {
            waves_->close();
            waves_.reset();
        }
        if (path != nullptr) {
            if (FILE *file = std::fopen(path, "w")) {
                std::fclose(file);
            } else {
                failure_ = "the file cannot be created";
                return 1;
            }
            waves_ = std::make_unique<VerilatedVcdC>();
            top_->trace(waves_.get(), 99);
            waves_->open(path);
        }
#else
        (void)path;
#endif
        return 0;
    }

  private:
#if VM_COVERAGE
    static constexpr uint64_t kReset = 1; ///< edges after which registers are reset; another one shows the reset
    static constexpr uint64_t kTrial = 8; ///< most edges of a block that is only reset, whose coverage means nothing
#endif

    template <typename Action> int guarded(Action action) {
        try {
            action();
            return 0;
        } catch (const std::exception &error) {
            failure_ = error.what();
            return 1;
        }
    }
    void dump(uint64_t time) {
#if VM_TRACE_VCD
        if (waves_) {
            context_.time(time);
            waves_->dump(time);
        }
#else
        (void)time;
#endif
    }

    /// Coverage begins after the reset: a register that held other bits before it has not toggled.
    void count_from_here() {
#if VM_COVERAGE
        if (edges_ == kReset) {
            context_.coveragep()->zero();
        }
#endif
    }

    /// With --coverage: writes the coverage to a separate file in the folder SMSIM_BLOCK_COVERAGE.
    void write_coverage() {
#if VM_COVERAGE
        static std::atomic<unsigned> number{0};
        if (const char *folder = std::getenv("SMSIM_BLOCK_COVERAGE"); folder != nullptr && edges_ > kTrial) {
            const std::string file = std::string(folder) + "/" SMSIM_KIND "_" + std::to_string(getpid()) + "_" +
                                     std::to_string(number++) + ".dat";
            context_.coveragep()->write(file.c_str());
        }
#endif
    }

    VerilatedContext context_;
    std::unique_ptr<Vblock> top_;
#if VM_TRACE_VCD
    std::unique_ptr<VerilatedVcdC> waves_;
#endif
    std::vector<smsim_block_port> ports_;
    std::string failure_;
    uint64_t edges_ = 0;
};

Model &model_of(void *block) {
    return *static_cast<Model *>(block);
}

void *create(const smsim_block_parameter *parameters, size_t count, uint64_t initial, char *message, size_t size) {
    std::string cause = refusal(parameters, count);
    if (cause.empty()) {
        try {
            return new Model(initial);
        } catch (const std::exception &error) {
            cause = error.what();
        }
    }
    std::snprintf(message, size, "%s", cause.c_str());
    return nullptr;
}

const smsim_block_port *ports(void *block, size_t *count) {
    *count = model_of(block).ports().size();
    return model_of(block).ports().data();
}

int settle(void *block) {
    return model_of(block).settle();
}

int edge(void *block, uint64_t cycle) {
    return model_of(block).edge(cycle);
}

#if VM_TRACE_VCD
int trace(void *block, const char *path) {
    return model_of(block).trace(path);
}
#else
constexpr int (*trace)(void *, const char *) = nullptr;
#endif

const char *failure(void *block) {
    return model_of(block).failure();
}

void destroy(void *block) {
    delete static_cast<Model *>(block);
}

} // namespace

extern "C" __attribute__((visibility("default"))) const smsim_block_interface *smsim_block_library() {
    static const struct smsim_block_interface library = {
        SMSIM_BLOCK_VERSION, SMSIM_KIND, create, ports, settle, edge, trace, failure, destroy};
    return &library;
}
