// Entry point of every test program: GoogleTest inside sc_main, with SystemC warnings reported as failures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>

int sc_main(int argc, char **argv) {
    ::testing::InitGoogleMock(&argc, argv);
    sc_core::sc_report_handler::set_actions(sc_core::SC_INFO, sc_core::SC_DO_NOTHING);
    sc_core::sc_report_handler::set_actions(sc_core::SC_WARNING, sc_core::SC_THROW);
    return RUN_ALL_TESTS();
}
