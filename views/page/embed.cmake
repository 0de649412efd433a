# Writes the page's sources as C++ (script of page.cmake): one array of characters for each constant of page_sources.h.
# Arrays rather than string literals: their length is unlimited and no character needs an escape.
function(as_array out name text)
  string(HEX "${text}" bytes)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  set(${out}
      "namespace {\nconst char ${name}Bytes[] = {\n${bytes}\n'\\0'};\n} // namespace\nconst std::string_view ${name}(${name}Bytes, sizeof ${name}Bytes - 1);\n"
      PARENT_SCOPE)
endfunction()

# The files of a list, concatenated.
function(joined out)
  set(all "")
  foreach(file ${ARGN})
    file(READ ${file} text)
    string(APPEND all "${text}")
  endforeach()
  set(${out} "${all}" PARENT_SCOPE)
endfunction()

joined(page ${PAGE})
joined(styles ${STYLES})
joined(stalls ${STALLS})
joined(scripts ${SCRIPTS})
string(PREPEND scripts "const STALL_REASONS = ${stalls};\n")
joined(d3 ${D3})
joined(licence ${LICENCE})
set(code "#include \"views/page/page_sources.h\"\n\nnamespace smsim::views {\n")
foreach(pair kPageTemplate:page kPageStyle:styles kPageScript:scripts kD3:d3 kD3Licence:licence)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 variable)
  as_array(array ${name} "${${variable}}")
  string(APPEND code "${array}")
endforeach()
string(APPEND code "} // namespace smsim::views\n")
file(WRITE ${OUTPUT} "${code}")
