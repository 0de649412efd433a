# Writes a C++ source with a fingerprint of the model's sources; a script for `cmake -P`, run when one of them changes.
#   ROOT    folder to which the names in LIST are relative
#   LIST    file with one name per line
#   OUTPUT  the C++ source; not rewritten when the fingerprint is the same, so that nothing is rebuilt
# The fingerprint covers all bytes, so a changed comment changes it, too. Results are therefore never attributed to another
# model, but are sometimes recomputed without need.
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
