// Texts in gnuplot scripts: any text becomes a string on one line without anything that gnuplot would
// execute.

#include "gcan/report/gnuplot.h"

#include "fuzz/fuzz.h"

using namespace gcan;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string literal = report::gnuplot_text(fuzz::text_of(data, size));
  fuzz::require(literal.size() >= 2 && literal.front() == '"' && literal.back() == '"', "it is in quotes");
  fuzz::require(literal.size() < 5000, "it is not long");
  for (std::size_t i = 1; i + 1 < literal.size(); ++i) {
    const char c = literal[i];
    if (c == '\\') {
      fuzz::require(i + 4 < literal.size(), "an escape ends before the quote");
      int code = 0;
      for (std::size_t k = 1; k <= 3; ++k) {
        fuzz::require(literal[i + k] >= '0' && literal[i + k] <= '7', "an escape has three octal digits");
        code = 8 * code + literal[i + k] - '0';
      }
      fuzz::require(code >= 0x20 && code != 0x7F && code < 256, "no control characters come out of escapes");
      i += 3;
      continue;
    }
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view(" .,:;()[]/+-=*^_<>|").find(c) != std::string_view::npos;
    fuzz::require(plain, "only letters, digits and harmless signs stand as themselves");
  }
  static_cast<void>(report::is_whole_picture(fuzz::text_of(data, size)));
  return 0;
}
