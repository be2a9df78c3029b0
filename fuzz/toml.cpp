// Configuration files, and the table of options that they set.

#include "fuzz/fuzz.h"
#include "gcan/config/toml_file.h"

using namespace gcan;

namespace {

config::Options options_of(const std::string& section) {
  return {section,
          {{"name", std::string("gca-mlp"), "a text", {"mlp", "gca-mlp"}},
           {"file", std::string(), "any text"},
           {"steps", std::int64_t{10}, "a whole number", {}, 1, 1e9},
           {"rate", 0.5, "a number", {}, 0, 1},
           {"ema", false, "a flag"}}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of(data, size);
  fuzz::refusal_of([&] {
    for (const config::Entry& entry : config::parse_toml(text, "fuzz.toml")) {
      config::Options options = options_of(entry.section);
      const std::string refusal = fuzz::refusal_of([&] { config::apply(entry, options); });
      if (!refusal.empty()) continue;
      // Accepted configurations survive writing and reading.
      const std::string written = config::to_toml(options);
      config::Options again = options_of(entry.section);
      const std::string unread = fuzz::refusal_of([&] {
        for (const config::Entry& back : config::parse_toml("[section]\n" + written, "again.toml"))
          config::apply(back, again);
      });
      fuzz::require(unread.empty(), "a written configuration is read");
      fuzz::require(config::to_toml(again) == written, "a written configuration reads back as itself");
    }
  });
  fuzz::refusal_of([&] {
    config::Options options = options_of("train");
    config::apply(config::parse_setting(text), options);
  });
  return 0;
}
