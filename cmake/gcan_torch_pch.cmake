# Two precompiled versions of gcan/torch.h for all our targets: a file that includes torch takes 20 s to compile
# without one. GCC takes a file's optimisation level from the precompiled header, regardless of the command line, so
# files compiled at -O1 have their own header.

file(CONFIGURE OUTPUT ${gcan_BINARY_DIR}/torch_pch.cpp CONTENT "// A library needs a source.\n")
foreach(header IN ITEMS gcan_torch_pch gcan_quick_torch_pch)
  add_library(${header} OBJECT EXCLUDE_FROM_ALL ${gcan_BINARY_DIR}/torch_pch.cpp)
  gcan_target(${header})
  target_link_libraries(${header} PRIVATE gcan::torch)
  target_compile_options(${header} PRIVATE ${gcan_pch_options})
  target_precompile_headers(${header} PRIVATE ${gcan_SOURCE_DIR}/gcan/torch.h)
endforeach()
target_compile_options(gcan_quick_torch_pch PRIVATE ${gcan_quick_options})

# gcan_use_torch(<target> [QUICK]): links LibTorch and compiles with the shared precompiled header. QUICK: at -O1.
function(gcan_use_torch target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "QUICK" "" "")
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_link_libraries(${target} PRIVATE gcan::torch)
    # The header was compiled with -fPIC, and compilers reject it for code with other flags (-fPIE).
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  else()
    target_link_libraries(${target} PUBLIC gcan::torch)
  endif()
  target_compile_options(${target} PRIVATE ${gcan_pch_options})
  # g++ 13 and 14 report accesses in std::vector<bool>::reserve that cannot happen, wherever LibTorch's
  # autograd::Function::apply is inlined.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
  if(arg_QUICK)
    target_compile_options(${target} PRIVATE ${gcan_quick_options})
    target_precompile_headers(${target} REUSE_FROM gcan_quick_torch_pch)
  else()
    target_precompile_headers(${target} REUSE_FROM gcan_torch_pch)
  endif()
endfunction()
