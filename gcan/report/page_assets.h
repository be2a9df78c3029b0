#pragma once

#include <string_view>

namespace gcan::report {

// web/dist, built from web/src by esbuild and put into the library by cmake/gcan_embed.cmake.
std::string_view page_program();  // JavaScript
std::string_view page_style();    // CSS, for pages without scripts too

}  // namespace gcan::report
