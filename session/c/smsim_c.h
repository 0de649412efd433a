/* Launches of kernels on a simulated SM, for programs in other languages: configure, load, launch, read, observe. Plain
 * C, without SystemC's headers; docs/session.md "From C and other languages" shows how to use this.
 *
 * Every function that can fail returns a status. On failure nothing has changed, outputs keep their values (except
 * that a `create` or `load` writes a null handle), and smsim_error() returns the reason. One thread uses the library
 * at a time. A process has one session (docs/session.md). */
#ifndef SMSIM_C_H
#define SMSIM_C_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface. Within a major version functions, values and structures stay as they are; a minor version
 * adds to them. A library serves every header of its major version whose minor version is not above its own. */
#define SMSIM_C_VERSION_MAJOR 1
#define SMSIM_C_VERSION_MINOR 0
#define SMSIM_C_VERSION (SMSIM_C_VERSION_MAJOR * 1000u + SMSIM_C_VERSION_MINOR)

#if defined(__GNUC__)
#define SMSIM_C_API __attribute__((visibility("default")))
#else
#define SMSIM_C_API
#endif

/* The status that functions return. */
enum {
    SMSIM_OK = 0,
    SMSIM_BAD_ARGUMENT = 1, /* null, or a name or number that does not exist */
    SMSIM_BAD_INPUT = 2, /* a configuration, program or launch with a mistake, which the reason names with its place */
    SMSIM_FAILED = 3     /* memory ran out, or an error of the library */
};

/* SMSIM_C_VERSION of the library; compare it with that of the header. */
SMSIM_C_API uint32_t smsim_version(void);
/* Why the last failed call failed; empty before the first failure. Valid until the next call. */
SMSIM_C_API const char *smsim_error(void);

/* --- configuration ------------------------------------------------------------------------------------------------ */

typedef struct smsim_config smsim_config;

/* The defaults, changed by a YAML file (null: none) and by `count` settings "section.member=value". */
SMSIM_C_API int smsim_config_create(const char *file, const char *const *settings, size_t count, smsim_config **config);
/* Must not be called before the programs and sessions that were made with it are destroyed. */
SMSIM_C_API void smsim_config_destroy(smsim_config *config);
/* The value of a key as text; valid as long as the configuration, until the next call. */
SMSIM_C_API int smsim_config_value(smsim_config *config, const char *key, const char **text);

/* --- program ------------------------------------------------------------------------------------------------------ */

typedef struct smsim_program smsim_program;

/* A program from a file: assembly (.sasm), binary (.smbin) or PTX (.ptx), scheduled for the configuration. */
SMSIM_C_API int smsim_program_load(const smsim_config *config, const char *path, smsim_program **program);
/* The same from text: of assembly, or of PTX where `name`, which messages use, ends with .ptx. */
SMSIM_C_API int smsim_program_assemble(const smsim_config *config, const char *text, const char *name,
                                       smsim_program **program);
/* Must not be called before the sessions that have launched it are destroyed. */
SMSIM_C_API void smsim_program_destroy(smsim_program *program);
/* The name of kernel `index`; null beyond the last. Valid as long as the program. */
SMSIM_C_API const char *smsim_program_kernel(const smsim_program *program, size_t index);

/* --- session ------------------------------------------------------------------------------------------------------ */

/* A warp instruction that has been executed. */
typedef struct {
    uint64_t cycle; /* of its issue */
    uint64_t cta;   /* linear, in the grid */
    uint64_t pc;
    uint32_t warp;     /* in its CTA */
    uint32_t active;   /* mask of the threads that were active before it */
    uint32_t executed; /* those whose guard was true */
    const char *name;  /* "IADD3" */
} smsim_executed;

typedef struct {
    void *user; /* passed to the function */
    void (*executed)(void *user, const smsim_executed *instruction);
} smsim_observer;

typedef struct smsim_session smsim_session;

/* An SM with its global memory. `observer`, which is copied, may be null. */
SMSIM_C_API int smsim_session_create(const smsim_config *config, const smsim_observer *observer,
                                     smsim_session **session);
SMSIM_C_API void smsim_session_destroy(smsim_session *session);
/* Makes `bytes` of global memory from `base` on accessible, filled with zeros. `name` is for messages. */
SMSIM_C_API int smsim_session_map(smsim_session *session, uint64_t base, uint64_t bytes, const char *name);
/* Copies to and from global memory, in no simulated time; within one mapped range. */
SMSIM_C_API int smsim_session_write(smsim_session *session, uint64_t address, const void *from, size_t bytes);
SMSIM_C_API int smsim_session_read(smsim_session *session, uint64_t address, void *to, size_t bytes);

/* An argument of a kernel: `bytes` (1, 2, 4 or 8) of `value`; a pointer is an argument of 8 bytes. */
typedef struct {
    uint64_t value;
    uint32_t bytes;
} smsim_argument;

typedef struct {
    const char *kernel;      /* null: the program has one */
    uint32_t grid[3];        /* CTAs */
    uint32_t block[3];       /* threads of a CTA */
    uint32_t dynamic_shared; /* bytes */
    const smsim_argument *arguments;
    size_t argument_count;
} smsim_launch;

typedef struct {
    uint64_t cycles;
    uint64_t begin;               /* cycle of the session after which the first warp starts */
    uint64_t warp_instructions;   /* of all warps */
    uint64_t thread_instructions; /* executed lanes summed over them */
    uint64_t warps;
    uint64_t ctas;         /* completed */
    int32_t completed;     /* 1: every CTA has completed; 0: an exception has ended the launch and the session */
    const char *exception; /* its message, with place and lanes; empty if none. Valid until the next call */
} smsim_result;

/* Runs a launch to its end. An exception of the kernel is no failure: the status is SMSIM_OK. After a failure the
 * session may hold the program and local memory, which a later launch uses. */
SMSIM_C_API int smsim_session_launch(smsim_session *session, const smsim_program *program, const smsim_launch *launch,
                                     smsim_result *result);

#ifdef __cplusplus
}
#endif

#endif
