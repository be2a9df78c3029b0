# Writes OUTPUT, a header with the git commit of SOURCE. Run at every build, since a commit changes
# without any file of the build changing; the header is rewritten only when its text changes.

set(commit unknown)
find_program(GIT git)
if(GIT)
  # safe.directory: in a container the clone often belongs to another user.
  set(git ${GIT} -c safe.directory=${SOURCE} -C ${SOURCE})
  execute_process(COMMAND ${git} rev-parse --show-toplevel OUTPUT_VARIABLE top ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  file(REAL_PATH ${SOURCE} source)
  # Where gcan's files lie unpacked inside another project's repository, its commit is not ours.
  if(top STREQUAL source)
    execute_process(COMMAND ${git} describe --always --dirty --abbrev=12 --exclude=*
      OUTPUT_VARIABLE described ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(described)
      set(commit ${described})
    endif()
  endif()
endif()

file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#pragma once\n#define GCAN_COMMIT \"${commit}\"\n")
