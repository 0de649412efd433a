# Components of the installed package, and what is said about those that cannot be had. Variables: PREFIX, SOURCE, WORK,
# GENERATOR, LIBDIR.
file(REMOVE_RECURSE ${WORK})
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

# Configures with an installation and arguments of find_package: the status and the output, with white space as single blanks.
function(configure prefix wanted)
  file(REMOVE_RECURSE ${WORK}/build)
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE}/components -B ${WORK}/build -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix}
                          -DEXAMPLES=${SOURCE} "-DWANTED=${wanted}" ${ARGN}
                  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(result ${result} PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

# Configuring gives this status (0, or anything else) and says this.
function(expect status text)
  string(FIND "${output}" "${text}" place)
  if(status EQUAL 0 AND NOT result EQUAL 0 OR NOT status EQUAL 0 AND result EQUAL 0 OR place EQUAL -1)
    message(FATAL_ERROR "expected status ${status} and '${text}'; found ${result}:\n${output}")
  endif()
endfunction()

# Those in C need no package of another library.
set(without "")
foreach(package SystemCLanguage PkgConfig spdlog fmt yaml-cpp nlohmann_json ZLIB)
  list(APPEND without -DCMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
configure(${PREFIX} "REQUIRED;COMPONENTS;c;golden" ${without})
expect(0 "-- smsim is found -- smsim_c is found -- smsim_golden is found")
step(${CMAKE_COMMAND} --build ${WORK}/build)
step(${WORK}/build/c)
step(${WORK}/build/golden)

# The library in C++ is the component cpp, also without a list of components.
foreach(wanted REQUIRED "REQUIRED;COMPONENTS;cpp")
  configure(${PREFIX} "${wanted}")
  expect(0 "-- smsim is found -- smsim_cpp is found")
  configure(${PREFIX} "${wanted}" -DCMAKE_DISABLE_FIND_PACKAGE_spdlog=ON -DCMAKE_DISABLE_FIND_PACKAGE_yaml-cpp=ON)
  expect(1 "the component cpp of smsim needs what is not found: spdlog, yaml-cpp")
endforeach()
configure(${PREFIX} "REQUIRED;COMPONENTS;cpp;c;golden")
expect(0 "-- smsim is found -- smsim_cpp is found -- smsim_c is found -- smsim_golden is found")

set(unknown "smsim has no component 'nonsense', only cpp, c and golden")
configure(${PREFIX} "REQUIRED;COMPONENTS;c;nonsense")
expect(1 "${unknown}")
configure(${PREFIX} "COMPONENTS;c;nonsense")
expect(0 "${unknown}")
if(output MATCHES "smsim is found")
  message(FATAL_ERROR "found without a component that is required:\n${output}")
endif()
configure(${PREFIX} "REQUIRED;COMPONENTS;c;OPTIONAL_COMPONENTS;nonsense;golden")
expect(0 "-- smsim is found -- smsim_c is found -- smsim_golden is found")

# An installation of a build without the shared libraries.
file(COPY ${PREFIX}/${LIBDIR}/cmake DESTINATION ${WORK}/partly/${LIBDIR})
configure(${WORK}/partly "REQUIRED;COMPONENTS;c")
expect(1 "the component c of smsim is not installed, because it was not built")
