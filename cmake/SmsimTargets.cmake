# Functions that the folders use to declare themselves.

set_property(GLOBAL PROPERTY SMSIM_PARTS "")
set_property(GLOBAL PROPERTY SMSIM_PARTS_THAT_RUN "")
set_property(GLOBAL PROPERTY SMSIM_PARTS_AS_ONE "")

# smsim_precompile(TARGET [SYSTEMC | TESTS | MUTANTS]): gives the target a precompiled header with what most of its sources
# include: the standard library and fmt; with SYSTEMC also SystemC, with TESTS also SystemC and GoogleTest. MUTANTS is for the
# options of seeded bugs. Targets of a kind share one, so they must agree on all options that affect headers; a source with
# different options does not use it (SKIP_PRECOMPILE_HEADERS). The level of optimisation is such an option: compilers reject a
# header that was precompiled at another level.
set(_smsim_precompiled <algorithm> <array> <bit> <cstdint> <cstring> <functional> <map> <memory> <optional> <set> <span>
    <stdexcept> <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
set(_smsim_precompiled_MUTANTS ${_smsim_precompiled})
set(_smsim_precompiled_SYSTEMC ${_smsim_precompiled} <deque> <queue> <systemc> <tlm>)
set(_smsim_precompiled_TESTS ${_smsim_precompiled} <deque> <systemc> <tlm> <filesystem> <fstream> <sstream> <gtest/gtest.h> <gmock/gmock.h>)
function(smsim_precompile target)
  cmake_parse_arguments(ARG "SYSTEMC;TESTS;MUTANTS" "" "" ${ARGN})
  set(kind "")
  if(ARG_TESTS)
    set(kind _TESTS)
  elseif(ARG_SYSTEMC)
    set(kind _SYSTEMC)
  elseif(ARG_MUTANTS)
    set(kind _MUTANTS)
  endif()
  get_target_property(level ${target} SMSIM_RELEASE_LEVEL)
  if(NOT level)
    set(level "")
  endif()
  get_property(first GLOBAL PROPERTY SMSIM_PRECOMPILED${kind}${level})
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    target_precompile_headers(${target} PRIVATE ${_smsim_precompiled${kind}})
    set_property(GLOBAL PROPERTY SMSIM_PRECOMPILED${kind}${level} ${target})
  endif()
endfunction()

# smsim_quickly_built(TARGET): for code whose speed does not matter; it compiles in two thirds of the time.
function(smsim_quickly_built target)
  _smsim_release_level(${target} -O1)
endfunction()

# smsim_soonest_built(TARGET): for test programs, which spend their time in libraries; not optimised at all.
function(smsim_soonest_built target)
  _smsim_release_level(${target} -O0)
endfunction()

# The optimisation level of the target in a release; set it before smsim_precompile.
function(_smsim_release_level target level)
  foreach(property PRECOMPILE_HEADERS PRECOMPILE_HEADERS_REUSE_FROM)
    get_target_property(precompiled ${target} ${property})
    if(precompiled)
      message(FATAL_ERROR "${target}: the level of optimisation comes before smsim_precompile")
    endif()
  endforeach()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
  set_target_properties(${target} PROPERTIES SMSIM_RELEASE_LEVEL ${level})
endfunction()

# smsim_has_versions(SOURCES...): sources with functions for which the loader picks a version that suits the processor
# (model/multiversion.h). When GCC 12 optimises across files, it fails on some of them, and compiles others with the options of
# other files.
function(smsim_has_versions)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -fno-lto)
endfunction()

# smsim_vectorised(SOURCES...): sources with loops over the lanes of a warp.
function(smsim_vectorised)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -ftree-vectorize -ftree-slp-vectorize)
endfunction()

# smsim_part(NAME [SOURCES ...] [MODULES ...] [ALONE ...] [QUICKLY_BUILT | RUNS]): one folder of the model, part of the joined library.
# SOURCES are plain C++ without SystemC, so that the part's cores can be linked without it. MODULES are the sources that include
# SystemC. RUNS: the code in which a launch spends its time (smsim_run_as_one). With CMAKE_UNITY_BUILD, the sources of a folder
# are compiled together, which avoids reading and instantiating the same headers for each; ALONE are those of them that are not,
# because a name of theirs has another meaning in another source, or because a seeded bug (tb/mutants) replaces their object.
function(smsim_part name)
  cmake_parse_arguments(PART "QUICKLY_BUILT;RUNS" "" "SOURCES;MODULES;ALONE" ${ARGN})
  foreach(source ${PART_SOURCES} ${PART_MODULES})
    if(NOT source IN_LIST PART_ALONE)
      get_filename_component(folder ${source} DIRECTORY)
      string(MAKE_C_IDENTIFIER "of_${folder}" group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  _smsim_precompiled_headers()
  if(PART_RUNS)
    set(CMAKE_UNITY_BUILD OFF) # a seeded bug (tb/mutants) replaces the object of a single source
  endif()
  if(PART_SOURCES)
    _smsim_objects(smsim_${name} ${PART_SOURCES})
    if(PART_QUICKLY_BUILT)
      smsim_quickly_built(smsim_${name})
    endif()
    smsim_precompile(smsim_${name})
  endif()
  if(PART_MODULES)
    _smsim_objects(smsim_${name}_modules ${PART_MODULES})
    target_link_libraries(smsim_${name}_modules PUBLIC smsim_systemc)
    smsim_precompile(smsim_${name}_modules SYSTEMC)
  endif()
  if(PART_RUNS AND SMSIM_ACROSS_FILES STREQUAL "parts")
    _smsim_object_library(smsim_${name}_as_one ${PART_SOURCES} ${PART_MODULES})
    target_link_libraries(smsim_${name}_as_one PRIVATE smsim_systemc)
    target_compile_options(smsim_${name}_as_one PRIVATE ${SMSIM_RUN_AS_ONE_OPTIONS} -fno-fat-lto-objects)
    set_target_properties(smsim_${name}_as_one PROPERTIES UNITY_BUILD ${SMSIM_UNITY_BUILD}
                                                          EXPORT_COMPILE_COMMANDS OFF) # linters find each source once
    set_property(GLOBAL APPEND PROPERTY SMSIM_PARTS_AS_ONE smsim_${name}_as_one)
    set_property(GLOBAL APPEND PROPERTY SMSIM_PARTS_THAT_RUN smsim_${name} smsim_${name}_modules)
  endif()
endfunction()

# The precompiled headers of parts, in separate targets: a program that runs launches as one needs those headers for its other
# parts, but not the objects of a part whose header they share.
function(_smsim_precompiled_headers)
  if(NOT TARGET smsim_precompiled)
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cpp CONTENT "// Owns a precompiled header.\n")
    _smsim_object_library(smsim_precompiled ${CMAKE_BINARY_DIR}/precompiled.cpp)
    smsim_precompile(smsim_precompiled)
    _smsim_object_library(smsim_precompiled_systemc ${CMAKE_BINARY_DIR}/precompiled.cpp)
    target_link_libraries(smsim_precompiled_systemc PUBLIC smsim_systemc)
    smsim_precompile(smsim_precompiled_systemc SYSTEMC)
  endif()
endfunction()

# Objects of one folder, which are part of the joined library.
function(_smsim_objects target)
  _smsim_object_library(${target} ${ARGN})
  set_property(GLOBAL APPEND PROPERTY SMSIM_PARTS ${target})
endfunction()

function(_smsim_object_library target)
  add_library(${target} OBJECT ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${target} PRIVATE smsim_options smsim_unreplaced)
  target_link_libraries(${target} PUBLIC spdlog::spdlog fmt::fmt yaml-cpp nlohmann_json::nlohmann_json ZLIB::ZLIB)
endfunction()

# What users of the library need to include its headers and to link with its objects.
function(_smsim_library_of target)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/smsim>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC smsim_systemc spdlog::spdlog fmt::fmt yaml-cpp nlohmann_json::nlohmann_json ZLIB::ZLIB
                                         $<BUILD_INTERFACE:smsim_options>)
  foreach(part ${ARGN})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
  endforeach()
endfunction()

# smsim_join_library(): makes the installable library from the objects of all parts, and `smsim_linked`, with which libraries of
# this project link: the same objects, but for programs that run launches as one (smsim_run_as_one) only the parts that do not
# run them.
function(smsim_join_library)
  get_property(parts GLOBAL PROPERTY SMSIM_PARTS)
  add_library(smsim_library STATIC)
  _smsim_library_of(smsim_library ${parts})
  set_target_properties(smsim_library PROPERTIES OUTPUT_NAME smsim EXPORT_NAME smsim)
  add_library(smsim::smsim ALIAS smsim_library)
  add_library(smsim_linked INTERFACE)
  if(SMSIM_ACROSS_FILES STREQUAL "parts")
    get_property(running GLOBAL PROPERTY SMSIM_PARTS_THAT_RUN)
    list(REMOVE_ITEM parts ${running})
    add_library(smsim_around STATIC)
    _smsim_library_of(smsim_around ${parts})
    target_link_libraries(smsim_linked INTERFACE $<IF:$<BOOL:$<TARGET_PROPERTY:SMSIM_RUNS_AS_ONE>>,smsim_around,smsim_library>)
  else()
    target_link_libraries(smsim_linked INTERFACE smsim_library)
  endif()
endfunction()

# smsim_run_as_one(TARGET): for a program that links with smsim_linked, or a library for such programs: optimises the parts that
# run a launch across their files. A warp instruction passes through a dozen files; compiled separately, each adds calls that
# cannot be inlined.
function(smsim_run_as_one target)
  if(NOT SMSIM_ACROSS_FILES STREQUAL "parts")
    return()
  endif()
  set_target_properties(${target} PROPERTIES SMSIM_RUNS_AS_ONE ON)
  get_target_property(kind ${target} TYPE)
  if(kind STREQUAL "EXECUTABLE")
    get_property(parts GLOBAL PROPERTY SMSIM_PARTS_AS_ONE)
    foreach(part ${parts})
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${part}>)
    endforeach()
    # In one piece: GCC 12 fails on some orders of the objects when it divides them among several processes. If the compiler
    # fails anyway, the program is linked without this optimisation.
    target_link_options(${target} PRIVATE -flto -flto-partition=none ${SMSIM_MISTAKEN_WARNINGS})
    set_target_properties(${target} PROPERTIES RULE_LAUNCH_LINK ${PROJECT_SOURCE_DIR}/cmake/link-across-files)
  endif()
endfunction()

# Shared by all test programs and compiled once: `sc_main`, and the precompiled header of the tests.
function(smsim_test_main)
  add_library(smsim_test_main OBJECT ${PROJECT_SOURCE_DIR}/tb/support/test_main.cpp)
  target_link_libraries(smsim_test_main PRIVATE smsim_options PUBLIC smsim::smsim GTest::gmock GTest::gtest)
  # Compiled like programs, not like libraries: a program cannot use what is precompiled with -fPIC.
  set_target_properties(smsim_test_main PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(smsim_test_main PRIVATE -fPIE)
  smsim_soonest_built(smsim_test_main)
  smsim_precompile(smsim_test_main TESTS)
endfunction()

# smsim_test(NAME SOURCES... [LABELS ...] [TIMEOUT s] [COST s]): a GoogleTest program whose tests each run in a process of
# their own (a SystemC kernel cannot be started twice in one process). TIMEOUT ends a test that hangs, but not one that is slow
# because the machine is busy. COST is the approximate time of the longest tests: without data from an earlier run, these are
# started first.
function(smsim_test name)
  cmake_parse_arguments(TEST "" "TIMEOUT;COST" "SOURCES;LABELS;LIBRARIES" ${ARGN})
  if(NOT TEST_TIMEOUT)
    set(TEST_TIMEOUT 1800)
  endif()
  if(NOT TEST_COST)
    set(TEST_COST 0)
  endif()
  if(SMSIM_INSTRUMENT)
    math(EXPR TEST_TIMEOUT "${TEST_TIMEOUT} * 10") # such a build takes several times as long
  endif()
  foreach(label unit cosim)
    if(label IN_LIST TEST_LABELS AND NOT slow IN_LIST TEST_LABELS)
      set_property(GLOBAL APPEND PROPERTY SMSIM_TESTS_${label} ${name})
    endif()
  endforeach()
  add_executable(${name} ${TEST_SOURCES})
  target_link_libraries(${name} PRIVATE smsim_options smsim_test_main ${TEST_LIBRARIES})
  smsim_soonest_built(${name})
  smsim_precompile(${name} TESTS)
  target_compile_definitions(${name} PRIVATE SMSIM_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             SMSIM_BINARY="$<TARGET_FILE:smsim_program>")
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  # A test that needs an RTL block left out of this build (cosim/verilated) is skipped, with the reason.
  get_property(left_out GLOBAL PROPERTY SMSIM_RTL_LEFT_OUT)
  set(skipped "")
  if(left_out)
    set(skipped SKIP_REGULAR_EXPRESSION "this program holds no RTL of the block")
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 600
                       PROPERTIES TIMEOUT ${TEST_TIMEOUT} COST ${TEST_COST} LABELS "${TEST_LABELS}" ${skipped})
endfunction()
