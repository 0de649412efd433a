// A library in place of the GPU driver's, for tests of scripts/measure-gpu: host memory, and launches that write
// made-up clocks. FAKE_CUDA=none has no GPU, FAKE_CUDA=old does not know the binaries; FAKE_CUDA=refuse:KERNEL,
// crash:KERNEL or hang:KERNEL misbehaves at that kernel. A hang creates the file named by FAKE_CUDA_HANGS, if any.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kNotFound = 500, kIllegalAddress = 700 };

static size_t sizes[4096]; // bytes of each allocation
static char *places[4096];
static int allocations;
static int broken;
static unsigned launches;

static const char *behaviour(const char *kind, const char *kernel) {
    const char *const wanted = getenv("FAKE_CUDA");
    const size_t length = strlen(kind);
    return wanted && !strncmp(wanted, kind, length) && (!kernel || !strcmp(wanted + length, kernel)) ? wanted : NULL;
}

static int status(void) {
    return broken ? kIllegalAddress : 0;
}

int cuInit(unsigned flags) {
    return (int)flags;
}
int cuDeviceGetCount(int *count) {
    return *count = behaviour("none", "") ? 0 : 1, 0;
}
int cuDeviceGet(int *device, int number) {
    return *device = number, 0;
}
int cuDeviceGetName(char *name, int size, int device) {
    return snprintf(name, (size_t)size, "Made-up GPU %d", device), 0;
}
int cuDriverGetVersion(int *version) {
    return *version = 12080, 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
    return *context = &broken, device;
}
int cuCtxSetCurrent(void *context) {
    return context != &broken;
}
int cuCtxSynchronize(void) {
    return status();
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    switch (attribute) {
    case 13:
        *value = 1500000;
        break; // kHz
    case 16:
        *value = 3;
        break; // SMs
    case 36:
        *value = 900000;
        break;
    case 38:
        *value = 1 << 20;
        break;
    case 75:
        *value = getenv("FAKE_MAJOR") ? atoi(getenv("FAKE_MAJOR")) : 9;
        break;
    case 76:
        *value = 0;
        break;
    default:
        return kNotFound;
    }
    return 0;
}

int cuGetErrorString(int error, const char **text) {
    *text = error == kIllegalAddress ? "an illegal memory access was encountered" : "another error";
    return 0;
}

int cuModuleLoadData(void **module, const void *image) {
    return *module = (void *)image, behaviour("old", NULL) ? 200 : status();
}
int cuModuleUnload(void *module) {
    return (void)module, status();
}

int cuModuleGetFunction(void **function, void *module, const char *name) {
    (void)module;
    *function = strdup(name);
    return status();
}

int cuMemAlloc_v2(uint64_t *address, size_t size) {
    char *const place = calloc(1, size);
    for (int i = 0; i < allocations; ++i) {
        if (!places[i]) {
            places[i] = place;
            sizes[i] = size;
            return *address = (uint64_t)(uintptr_t)place, status();
        }
    }
    places[allocations] = place;
    sizes[allocations++] = size;
    *address = (uint64_t)(uintptr_t)place;
    return status();
}

static int number_of(uint64_t address) {
    for (int i = 0; i < allocations; ++i) {
        if ((uint64_t)(uintptr_t)places[i] == address) {
            return i;
        }
    }
    return -1;
}

int cuMemFree_v2(uint64_t address) {
    const int number = number_of(address);
    if (number < 0) {
        return kIllegalAddress;
    }
    free(places[number]);
    places[number] = NULL;
    return status();
}

int cuMemcpyHtoD_v2(uint64_t address, const void *data, size_t size) {
    const int number = number_of(address);
    if (number < 0 || size > sizes[number]) {
        return kIllegalAddress;
    }
    memcpy(places[number], data, size);
    return status();
}

int cuMemcpyDtoH_v2(void *data, uint64_t address, size_t size) {
    const int number = number_of(address);
    if (number < 0 || size > sizes[number]) {
        return kIllegalAddress;
    }
    memcpy(data, places[number], size);
    return status();
}

int cuMemsetD8_v2(uint64_t address, unsigned char value, size_t size) {
    const int number = number_of(address);
    if (number < 0 || size > sizes[number]) {
        return kIllegalAddress;
    }
    memset(places[number], value, size);
    return status();
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned x, unsigned y,
                   unsigned z, unsigned shared, void *stream, void **arguments, void **extra) {
    const char *const kernel = function;
    (void)shared, (void)stream, (void)extra;
    if (grid_x * grid_y * grid_z == 0 || x * y * z == 0 || x * y * z > 1024) {
        return 1;
    }
    if (behaviour("crash:", kernel)) {
        abort();
    }
    if (behaviour("hang:", kernel)) {
        const char *const told = getenv("FAKE_CUDA_HANGS");
        if (told) {
            fclose(fopen(told, "w"));
        }
        for (;;) {
            pause();
        }
    }
    if (behaviour("refuse:", kernel)) {
        broken = 1;
        return 0; // like the real one: the next call reports it
    }
    const int number = number_of(*(const uint64_t *)arguments[0]);
    if (number < 0) {
        return kIllegalAddress;
    }
    if (!strcmp(kernel, "starts_frequency")) {
        uint64_t *const elapsed = (uint64_t *)places[number];
        elapsed[0] = *(const uint64_t *)arguments[1];
        elapsed[1] = elapsed[0] / 2; // 2 GHz
        return 0;
    }
    // Each section takes 1000 cycles more than the previous one, and each launch 16 cycles more or less than another.
    uint32_t *const pairs = (uint32_t *)places[number];
    const unsigned warps = (x * y * z + 31) / 32;
    ++launches;
    for (size_t pair = 0; pair < sizes[number] / 8; ++pair) {
        const uint32_t section = (uint32_t)(pair / warps);
        pairs[2 * pair] = 0xfffffff0u;
        pairs[2 * pair + 1] = 0xfffffff0u + (section + 1) * (1000 + 16 * (launches % 5));
    }
    return 0;
}
