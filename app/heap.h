// The start of the program, before and after the initialisers of libraries.
#pragma once

namespace smsim::app {

/// To be called first in `main`: from here on what nobody has caught is no lack of memory of an initialiser.
void main_begins();

} // namespace smsim::app
