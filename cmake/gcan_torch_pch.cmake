# One precompiled gcan/torch.h for all our targets: a file that includes torch takes 20 s to compile
# without it and 8 s with it.

file(CONFIGURE OUTPUT ${gcan_BINARY_DIR}/torch_pch.cpp CONTENT "// A library needs a source.\n")
add_library(gcan_torch_pch OBJECT EXCLUDE_FROM_ALL ${gcan_BINARY_DIR}/torch_pch.cpp)
gcan_target(gcan_torch_pch)
target_link_libraries(gcan_torch_pch PRIVATE gcan::torch)
target_precompile_headers(gcan_torch_pch PRIVATE ${gcan_SOURCE_DIR}/gcan/torch.h)

# ccache can only tell which header was used when the preprocessed text says so (GCC), and only find it
# again when it carries no time stamp (clang).
set(gcan_pch_options
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
  $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)
target_compile_options(gcan_torch_pch PRIVATE ${gcan_pch_options})

# gcan_use_torch(<target>): links LibTorch and compiles with the shared precompiled header.
function(gcan_use_torch target)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_link_libraries(${target} PRIVATE gcan::torch)
    # The header was compiled with -fPIC, and a compiler refuses it for code with other flags (-fPIE).
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  else()
    target_link_libraries(${target} PUBLIC gcan::torch)
  endif()
  target_compile_options(${target} PRIVATE ${gcan_pch_options})
  target_precompile_headers(${target} REUSE_FROM gcan_torch_pch)
endfunction()
