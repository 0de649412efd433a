# Functions that the folders use to declare themselves.

set_property(GLOBAL PROPERTY SMSIM_PARTS "")

# smsim_part(NAME SOURCES... [SYSTEMC]): one folder of the model as an object library, part of the joined library.
function(smsim_part name)
  cmake_parse_arguments(PART "SYSTEMC" "" "SOURCES" ${ARGN})
  add_library(smsim_${name} OBJECT ${PART_SOURCES})
  target_include_directories(smsim_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(smsim_${name} PRIVATE smsim_options)
  target_link_libraries(smsim_${name} PUBLIC spdlog::spdlog fmt::fmt yaml-cpp nlohmann_json::nlohmann_json)
  if(PART_SYSTEMC)
    target_link_libraries(smsim_${name} PUBLIC smsim_systemc)
  endif()
  set_property(GLOBAL APPEND PROPERTY SMSIM_PARTS smsim_${name})
endfunction()

# smsim_join_library(): the one installable library from the objects of all parts.
function(smsim_join_library)
  get_property(parts GLOBAL PROPERTY SMSIM_PARTS)
  add_library(smsim_library STATIC)
  foreach(part ${parts})
    target_sources(smsim_library PRIVATE $<TARGET_OBJECTS:${part}>)
  endforeach()
  target_include_directories(smsim_library PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/smsim>)
  target_compile_features(smsim_library PUBLIC cxx_std_20)
  target_link_libraries(smsim_library PUBLIC smsim_systemc spdlog::spdlog fmt::fmt yaml-cpp nlohmann_json::nlohmann_json
                                             $<BUILD_INTERFACE:smsim_options>)
  set_target_properties(smsim_library PROPERTIES OUTPUT_NAME smsim EXPORT_NAME smsim)
  add_library(smsim::smsim ALIAS smsim_library)
endfunction()

# smsim_test(NAME SOURCES... [LABELS ...] [TIMEOUT s]): a GoogleTest program whose tests each run in a process of
# their own (a SystemC kernel cannot be started twice in one process).
function(smsim_test name)
  cmake_parse_arguments(TEST "" "TIMEOUT" "SOURCES;LABELS;LIBRARIES" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 120)
  endif()
  if(SMSIM_SANITIZE OR SMSIM_COVERAGE)
    math(EXPR TEST_TIMEOUT "${TEST_TIMEOUT} * 10") # such a build takes several times as long
  endif()
  add_executable(${name} ${TEST_SOURCES} ${PROJECT_SOURCE_DIR}/tb/support/test_main.cpp)
  target_link_libraries(${name} PRIVATE smsim_options smsim::smsim GTest::gmock GTest::gtest ${TEST_LIBRARIES})
  # What a test spends its time on is in the libraries; the tests themselves are compiled in half the time without the
  # higher optimisations.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  target_compile_definitions(${name} PRIVATE SMSIM_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             SMSIM_BINARY="$<TARGET_FILE:smsim_program>")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT ${TEST_TIMEOUT} LABELS "${TEST_LABELS}")
endfunction()
