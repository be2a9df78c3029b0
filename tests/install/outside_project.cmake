# Configures, builds and runs the external project PROJECT (a folder beside this file) in WORK; if GCAN_BUILD is
# given, first installs gcan from there. LAUNCHER is the compiler cache, if there is one.

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
set(ENV{CMAKE_CXX_COMPILER_LAUNCHER} "${LAUNCHER}")
if(GCAN_BUILD)
  run(${CMAKE_COMMAND} --install ${GCAN_BUILD} --prefix ${WORK}/prefix)
endif()
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/${PROJECT} -B ${WORK}/build -G ${GENERATOR}
  -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_PREFIX_PATH=${WORK}/prefix
  -DGCAN_SOURCE=${GCAN_SOURCE} -DGCAN_WITH_TORCH=OFF)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/outside)
if(EXISTS ${WORK}/build/outside_torch)
  run(${CMAKE_COMMAND} -E chdir ${WORK}/build ./outside_torch)
endif()
