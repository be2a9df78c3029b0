# Writes OUTPUT, which registers every test suite in PROGRAM with CTest as <MODULE>.<suite>. One entry per suite
# instead of per test, because a program that links LibTorch takes half a second to start.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "gcan: ${PROGRAM} --gtest_list_tests failed: ${status}")
endif()
string(REPLACE ";" "," listed "${listed}")
string(REPLACE "\n" ";" lines "${listed}")
set(text "")
foreach(line IN LISTS lines)
  if(line MATCHES "^([^ ]+)\\.( .*)?$")
    set(suite ${CMAKE_MATCH_1})
    string(APPEND text "add_test([==[${MODULE}.${suite}]==] [==[${PROGRAM}]==] [==[--gtest_filter=${suite}.*]==])\n"
      "set_tests_properties([==[${MODULE}.${suite}]==] PROPERTIES LABELS ${MODULE})\n")
  endif()
endforeach()
file(WRITE ${OUTPUT} "${text}")
