// A library that is none of a memory.
extern "C" int smsim_no_memory() {
    return 0;
}
