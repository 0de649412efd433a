/* The interface between smsim and a library that holds a block of RTL: a branch unit, a barrier unit, a sleep timer or
 * a shared memory with the pins of docs/pins.md, whatever simulates it. `scripts/verilate` makes such a library from
 * SystemVerilog; docs/co-simulation.md shows it. A wrapper around another simulator includes this header and exports
 *
 *     const struct smsim_block_interface *smsim_block_library(void);
 *
 * Plain C. All calls come from one thread. Blocks of one library are independent of each other.
 */
#ifndef SMSIM_BLOCK_H
#define SMSIM_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes with every change of this header that a library can notice; smsim accepts only libraries of its own version.
 * */
#define SMSIM_BLOCK_VERSION 1

/* The name under which a library exports the function above. */
#define SMSIM_BLOCK_SYMBOL "smsim_block_library"

/* What the block must support. Every block: exactly SUBS, and at least WARPS. A branch unit: exactly PIPELINES. A
 * barrier unit: at least CTAS. A shared memory: at least BYTES, and exactly BANKS and SLOTS. */
struct smsim_block_parameter {
    const char *name;
    uint64_t value;
};

/* One port; the clock is not one. */
struct smsim_block_port {
    const char *name;
    uint32_t bits;       /* at least 1 */
    uint32_t input;      /* 1: input, 0: output */
    unsigned char *data; /* the value as a little-endian number of at least as many bytes as the bits need, bits above
                          * are 0; valid as long as the block. smsim writes inputs and reads outputs in place */
    unsigned char *unknown; /* of an output, in the same form: bits that are X or Z; NULL: none are known */
};

struct smsim_block_interface {
    uint32_t version; /* SMSIM_BLOCK_VERSION; stays the first member in all versions */
    const char *kind; /* "bru", "bcu", "sleep_timer" or "shared_memory" */

    /* Makes an independent block, not yet reset. NULL when it does not support the `count` parameters; then the cause
     * is in `message`, a string of at most `size` bytes with its zero. `initial` says what registers hold before the
     * reset: 0 all zeros, 1 all ones, every other number random bits with this seed; a simulator that cannot choose
     * ignores it. */
    void *(*create)(const struct smsim_block_parameter *parameters, size_t count, uint64_t initial, char *message,
                    size_t size);
    /* All ports except the clock, `*count` of them, the same at each call. */
    const struct smsim_block_port *(*ports)(void *block, size_t *count);
    /* Updates the outputs for the current inputs, without an edge. 0: done; else the simulator has failed. */
    int (*settle)(void *block);
    /* The rising clock edge that ends cycle `cycle`, with the current inputs; outputs are updated on return. 0: done;
     * else the simulator has failed. */
    int (*edge)(void *block, uint64_t cycle);
    /* Writes a waveform of the internal signals to the file `path` from now on, or ends it (NULL). 0: done; else the
     * file cannot be written. A null function: this library has no waveforms. */
    int (*trace)(void *block, const char *path);
    /* Why the last call failed; valid until the next call. */
    const char *(*failure)(void *block);
    void (*destroy)(void *block);
};

#ifdef __cplusplus
}
#endif

#endif
