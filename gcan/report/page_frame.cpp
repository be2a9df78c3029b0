#include "gcan/report/page_frame.h"

#include <fmt/format.h>

#include "gcan/report/table.h"

namespace gcan::report {
namespace {

// Forbids requests to other sites, and scripts from outside the page.
constexpr const char* kPolicy =
    "default-src 'none'; img-src 'self' file: data: blob:; style-src 'unsafe-inline'; "
    "script-src 'unsafe-inline' 'wasm-unsafe-eval'";

}  // namespace

std::string page_html(const PageFrame& frame) {
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  // Otherwise browsers request an icon from the server.
  if (frame.served) html += "<link rel=\"icon\" href=\"data:,\">\n";
  // The algebra's WebAssembly is read from a data: address.
  html += fmt::format("<meta http-equiv=\"Content-Security-Policy\" content=\"{}; connect-src {}\">\n",
                      kPolicy, frame.served ? "'self'" : "data:");
  html += fmt::format("<title>{}</title>\n<style>", html_escaped(frame.title)).append(page_style());
  html += "</style>\n</head>\n<body>\n<main>\n" + frame.main + "</main>\n" + frame.scripts;
  html.append("<script>").append(frame.program).append("</script>\n");
  return html += "</body>\n</html>\n";
}

}  // namespace gcan::report
