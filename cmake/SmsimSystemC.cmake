# Finds SystemC and with it TLM-2.0: an Accellera CMake package (2.3.4, 3.x) first, then the distribution's package by
# pkg-config. A link symbol of the library encodes the language level of its own build, which is found by trial.
add_library(smsim_systemc INTERFACE)

find_package(SystemCLanguage CONFIG QUIET)
if(SystemCLanguage_FOUND)
  set(_smsim_systemc_lib SystemC::systemc)
  set(_smsim_systemc_from "CMake package ${SystemCLanguage_DIR}")
else()
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(systemc REQUIRED IMPORTED_TARGET systemc)
  set(_smsim_systemc_lib PkgConfig::systemc)
  set(_smsim_systemc_from "pkg-config, version ${systemc_VERSION}")
endif()

# A compiler that is older than the one that built the distribution's libraries links with an older C++ library, which lacks
# symbols that those libraries use (g++-13 on Debian 13). In this case the system's own library, with which programs run, is
# linked explicitly.
if(NOT DEFINED SMSIM_SC_CPLUSPLUS)
  file(WRITE ${CMAKE_BINARY_DIR}/probe/systemc.cpp
       "#include <systemc>\nint sc_main(int, char **) { return sc_core::sc_time_stamp().value() != 0; }\n")
  foreach(runtime "" -l:libstdc++.so.6)
    foreach(level "" 202002L 201703L 201402L 201103L)
      if(level STREQUAL "")
        set(_definition "")
      else()
        set(_definition -DSC_CPLUSPLUS=${level})
      endif()
      try_compile(_probe ${CMAKE_BINARY_DIR}/probe${level} SOURCES ${CMAKE_BINARY_DIR}/probe/systemc.cpp
                  COMPILE_DEFINITIONS ${_definition} LINK_LIBRARIES ${_smsim_systemc_lib} ${runtime}
                  CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON)
      if(_probe)
        set(SMSIM_SC_CPLUSPLUS "${level}" CACHE INTERNAL "language level of the SystemC library; empty: that of the compiler")
        set(SMSIM_SC_RUNTIME "${runtime}" CACHE INTERNAL "the C++ library that the SystemC library needs; empty: the compiler's")
        break()
      endif()
    endforeach()
    if(DEFINED SMSIM_SC_CPLUSPLUS)
      break()
    endif()
  endforeach()
  if(NOT DEFINED SMSIM_SC_CPLUSPLUS)
    message(FATAL_ERROR "SystemC was found (${_smsim_systemc_from}) but a program does not link with it at any language level")
  endif()
endif()
message(STATUS "SystemC: ${_smsim_systemc_from}, SC_CPLUSPLUS '${SMSIM_SC_CPLUSPLUS}'")

target_link_libraries(smsim_systemc INTERFACE ${_smsim_systemc_lib} ${SMSIM_SC_RUNTIME})
# SystemC 2.3.4 needs SC_HAS_PROCESS; version 3 deprecates it.
target_compile_definitions(smsim_systemc INTERFACE SC_ALLOW_DEPRECATED_IEEE_API)
if(SMSIM_SC_CPLUSPLUS)
  target_compile_definitions(smsim_systemc INTERFACE SC_CPLUSPLUS=${SMSIM_SC_CPLUSPLUS})
endif()
