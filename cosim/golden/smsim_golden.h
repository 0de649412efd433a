/* The golden model: what branch unit, barrier unit, sleep timer and shared memory of smsim do, for the test bench of
 * any simulator. Plain C, no SystemC, no time: the caller determines the order of events. All fields have the meaning
 * of the pins of the same names (docs/pins.md); docs/golden-model.md shows how to use this.
 *
 * Every function that can fail returns a status. On failure nothing has changed, outputs keep their values (except
 * that a `create` writes a null handle), and smsim_golden_error() returns the reason. A handle may be used by one
 * thread at a time, different handles by different threads. */
#ifndef SMSIM_GOLDEN_H
#define SMSIM_GOLDEN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface. Within a major version functions, values and structures stay as they are; a minor version
 * adds to them. A library serves every header of its major version whose minor version is not above its own. */
#define SMSIM_GOLDEN_VERSION_MAJOR 1
#define SMSIM_GOLDEN_VERSION_MINOR 0
#define SMSIM_GOLDEN_VERSION (SMSIM_GOLDEN_VERSION_MAJOR * 1000u + SMSIM_GOLDEN_VERSION_MINOR)

#if defined(__GNUC__)
#define SMSIM_GOLDEN_API __attribute__((visibility("default")))
#else
#define SMSIM_GOLDEN_API
#endif

/* --- all units ---------------------------------------------------------------------------------------------------- */

/* The status that functions return. */
enum {
    SMSIM_GOLDEN_OK = 0,
    SMSIM_GOLDEN_BAD_ARGUMENT = 1, /* null, a handle of another unit, a number out of range */
    SMSIM_GOLDEN_BAD_WORD = 2,     /* a word that is no instruction, or none of this unit */
    SMSIM_GOLDEN_BAD_STATE = 3,    /* not possible now: a warp that sleeps, is blocked, or does not run */
    SMSIM_GOLDEN_FAILED = 4        /* memory ran out, or an error of the library */
};

/* Warp slots and CTA slots are numbers of 8 bits. */
#define SMSIM_GOLDEN_MAX_WARPS 256u
#define SMSIM_GOLDEN_LANES 32u
#define SMSIM_GOLDEN_BARRIERS 16u

/* SMSIM_GOLDEN_VERSION of the library; compare it with that of the header. */
SMSIM_GOLDEN_API uint32_t smsim_golden_version(void);

/* Why the last failed call in this thread failed; empty before the first failure. Valid until the next failure. */
SMSIM_GOLDEN_API const char *smsim_golden_error(void);

/* Name of an exception by its code (docs/pins.md "Exceptions"), "IllegalTarget"; "none" for 0, "?" for no exception. */
SMSIM_GOLDEN_API const char *smsim_golden_fault_name(uint32_t code);

/* Name of the operation of an instruction word, "BSYNC"; "?" for none, or a null pointer. */
SMSIM_GOLDEN_API const char *smsim_golden_operation(const uint32_t insn[4]);

/* --- branch unit -------------------------------------------------------------------------------------------------- */

typedef struct smsim_golden_bru smsim_golden_bru;

enum { /* which of several paths goes on: with the lowest lane, with the most threads, or the one that has waited
          longest */
       SMSIM_GOLDEN_LOWEST_LANE = 0,
       SMSIM_GOLDEN_MOST_THREADS = 1,
       SMSIM_GOLDEN_OLDEST = 2
};
enum { /* which side of a divergent jump goes on */
       SMSIM_GOLDEN_FALL_THROUGH_FIRST = 0,
       SMSIM_GOLDEN_TAKEN_FIRST = 1
};

typedef struct smsim_golden_bru_options {
    uint64_t trap_handler;         /* address; below 2^63 */
    uint32_t trap_enable;          /* 0, 1: there is a trap handler */
    uint32_t warps;                /* warp slots, 1 to SMSIM_GOLDEN_MAX_WARPS */
    uint32_t nanosleep_sets_yield; /* 0, 1: the option of NANOSLEEP */
    uint32_t election;             /* SMSIM_GOLDEN_LOWEST_LANE ... */
    uint32_t branch_order;         /* SMSIM_GOLDEN_FALL_THROUGH_FIRST ... */
    uint32_t zero;                 /* 0 */
} smsim_golden_bru_options;

/* An instruction of a warp: the pins `req_*`. */
typedef struct smsim_golden_bru_request {
    uint64_t pc;
    uint64_t scalar;
    uint64_t vector[32]; /* by lane */
    uint32_t insn[4];    /* the word, bits 0 to 31 first */
    uint32_t guard;
    uint32_t guard_pp;
} smsim_golden_bru_request;

/* The result of an instruction: the pins `rsp_*`. Fields without a meaning are 0; with a fault, these are all but
 * `channel`, `fault`, `fault_lane` and `fault_value`. */
typedef struct smsim_golden_bru_response {
    uint64_t next_pc;
    uint64_t value;
    uint64_t fault_value;
    uint32_t outcome; /* 0 goes on, 1 sleeps, 2 has exited */
    uint32_t next_active;
    uint32_t executed;
    uint32_t write_lanes;
    uint32_t active;
    uint32_t event;
    uint32_t jumped;
    uint32_t split;
    uint32_t passed;
    uint32_t release;
    uint32_t fault; /* code of an exception; 0 none */
    uint32_t fault_lane;
    uint32_t sleep_ns; /* not 0: a NANOSLEEP of this many nanoseconds, which may need a timer request */
    uint32_t channel;  /* class of the instruction, 0 branch to 4 move: which channel responds */
} smsim_golden_bru_response;

/* The state of a warp: `dbg_state`, in its order. `rpc` of threads that are active or have exited is 0, and so are
 * `trap_index` and `trap_return` outside a trap handler. */
typedef struct smsim_golden_bru_state {
    uint64_t active_pc;
    uint64_t rpc[32];
    uint32_t valid;
    uint32_t active;
    uint32_t yield;
    uint32_t sleep;
    uint32_t switch_set;
    uint32_t wait;
    uint32_t wait_bar;
    uint32_t turn;
    uint32_t b[16];
    uint32_t in_trap; /* 0, 1 */
    uint32_t trap_index;
    uint64_t trap_return;
} smsim_golden_bru_state;

/* Sets the options to the defaults: 64 warps, no trap handler, NANOSLEEP sets yield, lowest lane, fall through first.
 */
SMSIM_GOLDEN_API int smsim_golden_bru_defaults(smsim_golden_bru_options *options);

/* A branch unit without warps. `options` null: the defaults. */
SMSIM_GOLDEN_API int smsim_golden_bru_create(const smsim_golden_bru_options *options, smsim_golden_bru **unit);
/* Null is allowed. */
SMSIM_GOLDEN_API void smsim_golden_bru_destroy(smsim_golden_bru *unit);

/* Starts a warp with the threads `valid` at address `entry` of a program of `bytes` bytes; the previous contents of
 * the slot are lost. */
SMSIM_GOLDEN_API int smsim_golden_bru_start(smsim_golden_bru *unit, uint32_t warp, uint64_t entry, uint64_t bytes,
                                            uint32_t valid);

/* Executes an instruction. An address other than ActivePC means that the active threads have executed instructions of
 * other units before. An exception of the instruction is a response, not a failure. BAD_STATE: the warp has no
 * threads, or sleeps. */
SMSIM_GOLDEN_API int smsim_golden_bru_step(smsim_golden_bru *unit, uint32_t warp,
                                           const smsim_golden_bru_request *request,
                                           smsim_golden_bru_response *response);

/* The sleep timer of a warp has fired with effect: all its threads are awake, and the warp no longer sleeps. */
SMSIM_GOLDEN_API int smsim_golden_bru_expired(smsim_golden_bru *unit, uint32_t warp);

/* The current state of a warp; all 0 in a slot in which no warp was started. */
SMSIM_GOLDEN_API int smsim_golden_bru_read_state(const smsim_golden_bru *unit, uint32_t warp,
                                                 smsim_golden_bru_state *state);

/* --- barrier unit ------------------------------------------------------------------------------------------------- */

typedef struct smsim_golden_bcu smsim_golden_bcu;

/* An operation of a warp: the pins `req_*`. */
typedef struct smsim_golden_bcu_request {
    uint32_t insn[4];
    uint32_t pmask;
    uint32_t pp;
    uint32_t vector_a[32];
    uint32_t vector_b[32];
} smsim_golden_bcu_request;

enum { /* How an operation is answered: by the pins `ack_*` or `move_*`, or by the release of the warp (`go`). */
       SMSIM_GOLDEN_ACK = 0,
       SMSIM_GOLDEN_MOVE = 1,
       SMSIM_GOLDEN_RELEASED = 2
};

/* The answer to an operation. Fields without a meaning are 0. */
typedef struct smsim_golden_bcu_answer {
    uint32_t kind;    /* SMSIM_GOLDEN_ACK ... */
    uint32_t blocked; /* ack: 0 goes on, 1 blocked */
    uint32_t fault;   /* ack: code of an exception; 0 none */
    uint32_t value;   /* move */
    uint32_t predicate;
    uint32_t writes;
    uint32_t undefined;
} smsim_golden_bcu_answer;

/* Warps that may go on, in the order of their release; those of one barrier are adjacent. */
typedef struct smsim_golden_bcu_release {
    uint32_t count;       /* 0 to 127 */
    uint8_t warp[128];    /* slots */
    uint8_t barrier[128]; /* the barrier that has released each */
} smsim_golden_bcu_release;

/* A warp of the barrier unit. */
typedef struct smsim_golden_bcu_warp {
    uint32_t resident; /* 0: no warp runs in this slot, and all else is 0 */
    uint32_t cta;
    uint32_t number;  /* in its CTA */
    uint32_t blocked; /* 0, 1 */
    uint32_t barrier; /* at which it is blocked */
    uint32_t word;    /* WarpBarState */
} smsim_golden_bcu_warp;

/* A barrier unit without warps; `warps` and `ctas` are 1 to SMSIM_GOLDEN_MAX_WARPS. */
SMSIM_GOLDEN_API int smsim_golden_bcu_create(uint32_t warps, uint32_t ctas, smsim_golden_bcu **unit);
/* Null is allowed. */
SMSIM_GOLDEN_API void smsim_golden_bcu_destroy(smsim_golden_bcu *unit);

/* Starts a warp: number `number` of the `warps` of the CTA in slot `cta`. The first warp of a CTA sets the number of
 * warps, 1 to 127; warps not yet started count as alive. BAD_STATE: a warp runs in the slot, the CTA already has this
 * number, or it has another number of warps. */
SMSIM_GOLDEN_API int smsim_golden_bcu_start(smsim_golden_bcu *unit, uint32_t warp, uint32_t cta, uint32_t number,
                                            uint32_t warps);

/* A warp has exited. `release` lists the warps that go on now; it may be null. BAD_STATE: no warp runs there, or it is
 * blocked. */
SMSIM_GOLDEN_API int smsim_golden_bcu_exit(smsim_golden_bcu *unit, uint32_t warp, smsim_golden_bcu_release *release);

/* Serves an operation; call in the order in which the device serves operations. `release` lists the warps that go on
 * now, including the warp itself if the answer is SMSIM_GOLDEN_RELEASED; it may be null. An exception is an answer,
 * not a failure. BAD_STATE: no warp runs there, or it is blocked. */
SMSIM_GOLDEN_API int smsim_golden_bcu_operate(smsim_golden_bcu *unit, uint32_t warp,
                                              const smsim_golden_bcu_request *request, smsim_golden_bcu_answer *answer,
                                              smsim_golden_bcu_release *release);

/* The words of the barriers of a CTA slot, `dbg_barriers`; all 0 when it is empty. */
SMSIM_GOLDEN_API int smsim_golden_bcu_read_words(const smsim_golden_bcu *unit, uint32_t cta, uint32_t words[16]);

/* The state of a warp: `dbg_word`, `dbg_blocked`. */
SMSIM_GOLDEN_API int smsim_golden_bcu_read_warp(const smsim_golden_bcu *unit, uint32_t warp,
                                                smsim_golden_bcu_warp *state);

/* --- sleep timer -------------------------------------------------------------------------------------------------- */

typedef struct smsim_golden_timer smsim_golden_timer;

/* Timers of `warps` warps, 1 to SMSIM_GOLDEN_MAX_WARPS; expiries are rounded up to a multiple of `granularity` cycles,
 * at least 1. */
SMSIM_GOLDEN_API int smsim_golden_timer_create(uint32_t warps, uint32_t granularity, smsim_golden_timer **timer);
/* Null is allowed. */
SMSIM_GOLDEN_API void smsim_golden_timer_destroy(smsim_golden_timer *timer);

/* A request transferred in cycle `now`. `expiry`, which may be null, receives the cycle in which the timer will
 * expire; the pin `expiry` is high in the cycle before. */
SMSIM_GOLDEN_API int smsim_golden_timer_request(smsim_golden_timer *timer, uint32_t warp, uint64_t now, uint64_t cycles,
                                                uint64_t *expiry);

/* Stops the timer if it would expire later than in cycle `at`: for the pin `stop` in cycle n, `at` is n + 1. */
SMSIM_GOLDEN_API int smsim_golden_timer_stop(smsim_golden_timer *timer, uint32_t warp, uint64_t at);

/* Takes the next timer that expires by cycle `until`, in the order of cycles and then of warps; call until `expired`
 * is 0. Pass the requests of a cycle before asking for the expiries of the next. */
SMSIM_GOLDEN_API int smsim_golden_timer_expire(smsim_golden_timer *timer, uint64_t until, uint32_t *expired,
                                               uint32_t *warp, uint64_t *cycle);

/* Whether the timer of a warp runs in cycle `now`, and when it expires (0 when it does not run): `dbg_running`,
 * `dbg_expiry`. */
SMSIM_GOLDEN_API int smsim_golden_timer_read(const smsim_golden_timer *timer, uint32_t warp, uint64_t now,
                                             uint32_t *running, uint64_t *expiry);

/* --- shared memory ------------------------------------------------------------------------------------------------ */

typedef struct smsim_golden_shared smsim_golden_shared;

enum { SMSIM_GOLDEN_READ = 0, SMSIM_GOLDEN_WRITE = 1, SMSIM_GOLDEN_ATOMIC = 2 };

/* The access of a warp: the pins `req_*`. */
typedef struct smsim_golden_shared_request {
    uint32_t kind;        /* SMSIM_GOLDEN_READ ... */
    uint32_t slots;       /* those in use */
    uint32_t op;          /* atomic: 0 ADD to 9 CAS */
    uint32_t type;        /* atomic: 0 U32 to 5 F64 */
    uint32_t address[32]; /* by slot; a multiple of 16, of an atomic a multiple of its size */
    uint32_t enable[32];  /* by slot, read and write: bytes, at least one */
    uint8_t data[32][16]; /* by slot; write: bytes in their places; atomic: operand, from 8 on compare */
} smsim_golden_shared_request;

/* The result of an access: the pins `rsp_*`, `arsp_*`. */
typedef struct smsim_golden_shared_response {
    uint32_t passes;      /* taken by the access */
    uint32_t pass[32];    /* by slot: the pass in which it is complete, from 1; 0: not in use */
    uint8_t data[32][16]; /* by slot; read: the bytes in their places, others 0; atomic: the old value */
} smsim_golden_shared_response;

/* A memory of `bytes` bytes, all 0, a multiple of 16, at most 2^31; `banks` banks of 4 bytes, 1 to 1024. */
SMSIM_GOLDEN_API int smsim_golden_shared_create(uint32_t bytes, uint32_t banks, smsim_golden_shared **memory);
/* Null is allowed. */
SMSIM_GOLDEN_API void smsim_golden_shared_destroy(smsim_golden_shared *memory);

/* Performs an access. Slots outside the memory read 0 and write nothing. */
SMSIM_GOLDEN_API int smsim_golden_shared_access(smsim_golden_shared *memory, const smsim_golden_shared_request *request,
                                                smsim_golden_shared_response *response);

/* Copies `count` bytes from `address` on out of the memory, or into it. */
SMSIM_GOLDEN_API int smsim_golden_shared_peek(const smsim_golden_shared *memory, uint32_t address, uint32_t count,
                                              void *bytes);
SMSIM_GOLDEN_API int smsim_golden_shared_poke(smsim_golden_shared *memory, uint32_t address, uint32_t count,
                                              const void *bytes);

#ifdef __cplusplus
}
#endif

#endif /* SMSIM_GOLDEN_H */
