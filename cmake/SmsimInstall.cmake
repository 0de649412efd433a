# Installation: the library with its headers and a CMake package, the program, configurations and kernels.
include(CMakePackageConfigHelpers)

install(TARGETS smsim_library smsim_systemc EXPORT smsim-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS smsim_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(part model ibuffer bru bcu memory ptx sm)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${part}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/smsim/${part}
          FILES_MATCHING PATTERN "*.h")
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/configs ${PROJECT_SOURCE_DIR}/kernels
        DESTINATION ${CMAKE_INSTALL_DATADIR}/smsim)

install(EXPORT smsim-targets NAMESPACE smsim:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/smsim)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/smsim-config.cmake.in ${CMAKE_BINARY_DIR}/smsim-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/smsim)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/smsim-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/smsim-config.cmake ${CMAKE_BINARY_DIR}/smsim-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/smsim)
