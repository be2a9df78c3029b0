# Build settings shared by all our targets: language standard, warnings, sanitizers, compiler cache.

if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
  find_program(GCAN_CCACHE ccache)
  if(GCAN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # A precompiled header is only reusable from the cache if its time stamp is not part of the key. The base folder
    # lets other clones on this machine share the cache. -Werror does not change an object, so CI, the demo and the
    # packages share theirs (tools/build.sh detects warnings that ccache repeats).
    set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_IGNOREOPTIONS=-Werror ${GCAN_CCACHE})
  endif()
  find_program(GCAN_MOLD mold)
  if(GCAN_MOLD AND NOT GCAN_SANITIZE)
    # Without separate pages mold 1.10 sometimes starts the read-only segment in an unmapped page (a thread-local
    # variable of LibTorch's headers in the last bytes of a page), and the program cannot start.
    add_link_options(-fuse-ld=mold -Wl,-z,separate-code)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()

# gcan_target(<target>): C++20, our warnings, our sanitizers.
function(gcan_target target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    $<$<BOOL:${GCAN_WERROR}>:-Werror>)
  if(GCAN_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${GCAN_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${GCAN_SANITIZE})
  endif()
  if(GCAN_BUILD_FUZZERS)
    # Shows libFuzzer which branches an input reaches.
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# Code that determines the speed of training (layers, networks) is fully optimised; for tests, the command line and
# pages, -O3 doubles the compile time for nothing.
set(gcan_quick_options $<$<CONFIG:Release>:-O1>)

# ccache needs the name of the precompiled header in the preprocessed text (GCC), and a header without a time stamp
# (clang).
set(gcan_pch_options
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
  $<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>)

# gcan_unity(<target> <count>): compiles <count> files at a time as one. LibTorch's headers alone take three seconds
# per file.
option(GCAN_UNITY "Compile several files at once: quicker from nothing" ON)
function(gcan_unity target count)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${GCAN_UNITY} UNITY_BUILD_BATCH_SIZE ${count})
endfunction()

# gcan_library(<module> [TORCH [QUICK]] SOURCES ... [DEPENDS ...]): the library of one module, as
# gcan::<module>. TORCH: its files include "gcan/torch.h"; QUICK: at -O1 (see gcan_use_torch).
function(gcan_library module)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH;QUICK" "" "SOURCES;DEPENDS")
  add_library(gcan_${module} ${arg_SOURCES})
  add_library(gcan::${module} ALIAS gcan_${module})
  set_target_properties(gcan_${module} PROPERTIES EXPORT_NAME ${module})
  gcan_target(gcan_${module})
  target_include_directories(gcan_${module} PUBLIC
    $<BUILD_INTERFACE:${gcan_SOURCE_DIR}> $<BUILD_INTERFACE:${gcan_BINARY_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(gcan_${module} PUBLIC ${arg_DEPENDS})
  if(arg_TORCH)
    if(arg_QUICK)
      gcan_use_torch(gcan_${module} QUICK)
    else()
      gcan_use_torch(gcan_${module})
    endif()
    gcan_unity(gcan_${module} 4)
  endif()
  set_target_properties(gcan_${module} PROPERTIES GCAN_TORCH ${arg_TORCH})
  set_property(GLOBAL APPEND PROPERTY GCAN_LIBRARIES gcan_${module})
endfunction()
