# Installation in two components: `runtime` for users of the programs (smsim, smsim-sweep, smsim-explore, configurations,
# kernels, documents, manual pages, completion), `development` for other projects (the library with its headers and a CMake
# package). docs/installation.md lists the places.
include(CMakePackageConfigHelpers)

# Before anything is copied, reports what is not built, and how to install the rest.
function(smsim_require_built target component advice)
  install(CODE "
    if(NOT EXISTS \"$<TARGET_FILE:${target}>\")
      message(FATAL_ERROR \"$<TARGET_FILE:${target}> is not built, which the component '${component}' needs; ${advice}\")
    endif()" COMPONENT ${component})
endfunction()
smsim_require_built(smsim_program runtime "build the target smsim_program, or install with --component development")
smsim_require_built(smsim_library development "build the target all, or install with --component runtime")

# Development.
install(TARGETS smsim_library smsim_systemc EXPORT smsim-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
include(SmsimPublicHeaders)
foreach(header ${SMSIM_PUBLIC_HEADERS})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/smsim/${folder} COMPONENT development)
endforeach()
# Complete programs that use the library, with the CMake file that builds them; the documents show parts of them.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tb/package/consumer/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT development)
install(EXPORT smsim-targets NAMESPACE smsim:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/smsim COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/smsim-config.cmake.in ${CMAKE_BINARY_DIR}/smsim-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/smsim PATH_VARS CMAKE_INSTALL_LIBDIR
                              NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/smsim-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/smsim-config.cmake ${CMAKE_BINARY_DIR}/smsim-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/smsim COMPONENT development)

# For builds without CMake. SystemC is required by its own file where it was found by one; the place of a CMake package, which
# may have no such file, is written out.
file(RELATIVE_PATH smsim_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
set(smsim_requires "systemc ")
set(smsim_libs "")
set(smsim_cflags -DSC_ALLOW_DEPRECATED_IEEE_API)
if(SystemCLanguage_FOUND)
  set(smsim_requires "")
  get_target_property(_library SystemC::systemc LOCATION)
  cmake_path(GET _library PARENT_PATH _folder)
  if(_folder AND NOT _folder IN_LIST CMAKE_CXX_IMPLICIT_LINK_DIRECTORIES)
    string(APPEND smsim_libs " -L${_folder}")
  endif()
  string(APPEND smsim_libs " -lsystemc")
  get_target_property(_folders SystemC::systemc INTERFACE_INCLUDE_DIRECTORIES)
  foreach(_folder IN LISTS _folders)
    if(_folder AND NOT _folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
      string(APPEND smsim_cflags " -I${_folder}")
    endif()
  endforeach()
endif()
if(SMSIM_SC_RUNTIME)
  string(APPEND smsim_libs " ${SMSIM_SC_RUNTIME}")
endif()
if(SMSIM_SC_CPLUSPLUS)
  string(APPEND smsim_cflags " -DSC_CPLUSPLUS=${SMSIM_SC_CPLUSPLUS}")
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/smsim.pc.in ${CMAKE_BINARY_DIR}/smsim.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/smsim.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# The C interface: a shared library with a header in C, found by CMake and pkg-config. A build of the program alone has none.
get_property(c_version GLOBAL PROPERTY SMSIM_C_VERSION)
install(TARGETS smsim_c EXPORT smsim-c-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development OPTIONAL NAMELINK_COMPONENT development)
install(EXPORT smsim-c-targets NAMESPACE smsim:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/smsim COMPONENT development)
configure_file(${PROJECT_SOURCE_DIR}/cmake/smsim_c.pc.in ${CMAKE_BINARY_DIR}/smsim_c.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/smsim_c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/session/c/smsim_c.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tb/package/c_interface/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/c_interface
        COMPONENT development)

# The golden model: a shared library with a header in C, found by CMake and pkg-config without the rest, its SystemVerilog package,
# and its examples. A build of the program alone has no golden model.
get_property(golden_version GLOBAL PROPERTY SMSIM_GOLDEN_VERSION)
set(_golden ${PROJECT_SOURCE_DIR}/cosim/golden)
set(_golden_package ${CMAKE_INSTALL_LIBDIR}/cmake/smsim_golden)
install(TARGETS smsim_golden EXPORT smsim_golden-config
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development OPTIONAL NAMELINK_COMPONENT development)
install(EXPORT smsim_golden-config NAMESPACE smsim:: DESTINATION ${_golden_package} COMPONENT development)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/smsim_golden-config-version.cmake VERSION ${golden_version}
                                 COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/smsim_golden-config-version.cmake DESTINATION ${_golden_package} COMPONENT development)
file(RELATIVE_PATH golden_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/smsim_golden.pc.in ${CMAKE_BINARY_DIR}/smsim_golden.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/smsim_golden.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES ${_golden}/smsim_golden.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(FILES ${_golden}/smsim_golden_pkg.sv DESTINATION ${CMAKE_INSTALL_DATADIR}/smsim/golden COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tb/package/golden/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/golden COMPONENT development)
install(DIRECTORY ${_golden}/example/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/golden/bench COMPONENT development
        USE_SOURCE_PERMISSIONS)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/cosim/rtl/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples/golden/bench/rtl COMPONENT development
        FILES_MATCHING PATTERN "*.sv")

# The program, and the files that runs read.
set(_data ${CMAKE_INSTALL_DATADIR}/smsim)
install(TARGETS smsim_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs ${PROJECT_SOURCE_DIR}/cuda ${PROJECT_SOURCE_DIR}/kernels DESTINATION ${_data} COMPONENT runtime
        PATTERN "__pycache__" EXCLUDE)

# Sweep and explore: one Python package, which finds its files through a file in it (installed.json), and two programs that find the package.
# All paths are relative, so that the prefix may differ from the configured one.
set(_python ${_data}/python)
file(RELATIVE_PATH python ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_DATADIR}/smsim/python)
foreach(tool sweep explore)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/smsim-tool.in ${CMAKE_BINARY_DIR}/installed/smsim-${tool} @ONLY)
  install(PROGRAMS ${CMAKE_BINARY_DIR}/installed/smsim-${tool} DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT runtime)
endforeach()
file(RELATIVE_PATH program ${CMAKE_INSTALL_FULL_DATADIR}/smsim/python/smsim ${CMAKE_INSTALL_FULL_BINDIR}/smsim)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/installed/installed.json CONTENT "{\"program\": \"@program@\", \"data\": \"../..\"}\n"
     @ONLY)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/smsim DESTINATION ${_python} COMPONENT runtime
        PATTERN "__pycache__" EXCLUDE)
install(FILES ${CMAKE_BINARY_DIR}/installed/installed.json ${PROJECT_SOURCE_DIR}/views/page/stall_reasons.json
        DESTINATION ${_python}/smsim COMPONENT runtime)

# Documents, in the same relative places as in the source tree, so that their links work. The licence is also installed under
# the name that Debian uses; the pages of smsim report contain d3, so its licence is installed, too.
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
              ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime RENAME copyright)
install(FILES ${SMSIM_D3_LICENCE} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime RENAME copyright.d3)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime
        PATTERN manual EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/kernels/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/kernels COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/configs/default.yaml DESTINATION ${CMAKE_INSTALL_DOCDIR}/configs COMPONENT runtime)

# The tool that makes libraries of RTL blocks: the script finds the other two files beside it.
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/verilate DESTINATION ${_data}/verilate COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/cosim/smsim_block.h ${PROJECT_SOURCE_DIR}/cosim/verilated/library.cpp
        DESTINATION ${_data}/verilate COMPONENT runtime)

# Manual pages: their texts about options come from the programs. Without Python there are none.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  set(_pages "")
  file(GLOB _options ${PROJECT_SOURCE_DIR}/python/smsim/*_options.py)
  foreach(name smsim smsim-sweep smsim-explore)
    set(_page ${CMAKE_BINARY_DIR}/manual/${name}.1)
    set(_text ${PROJECT_SOURCE_DIR}/docs/manual/${name}.1.in)
    add_custom_command(
      OUTPUT ${_page}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/manual
      COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/make-manual $<TARGET_FILE:smsim_program> ${_text} ${_page}
      DEPENDS smsim_program ${_text} ${PROJECT_SOURCE_DIR}/scripts/make-manual ${_options}
      COMMENT "Manual page ${name}(1)" VERBATIM)
    list(APPEND _pages ${_page})
  endforeach()
  add_custom_target(smsim_manual ALL DEPENDS ${_pages})
  # A build of the program alone can be installed, too; it has no manual pages.
  install(FILES ${_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT runtime OPTIONAL)
else()
  message(WARNING "Manual pages are left out: Python is not there")
endif()

# Completion; bash looks for one file per program.
foreach(name smsim smsim-sweep smsim-explore)
  install(FILES ${PROJECT_SOURCE_DIR}/scripts/completion/smsim.bash COMPONENT runtime RENAME ${name}
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/scripts/completion/_smsim DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
        COMPONENT runtime)
