// The start of the program, before and after the initialisers of libraries.
#pragma once

namespace smsim::app {

/// Call first in `main`: from here on an uncaught exception is not an initialiser running out of memory.
void main_begins();

} // namespace smsim::app
