// Whether this is a build with sanitizers, in which a simulation in a separate process takes eight times as long: the
// two long campaigns of random programs then use fewer seeds.
#pragma once

namespace smsim {

#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

} // namespace smsim
