# Language level, warnings, sanitizers and coverage: one interface target that every object of the project uses.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

add_library(smsim_options INTERFACE)
target_compile_options(smsim_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
                                               -Wcast-qual -ffp-contract=off)

# The parts are compiled as position-independent code, because libraries are made of them too. Nobody puts a function of his
# own in the place of one of theirs by its name: calls inside of a file may be direct and inlined, those of libraries need no
# stub.
add_library(smsim_unreplaced INTERFACE)
target_compile_options(smsim_unreplaced INTERFACE -fno-semantic-interposition -fno-plt)

# Options of speed, which are off by default: with them the parts are compiled for what they were measured with.
# scripts/build-profiled goes all the way.
if((SMSIM_LTO OR SMSIM_PROFILE) AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "SMSIM_LTO and SMSIM_PROFILE are written for GCC; the compiler is ${CMAKE_CXX_COMPILER_ID}")
endif()
if(SMSIM_LTO)
  # The library can be linked without it as well.
  target_compile_options(smsim_unreplaced INTERFACE -flto=auto -ffat-lto-objects)
  add_link_options(-flto=auto)
endif()
if(SMSIM_PROFILE STREQUAL "generate")
  target_compile_options(smsim_unreplaced INTERFACE -fprofile-generate=${SMSIM_PROFILE_DIR} -fprofile-update=single)
  add_link_options(-fprofile-generate=${SMSIM_PROFILE_DIR})
elseif(SMSIM_PROFILE STREQUAL "use")
  # Not everything runs while it is counted, and what does not is compiled as without.
  target_compile_options(smsim_unreplaced INTERFACE -fprofile-use=${SMSIM_PROFILE_DIR} -fprofile-correction -fprofile-partial-training
                                                    -Wno-missing-profile -Wno-coverage-mismatch)
elseif(SMSIM_PROFILE)
  message(FATAL_ERROR "SMSIM_PROFILE is '${SMSIM_PROFILE}'; expected nothing, 'generate' or 'use'")
endif()

# GCC 12 sees null pointers in std::string where there are none.
if(NOT (CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13))
  target_compile_options(smsim_options INTERFACE -Wnull-dereference)
endif()
if(SMSIM_WERROR)
  target_compile_options(smsim_options INTERFACE -Werror)
endif()
if(SMSIM_SANITIZE)
  target_compile_options(smsim_options INTERFACE -fsanitize=${SMSIM_SANITIZE} -fno-sanitize-recover=all
                                                 -fno-omit-frame-pointer)
  target_link_options(smsim_options INTERFACE -fsanitize=${SMSIM_SANITIZE})
endif()
if(SMSIM_COVERAGE)
  target_compile_options(smsim_options INTERFACE --coverage)
  target_link_options(smsim_options INTERFACE --coverage)
endif()

# Headers that most sources read are compiled once (smsim_precompile in SmsimTargets.cmake). A compiler cache does better
# without: it then knows a source again in any build tree. Each source includes what it uses all the same, which builds
# without precompiled headers show: those of a cache, and the preset `debug`.
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache" AND NOT DEFINED CMAKE_DISABLE_PRECOMPILE_HEADERS)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
# GCC 12 forgets which precompiled headers are the system's, and then tells of its own mistakes in std::string (GCC bug 105651).
# Builds without precompiled headers ask for these warnings.
if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(smsim_options INTERFACE -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread -Wno-array-bounds)
endif()
