# Writes OUTPUT, a header with the git commit of SOURCE. Runs in every build, because the commit can change without
# any file of the build changing; the header is only rewritten if its text changes.

set(commit unknown)
find_program(GIT git)
if(GIT)
  # safe.directory: in a container the clone often belongs to another user.
  set(git ${GIT} -c safe.directory=${SOURCE} -C ${SOURCE})
  execute_process(COMMAND ${git} rev-parse --show-toplevel OUTPUT_VARIABLE top ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(REAL_PATH ${SOURCE} source)
  # If gcan's files are unpacked inside another project's repository, that repository's commit is not ours.
  if(top STREQUAL source)
    execute_process(COMMAND ${git} describe --always --dirty --abbrev=12 --exclude=*
      OUTPUT_VARIABLE described ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(described)
      set(commit ${described})
    endif()
  endif()
endif()

file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define GCAN_COMMIT \"${commit}\"\n")
