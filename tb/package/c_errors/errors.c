/* What the C interface returns for wrong calls and bad input; prints the line of the first check that fails. */
#include <stdio.h>
#include <string.h>

#include "smsim_c.h"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("line %d: %s; error: %s\n", __LINE__, #condition, smsim_error());                                   \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)
#define SAYS(text) (strstr(smsim_error(), text) != NULL)

int main(void) {
    CHECK(smsim_version() == SMSIM_C_VERSION);
    CHECK(strcmp(smsim_error(), "") == 0);

    smsim_config *config = (smsim_config *)1;
    const char *bad_setting[] = {"shared.banks=33"};
    const char *null_setting[] = {NULL};
    CHECK(smsim_config_create(NULL, bad_setting, 1, &config) == SMSIM_BAD_INPUT);
    CHECK(config == NULL && SAYS("--set shared.banks=33: shared.banks must be a power of two"));
    CHECK(smsim_config_create(NULL, null_setting, 1, &config) == SMSIM_BAD_ARGUMENT);
    CHECK(smsim_config_create(NULL, NULL, 1, &config) == SMSIM_BAD_ARGUMENT);
    CHECK(smsim_config_create("no such file", NULL, 0, &config) == SMSIM_BAD_INPUT);
    CHECK(smsim_config_create(NULL, NULL, 0, NULL) == SMSIM_BAD_ARGUMENT);
    CHECK(smsim_config_create(NULL, NULL, 0, &config) == SMSIM_OK);
    const char *text = NULL;
    CHECK(smsim_config_value(config, "shared.banks", &text) == SMSIM_OK && strcmp(text, "32") == 0);
    CHECK(smsim_config_value(config, "shared.bank", &text) == SMSIM_BAD_ARGUMENT && SAYS("there is no 'shared.bank'"));

    smsim_program *program = (smsim_program *)1;
    CHECK(smsim_program_assemble(config, ".kernel k\n NONSENSE;\n", "k.sasm", &program) == SMSIM_BAD_INPUT);
    CHECK(program == NULL && SAYS("k.sasm:2:"));
    CHECK(smsim_program_load(config, "no such file", &program) == SMSIM_BAD_INPUT);
    CHECK(smsim_program_load(NULL, "k.sasm", &program) == SMSIM_BAD_ARGUMENT);
    CHECK(smsim_program_assemble(config, ".kernel a\n EXIT;\n.kernel b\n LDG R0, [R[2:3]];\n EXIT;\n", "k.sasm",
                                 &program) == SMSIM_OK);
    CHECK(strcmp(smsim_program_kernel(program, 1), "b") == 0 && smsim_program_kernel(program, 2) == NULL);

    smsim_program *from_file;
    CHECK(smsim_program_load(config, "program.ptx", &from_file) == SMSIM_OK);
    CHECK(strcmp(smsim_program_kernel(from_file, 0), "nothing") == 0);
    smsim_program_destroy(from_file);

    smsim_session *session;
    smsim_session *other;
    CHECK(smsim_session_create(config, NULL, &session) == SMSIM_OK);
    CHECK(smsim_session_create(config, NULL, &other) == SMSIM_BAD_INPUT && SAYS("a process has one session"));
    uint32_t value = 0;
    CHECK(smsim_session_read(session, 0x10000000, &value, sizeof value) == SMSIM_BAD_INPUT);
    CHECK(smsim_session_map(session, 0x10000000, 4, NULL) == SMSIM_BAD_ARGUMENT);
    CHECK(smsim_session_map(session, 0x10000000, 4, "out") == SMSIM_OK);
    CHECK(smsim_session_map(session, 0x10000000, 4, "again") == SMSIM_BAD_INPUT && SAYS("overlaps"));

    smsim_launch launch;
    smsim_result result;
    memset(&launch, 0, sizeof launch);
    CHECK(smsim_session_launch(session, program, &launch, &result) == SMSIM_BAD_ARGUMENT && SAYS("the program has 2"));
    launch.kernel = "c";
    CHECK(smsim_session_launch(session, program, &launch, &result) == SMSIM_BAD_ARGUMENT && SAYS("has no 'c'"));
    launch.kernel = "a";
    CHECK(smsim_session_launch(session, program, &launch, &result) == SMSIM_BAD_ARGUMENT && SAYS("grid and block"));
    for (int i = 0; i < 3; ++i) {
        launch.grid[i] = launch.block[i] = 1;
    }
    smsim_argument argument = {5, 3};
    launch.argument_count = 1;
    CHECK(smsim_session_launch(session, program, &launch, &result) == SMSIM_BAD_ARGUMENT && SAYS("arguments is null"));
    launch.arguments = &argument;
    CHECK(smsim_session_launch(session, program, &launch, &result) == SMSIM_BAD_ARGUMENT && SAYS("3 bytes"));
    launch.argument_count = 0;
    launch.grid[1] = launch.grid[2] = 1u << 21;
    launch.grid[0] = 1u << 22;
    CHECK(smsim_session_launch(session, program, &launch, &result) == SMSIM_BAD_INPUT && SAYS("grid"));
    launch.grid[0] = launch.grid[1] = launch.grid[2] = 1;
    launch.block[0] = launch.block[1] = 65536;
    CHECK(smsim_session_launch(session, program, &launch, &result) == SMSIM_BAD_INPUT && SAYS("block"));
    launch.block[1] = 1;
    launch.block[0] = 4096;
    CHECK(smsim_session_launch(session, program, &launch, &result) == SMSIM_BAD_INPUT && SAYS("kernel 'a' cannot be"));
    launch.block[0] = 1;
    CHECK(smsim_session_launch(session, program, &launch, &result) == SMSIM_OK && result.completed == 1);
    CHECK(result.warps == 1 && result.warp_instructions == 1 && strcmp(result.exception, "") == 0);
    launch.kernel = "b"; /* it reads address 0 */
    CHECK(smsim_session_launch(session, program, &launch, &result) == SMSIM_OK && result.completed == 0);
    CHECK(strstr(result.exception, "IllegalAddress") != NULL);
    CHECK(smsim_session_launch(session, program, &launch, &result) == SMSIM_BAD_INPUT && SAYS("the session has ended"));
    smsim_session_destroy(session);
    CHECK(smsim_session_create(config, NULL, &session) == SMSIM_BAD_INPUT && SAYS("a process has one session"));
    smsim_program_destroy(program);
    smsim_config_destroy(config);
    return 0;
}
