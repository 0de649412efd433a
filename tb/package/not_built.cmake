# Installs a build without the library, such as a build of the program alone: the component that needs it reports this,
# and what to do, before it copies anything. Variables: BUILD, LIBRARY (its file, moved to another name here), PREFIX.
file(REMOVE_RECURSE ${PREFIX})
file(READ ${BUILD}/cmake_install.cmake script)
string(REPLACE "${LIBRARY}" "${LIBRARY}.is_not_there" script "${script}")
file(WRITE ${PREFIX}/install.cmake "${script}")
execute_process(COMMAND ${CMAKE_COMMAND} -DCMAKE_INSTALL_PREFIX=${PREFIX}/installed -P ${PREFIX}/install.cmake
                RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
if(status EQUAL 0 OR NOT errors MATCHES "is not built, which the component 'development' needs; build the target all, or install with --component runtime"
   OR EXISTS ${PREFIX}/installed)
  message(FATAL_ERROR "status ${status}: ${errors}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -DCMAKE_INSTALL_PREFIX=${PREFIX}/installed -DCMAKE_INSTALL_COMPONENT=runtime
                        -P ${PREFIX}/install.cmake OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
if(NOT EXISTS ${PREFIX}/installed)
  message(FATAL_ERROR "the component runtime was not installed")
endif()
file(REMOVE_RECURSE ${PREFIX})
