#pragma once

#include <string_view>

namespace gcan::report {

// web/dist, built from web/src by esbuild and embedded into the library by cmake/gcan_embed.cmake.
std::string_view page_program();        // JavaScript of reports and of gcan watch
std::string_view page_style();          // CSS, also for pages without scripts
std::string_view playground_program();  // JavaScript of the algebra page, with the algebra as WebAssembly

}  // namespace gcan::report
