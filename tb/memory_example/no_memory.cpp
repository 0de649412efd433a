// A library without a memory.
extern "C" int smsim_no_memory() {
    return 0;
}
