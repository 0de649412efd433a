# Writes OUTPUT: SOURCE with the text of FOLDER/replace.txt, which must occur exactly once, replaced by
# that of FOLDER/by.txt. NAME is the mutant's, for messages.
cmake_minimum_required(VERSION 3.25)

# The contents of a file without the final newline. CMake does not interpret the contents of a quoted argument.
function(read_text path variable)
  file(READ "${path}" text)
  string(REGEX REPLACE "\n$" "" text "${text}")
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

read_text("${SOURCE}" code)
read_text("${FOLDER}/replace.txt" replaced)
read_text("${FOLDER}/by.txt" by)
string(FIND "${code}" "${replaced}" first)
string(FIND "${code}" "${replaced}" last REVERSE)
if(first EQUAL -1)
  message(FATAL_ERROR "mutant ${NAME}: ${SOURCE} does not contain the text to replace:\n${replaced}")
endif()
if(NOT first EQUAL last)
  message(FATAL_ERROR "mutant ${NAME}: ${SOURCE} contains the text to replace more than once:\n${replaced}")
endif()
string(REPLACE "${replaced}" "${by}" code "${code}")
file(WRITE "${OUTPUT}" "${code}\n")
