# Language level, warnings, sanitizers and coverage: one interface target that every object of the project uses.

# Options of earlier versions, and what has replaced them.
set(_smsim_now_SMSIM_BENCHMARKS SMSIM_TESTS)
set(_smsim_now_SMSIM_WERROR CMAKE_COMPILE_WARNING_AS_ERROR)
set(_smsim_now_SMSIM_SANITIZE SMSIM_INSTRUMENT)
set(_smsim_now_SMSIM_COVERAGE SMSIM_INSTRUMENT=coverage)
set(_smsim_now_SMSIM_FUZZ SMSIM_INSTRUMENT=fuzzer-no-link)
set(_smsim_now_SMSIM_LTO SMSIM_ACROSS_FILES)
set(_smsim_now_SMSIM_PROFILE_DIR SMSIM_PROFILE)
set(_smsim_now_SMSIM_RTL_SUBS SMSIM_RTL)
set(_smsim_now_SMSIM_RTL_WARPS SMSIM_RTL)
foreach(_earlier SMSIM_BENCHMARKS SMSIM_WERROR SMSIM_SANITIZE SMSIM_COVERAGE SMSIM_FUZZ SMSIM_LTO SMSIM_PROFILE_DIR SMSIM_RTL_SUBS
        SMSIM_RTL_WARPS)
  if(DEFINED CACHE{${_earlier}})
    message(WARNING "${_earlier} is no option any more, and has no effect; ${_smsim_now_${_earlier}} has replaced it")
    unset(${_earlier} CACHE)
  endif()
endforeach()

# Older compilers are untested, or fail in the middle of the build, so they are rejected here by name.
set(_smsim_oldest_GNU 12)
set(_smsim_oldest_Clang 14)
if(NOT DEFINED _smsim_oldest_${CMAKE_CXX_COMPILER_ID})
  message(WARNING "${CMAKE_CXX_COMPILER_ID} was never tried with smsim; GCC from ${_smsim_oldest_GNU} and clang from ${_smsim_oldest_Clang} on were")
elseif(CMAKE_CXX_COMPILER_VERSION VERSION_LESS _smsim_oldest_${CMAKE_CXX_COMPILER_ID})
  message(FATAL_ERROR "${CMAKE_CXX_COMPILER} is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}; smsim needs GCC from "
                      "${_smsim_oldest_GNU} or clang from ${_smsim_oldest_Clang} on (-DCMAKE_CXX_COMPILER=g++-12, for instance)")
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

set(SMSIM_FUZZ OFF)
if(SMSIM_INSTRUMENT MATCHES "fuzzer")
  set(SMSIM_FUZZ ON)
endif()

add_library(smsim_options INTERFACE)
target_compile_options(smsim_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
                                               -Wcast-qual -ffp-contract=off)

# The parts are compiled as position-independent code, because libraries are made from them, too. Symbol interposition is
# unsupported, so calls within a file may be direct and inlined, and calls into libraries need no stub.
add_library(smsim_unreplaced INTERFACE)
target_compile_options(smsim_unreplaced INTERFACE -fno-semantic-interposition -fno-plt)

# What is optimised across files (SMSIM_ACROSS_FILES): `parts` are those that run a launch, in the programs that need speed
# (smsim_run_as_one in SmsimTargets.cmake); everything else is linked as usual. With `all`, and with SMSIM_PROFILE, programs
# need the compiler and the libraries that they were made with: scripts/build-profiled.
if(SMSIM_ACROSS_FILES STREQUAL "")
  set(SMSIM_ACROSS_FILES none)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT SMSIM_INSTRUMENT)
    include(CheckIPOSupported)
    check_ipo_supported(RESULT _smsim_across_files LANGUAGES CXX)
    if(_smsim_across_files)
      set(SMSIM_ACROSS_FILES parts)
    endif()
  endif()
elseif(NOT SMSIM_ACROSS_FILES MATCHES "^(none|parts|all)$")
  message(FATAL_ERROR "SMSIM_ACROSS_FILES is '${SMSIM_ACROSS_FILES}'; expected nothing, 'none', 'parts' or 'all'")
endif()
if((NOT SMSIM_ACROSS_FILES STREQUAL "none" OR SMSIM_PROFILE) AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "SMSIM_ACROSS_FILES and SMSIM_PROFILE are written for GCC; the compiler is ${CMAKE_CXX_COMPILER_ID}")
endif()
set(SMSIM_OPTIMISED_ACROSS_FILES ${SMSIM_ACROSS_FILES} CACHE INTERNAL "What is optimised across files in this build")
# Without a profile, GCC inlines too few of the calls that each warp instruction makes. Vector code for a few members of a
# struct costs more than it saves if they have just been written; where it pays, sources ask for it (smsim_vectorised).
set(SMSIM_RUN_AS_ONE_OPTIONS -flto -fno-tree-vectorize -fno-tree-slp-vectorize)
foreach(limit max-inline-insns-auto=150 max-inline-insns-single=500 inline-min-speedup=5 inline-unit-growth=300
        large-function-growth=1000 large-function-insns=20000 large-stack-frame=8000 large-stack-frame-growth=8000)
  list(APPEND SMSIM_RUN_AS_ONE_OPTIONS --param=${limit})
endforeach()
if(SMSIM_ACROSS_FILES STREQUAL "all")
  # The library can also be linked without it.
  target_compile_options(smsim_unreplaced INTERFACE -flto=auto -ffat-lto-objects)
  add_link_options(-flto=auto)
endif()
if(SMSIM_PROFILE MATCHES "^generate:(.+)$")
  target_compile_options(smsim_unreplaced INTERFACE -fprofile-generate=${CMAKE_MATCH_1} -fprofile-update=single)
  add_link_options(-fprofile-generate=${CMAKE_MATCH_1})
elseif(SMSIM_PROFILE MATCHES "^use:(.+)$")
  # Code that does not run during counting is compiled as without a profile.
  target_compile_options(smsim_unreplaced INTERFACE -fprofile-use=${CMAKE_MATCH_1} -fprofile-correction -fprofile-partial-training
                                                    -Wno-missing-profile -Wno-coverage-mismatch)
elseif(SMSIM_PROFILE)
  message(FATAL_ERROR "SMSIM_PROFILE is '${SMSIM_PROFILE}'; expected nothing, 'generate:FOLDER' or 'use:FOLDER'")
endif()

# GCC 12 to 14 report null pointers in std::string where there are none, and GCC from 13 on mistakes a reference into an
# argument for one into a temporary beside it.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(smsim_options INTERFACE -Wnull-dereference)
elseif(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(smsim_options INTERFACE -Wno-dangling-reference)
endif()
if(SMSIM_INSTRUMENT STREQUAL "coverage")
  target_compile_options(smsim_options INTERFACE --coverage)
  target_link_options(smsim_options INTERFACE --coverage)
elseif(SMSIM_INSTRUMENT)
  target_compile_options(smsim_options INTERFACE -fsanitize=${SMSIM_INSTRUMENT} -fno-sanitize-recover=all
                                                 -fno-omit-frame-pointer)
  target_link_options(smsim_options INTERFACE -fsanitize=${SMSIM_INSTRUMENT})
endif()

# Headers that most sources read are compiled once (smsim_precompile in SmsimTargets.cmake). A compiler cache works better
# without them: it then recognises a source in any build tree. Each source still includes what it uses; builds without
# precompiled headers verify this: those with a cache, and the preset `debug`.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache" AND NOT DEFINED CMAKE_DISABLE_PRECOMPILE_HEADERS)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
# Nor are the sources of a part combined in such a build (CMAKE_UNITY_BUILD).
if(CMAKE_DISABLE_PRECOMPILE_HEADERS)
  set(CMAKE_UNITY_BUILD OFF)
endif()
set(SMSIM_UNITY_BUILD ${CMAKE_UNITY_BUILD})
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC takes classes of the sources themselves for classes of headers.
  target_compile_options(smsim_options INTERFACE -Wno-subobject-linkage)
endif()
# GCC 12 forgets which precompiled headers are system headers, and then reports false positives in std::string (GCC bug 105651),
# as it does when it optimises across files; later versions do so for the lanes of a mask. Only builds with GCC 12 and without
# precompiled headers enable these warnings.
set(SMSIM_MISTAKEN_WARNINGS "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(SMSIM_MISTAKEN_WARNINGS -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
endif()
if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS OR CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(smsim_options INTERFACE ${SMSIM_MISTAKEN_WARNINGS})
endif()
