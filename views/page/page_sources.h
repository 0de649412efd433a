// The sources of the page of `smsim report`, as the build has embedded them (page.cmake).
#pragma once

#include <string_view>

namespace smsim::views {

/// page.html: the frame, with the markers <!--style-->, <!--licence-->, <!--library-->, <!--data--> and <!--script-->.
extern const std::string_view kPageTemplate;
/// The style sheets, joined.
extern const std::string_view kPageStyle;
/// The scripts, joined.
extern const std::string_view kPageScript;
/// The library d3.
extern const std::string_view kD3;
/// Its copyright and licence.
extern const std::string_view kD3Licence;

} // namespace smsim::views
