# Lets PROGRAM (gcan) write its manual page to MAN, its bash completion to COMPLETION and the algebra page to PAGE.
function(write_output file)
  get_filename_component(folder ${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  execute_process(COMMAND ${PROGRAM} help ${ARGN} OUTPUT_FILE ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()
write_output(${COMPLETION} --bash-completion)
write_output(${MAN} --man)

get_filename_component(folder ${PAGE} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${PROGRAM} algebra --page ${PAGE} OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
