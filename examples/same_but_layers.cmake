# Fails unless FIRST and SECOND are the same program of at most 25 lines but for the lines that name layers or an
# algebra, and the comment at the top.
foreach(file FIRST SECOND)
  file(STRINGS ${${file}} lines)
  list(LENGTH lines count)
  if(count GREATER 25)
    message(FATAL_ERROR "${${file}} has ${count} lines, expected at most 25.")
  endif()
  list(FILTER lines EXCLUDE REGEX "^//|Algebra|Linear")
  set(${file}_rest "${lines}")
endforeach()
if(NOT FIRST_rest STREQUAL SECOND_rest)
  message(FATAL_ERROR "The programs differ in more than their layers:\n${FIRST_rest}\n${SECOND_rest}")
endif()
