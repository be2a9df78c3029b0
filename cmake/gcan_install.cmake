# Install rules in three components: "program" (gcan, its configurations, manual page, completion, documentation),
# "dev" (public headers and the libraries of every module that was built, and the package config that
# find_package(gcan) reads) and "python", as python/CMakeLists.txt has it. gcan_packages.cmake makes a Debian package
# of each. Libraries that need torch have a separate export set, so projects that only use the others do not need
# torch.

include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/gcan)
set(gcan_plain_components "")
set(gcan_torch_components "")

get_property(libraries GLOBAL PROPERTY GCAN_LIBRARIES)
foreach(library IN LISTS libraries)
  get_target_property(module ${library} EXPORT_NAME)
  get_target_property(needs_torch ${library} GCAN_TORCH)
  set(kind plain)
  if(needs_torch)
    set(kind torch)
  endif()
  list(APPEND gcan_${kind}_components ${module})
  install(TARGETS ${library} EXPORT gcan-${kind}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
endforeach()

gcan_public_headers(headers)
foreach(header IN LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT dev)
endforeach()
install(FILES ${gcan_BINARY_DIR}/gcan/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gcan COMPONENT dev)
install(EXPORT gcan-plain NAMESPACE gcan:: DESTINATION ${config_dir} COMPONENT dev)
if(GCAN_WITH_TORCH)
  install(FILES cmake/gcan_torch.cmake DESTINATION ${config_dir} COMPONENT dev)
endif()
if(gcan_torch_components)
  install(EXPORT gcan-torch NAMESPACE gcan:: DESTINATION ${config_dir} COMPONENT dev)
endif()
if(TARGET gcan_program)
  install(TARGETS gcan_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  install(TARGETS gcan_torch_program RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/gcan COMPONENT program)
  get_target_property(share gcan_program GCAN_SHARE)
  install(DIRECTORY configs DESTINATION ${CMAKE_INSTALL_DATADIR}/gcan COMPONENT program)
  install(FILES ${share}man/man1/gcan.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${share}bash-completion/completions/gcan
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES README.md CHANGELOG.md CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gcan COMPONENT program)
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gcan COMPONENT program)
  install(FILES ${share}doc/gcan/docs/algebra.html DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/gcan/docs COMPONENT program)
endif()

configure_package_config_file(cmake/gcan-config.cmake.in ${gcan_BINARY_DIR}/gcan-config.cmake
  INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${gcan_BINARY_DIR}/gcan-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${gcan_BINARY_DIR}/gcan-config.cmake ${gcan_BINARY_DIR}/gcan-config-version.cmake
  DESTINATION ${config_dir} COMPONENT dev)
