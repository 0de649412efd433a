# The page of `smsim report`: its sources, and d3 with its licence, become character arrays of the program, so that the
# program needs no file beside it. Scripts and styles are joined in the order given here; the stall reasons precede the
# scripts as a constant. Sets SMSIM_PAGE_SOURCES.
set(SMSIM_PAGE_SCRIPTS
  script/format.js
  script/data.js
  script/elements.js
  script/keys.js
  script/stalls.js
  script/charts.js
  script/tables.js
  script/overview.js
  script/time.js
  script/utilisation.js
  script/roofline.js
  script/verdict.js
  script/warps.js
  script/hot_spots.js
  script/critical_path.js
  script/control_flow.js
  script/memory.js
  script/settings.js
  script/validation.js
  script/comparison_bounds.js
  script/comparison.js
  script/page.js)
set(SMSIM_PAGE_STYLES style/page.css style/tables.css style/charts.css style/print.css)

find_file(SMSIM_D3 d3.min.js PATHS /usr/share/nodejs/d3/dist /usr/share/javascript/d3)
find_file(SMSIM_D3_LICENCE copyright PATHS /usr/share/doc/node-d3 /usr/share/doc/libjs-d3 NO_DEFAULT_PATH)
if(NOT SMSIM_D3 OR NOT SMSIM_D3_LICENCE)
  message(FATAL_ERROR "d3.min.js or its licence was not found; Debian package node-d3 has both. On other systems: "
                      "-DSMSIM_D3=.../d3.min.js -DSMSIM_D3_LICENCE=.../LICENSE (version 5)")
endif()

set(_page ${CMAKE_CURRENT_LIST_DIR})
set(SMSIM_PAGE_SOURCES ${CMAKE_CURRENT_BINARY_DIR}/page_sources.cpp)
list(TRANSFORM SMSIM_PAGE_SCRIPTS PREPEND ${_page}/)
list(TRANSFORM SMSIM_PAGE_STYLES PREPEND ${_page}/)
add_custom_command(
  OUTPUT ${SMSIM_PAGE_SOURCES}
  COMMAND ${CMAKE_COMMAND} -DOUTPUT=${SMSIM_PAGE_SOURCES} -DPAGE=${_page}/page.html "-DSTYLES=${SMSIM_PAGE_STYLES}"
          -DSTALLS=${_page}/stall_reasons.json "-DSCRIPTS=${SMSIM_PAGE_SCRIPTS}" -DD3=${SMSIM_D3} -DLICENCE=${SMSIM_D3_LICENCE} -P ${_page}/embed.cmake
  DEPENDS ${_page}/embed.cmake ${_page}/page.html ${_page}/stall_reasons.json ${SMSIM_PAGE_STYLES} ${SMSIM_PAGE_SCRIPTS} ${SMSIM_D3}
          ${SMSIM_D3_LICENCE}
  COMMENT "Embedding the page of smsim report"
  VERBATIM)
