# Debian packages of the install components: `cpack` in the build folder writes gcan (the program), libgcan-dev and
# python3-gcan. tools/package builds them properly, with the prefix /usr. Dependencies are those of the release they
# are built on: dpkg-shlibdeps finds the shared libraries, and -dev packages are required in the version installed
# here.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME gcan)
set(CPACK_PACKAGE_VENDOR "The gcan authors")
set(CPACK_PACKAGE_CONTACT "The gcan authors <gcan@localhost>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DIRECTORY ${gcan_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)

set(CPACK_COMPONENTS_ALL dev)
if(TARGET gcan_program)
  list(APPEND CPACK_COMPONENTS_ALL program)
endif()
list(APPEND CPACK_COMPONENTS_ALL python)
# Each package installs the licence in Debian's standard place.
foreach(component_package "program:gcan" "dev:libgcan-dev" "python:python3-gcan")
  string(REPLACE ":" ";" pair ${component_package})
  list(GET pair 0 component)
  list(GET pair 1 package)
  if(component IN_LIST CPACK_COMPONENTS_ALL)
    install(FILES ${gcan_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} RENAME copyright
      COMPONENT ${component})
  endif()
endforeach()

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME gcan)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "The program gcan computes in geometric algebras of any signature, simulates data,
trains networks whose layers are group actions, and reproduces the tables of the paper that introduced them.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# Pictures are drawn by gnuplot; the reference BLAS is far slower than OpenBLAS.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "gnuplot-nox | gnuplot, fonts-dejavu-core")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libopenblas0-pthread, bash-completion")

# gcan_upstream_version(<variable> <package>): the upstream version of an installed Debian package; empty if it is not
# installed.
function(gcan_upstream_version variable package)
  execute_process(COMMAND dpkg-query -W -f "\${Version}" ${package} OUTPUT_VARIABLE version ERROR_QUIET)
  string(REGEX REPLACE "([+~]|-[^-]*$).*" "" version "${version}")
  set(${variable} "${version}" PARENT_SCOPE)
endfunction()

set(dev_depends g++ cmake pkg-config)
foreach(package libhwy-dev libhdf5-dev zlib1g-dev libxxhash-dev libfmt-dev libdnnl-dev)
  gcan_upstream_version(version ${package})
  if(version)
    list(APPEND dev_depends "${package} (>= ${version})")
  endif()
endforeach()
gcan_upstream_version(version libtorch-dev)
if(GCAN_WITH_TORCH AND version MATCHES "^([0-9]+)\\.([0-9]+)")
  # The libraries only work with the LibTorch they were compiled for.
  math(EXPR next "${CMAKE_MATCH_2} + 1")
  list(APPEND dev_depends "libtorch-dev (>= ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})" "libtorch-dev (<< ${CMAKE_MATCH_1}.${next}~)")
endif()
list(JOIN dev_depends ", " dev_depends)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libgcan-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_DESCRIPTION "The C++ library: headers, static libraries and the CMake package,
find_package(gcan COMPONENTS algebra nn ...).")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${dev_depends}")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-gcan)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION "The Python package: layers and networks for PyTorch, the classes of cliffordlayers,
and datasets over gcan's files.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, python3-torch")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-h5py)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA
  "${CMAKE_CURRENT_LIST_DIR}/python3-gcan/postinst;${CMAKE_CURRENT_LIST_DIR}/python3-gcan/prerm")
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_STRICT_PERMISSION ON)
if(TARGET gcan_operators)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
endif()

include(CPack)
