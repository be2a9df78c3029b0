# gcan_embed(<source> <namespace> <function> <file> [<function> <file>...]): writes a C++ source in which each
# function returns the text of its file. It is rewritten when a file changes.
function(gcan_embed source namespace)
  set(GCAN_EMBEDDED "")
  while(ARGN)
    list(POP_FRONT ARGN function file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(APPEND GCAN_EMBEDDED
      "std::string_view ${function}();\nstd::string_view ${function}() {\n  return R\"gcan_file(${text})gcan_file\";\n}\n")
  endwhile()
  set(GCAN_NAMESPACE ${namespace})
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
"// Written by cmake/gcan_embed.cmake.
#include <string_view>

// clang warns of texts longer than the 65536 characters that every compiler must accept.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored \"-Woverlength-strings\"
namespace @GCAN_NAMESPACE@ {

@GCAN_EMBEDDED@
}  // namespace @GCAN_NAMESPACE@
#pragma GCC diagnostic pop
")
endfunction()
