# Writes a C++ source with a fingerprint of the model's sources; a script for `cmake -P`, run when one of them changes.
#   ROOT    folder that the names in LIST start from
#   LIST    file with one name per line
#   OUTPUT  the C++ source; left alone when the fingerprint is the same, so that nothing is built again
# The fingerprint is of the bytes: a changed comment changes it too. Results are never taken for those of another model;
# sometimes they are computed once more than needed.
file(STRINGS "${LIST}" names)
list(SORT names)
set(text "")
foreach(name IN LISTS names)
  file(SHA256 "${ROOT}/${name}" digest)
  string(APPEND text "${digest} ${name}\n")
endforeach()
string(SHA256 fingerprint "${text}")
string(SUBSTRING "${fingerprint}" 0 12 fingerprint)

set(source "// Made by cmake/ModelFingerprint.cmake.
#include \"app/version.h\"

namespace smsim::app {

std::string_view model_fingerprint() {
    return \"${fingerprint}\";
}

} // namespace smsim::app
")
set(old "")
if(EXISTS "${OUTPUT}")
  file(READ "${OUTPUT}" old)
endif()
if(NOT old STREQUAL source)
  file(WRITE "${OUTPUT}" "${source}")
endif()
