# Writes the manual page and the bash completion, which PROGRAM (gcan) makes from the definitions of its commands, into
# MAN and COMPLETION, and the algebra as a page into PAGE.
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
