#pragma once

#include <string>
#include <string_view>

#include "gcan/report/page_assets.h"

namespace gcan::report {

// A complete HTML page in gcan's style, without requests to other sites.
//
//   page_html({.title = "Runs", .main = "<h1>Runs</h1>"});
struct PageFrame {
  std::string title;                          // text
  std::string main;                           // HTML
  std::string scripts = {};                   // HTML before the program
  std::string_view program = page_program();  // JavaScript
  bool served = false;                        // whether it may send requests to its own server
};
std::string page_html(const PageFrame& frame);

}  // namespace gcan::report
