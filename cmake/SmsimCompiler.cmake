# Language level, warnings, sanitizers and coverage: one interface target that every object of the project uses.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

add_library(smsim_options INTERFACE)
target_compile_options(smsim_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
                                               -Wcast-qual -Wnull-dereference -ffp-contract=off)
if(SMSIM_WERROR)
  target_compile_options(smsim_options INTERFACE -Werror)
endif()
if(SMSIM_SANITIZE)
  target_compile_options(smsim_options INTERFACE -fsanitize=${SMSIM_SANITIZE} -fno-sanitize-recover=all
                                                 -fno-omit-frame-pointer)
  target_link_options(smsim_options INTERFACE -fsanitize=${SMSIM_SANITIZE})
endif()
if(SMSIM_COVERAGE)
  target_compile_options(smsim_options INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(smsim_options INTERFACE --coverage)
endif()
