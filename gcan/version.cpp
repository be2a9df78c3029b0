#include "gcan/version.h"

#include "gcan/commit.h"

#define GCAN_TEXT_OF(x) #x
#define GCAN_TEXT(x) GCAN_TEXT_OF(x)

namespace gcan {

std::string_view version() {
  return GCAN_TEXT(GCAN_VERSION_MAJOR) "." GCAN_TEXT(GCAN_VERSION_MINOR) "." GCAN_TEXT(GCAN_VERSION_PATCH);
}

std::string_view commit() { return GCAN_COMMIT; }

std::string_view compiler() {
#if defined(__clang__)
  return "clang++ " GCAN_TEXT(__clang_major__) "." GCAN_TEXT(__clang_minor__) "." GCAN_TEXT(
      __clang_patchlevel__);
#elif defined(__GNUC__)
  return "g++ " GCAN_TEXT(__GNUC__) "." GCAN_TEXT(__GNUC_MINOR__) "." GCAN_TEXT(__GNUC_PATCHLEVEL__);
#else
  return "an unknown compiler";
#endif
}

}  // namespace gcan
