# LibTorch as the target gcan::torch: Debian's by default, another one (1.13 to 2.x) through
# -DTorch_DIR=<folder of TorchConfig.cmake> or -DCMAKE_PREFIX_PATH=<libtorch>.
# gcan's build and its installed package config both include this file, so both see the same target.

if(TARGET gcan::torch)
  return()
endif()

# Global, because a project that uses add_subdirectory(gcan) links torch through our libraries from a parent folder.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
find_package(Torch QUIET)
unset(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL)

if(NOT Torch_FOUND)
  message(FATAL_ERROR
    "gcan: LibTorch was not found. Install it (Debian: apt-get install libtorch-dev), or give the folder "
    "of another one (1.13 to 2.x) with -DCMAKE_PREFIX_PATH=/path/to/libtorch or -DTorch_DIR, or leave "
    "out what needs it: -DGCAN_WITH_TORCH=OFF when building gcan, find_package(gcan COMPONENTS algebra "
    "kernels) when using it.")
endif()
if(Torch_VERSION AND Torch_VERSION VERSION_LESS 1.13)
  message(FATAL_ERROR
    "gcan: LibTorch ${Torch_VERSION} in ${Torch_DIR} is too old; gcan needs 1.13 to 2.x. Give the folder "
    "of a newer one with -DCMAKE_PREFIX_PATH=/path/to/libtorch.")
endif()

# Torch's headers give 65 warnings under our flags; as those of an imported target they are system headers.
add_library(gcan::torch INTERFACE IMPORTED GLOBAL)
set_target_properties(gcan::torch PROPERTIES
  INTERFACE_LINK_LIBRARIES "${TORCH_LIBRARIES}"
  INTERFACE_INCLUDE_DIRECTORIES "${TORCH_INCLUDE_DIRS}")
separate_arguments(torch_flags UNIX_COMMAND "${TORCH_CXX_FLAGS}")
set_property(TARGET gcan::torch PROPERTY INTERFACE_COMPILE_OPTIONS ${torch_flags})
unset(torch_flags)
