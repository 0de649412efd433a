// A library without policies: smsim must say what is missing.
extern "C" int smsim_no_policies_here() {
    return 0;
}
