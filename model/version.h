// The version of the library, for other projects that must distinguish versions. The build reads it here.
#pragma once

#define SMSIM_VERSION_MAJOR 0
#define SMSIM_VERSION_MINOR 1
#define SMSIM_VERSION_PATCH 0
/// One number that grows with the version: 1002003 is 1.2.3.
#define SMSIM_VERSION_NUMBER (SMSIM_VERSION_MAJOR * 1000000 + SMSIM_VERSION_MINOR * 1000 + SMSIM_VERSION_PATCH)
