# Install rules: public headers and the libraries of every module that was built, the program, and the package config
# that find_package(gcan) reads. Libraries that need torch are exported apart, so that a project that asks
# for the others alone is never asked for torch.

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
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()

gcan_public_headers(headers)
foreach(header IN LISTS headers)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder})
endforeach()
install(FILES ${gcan_BINARY_DIR}/gcan/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gcan)
install(EXPORT gcan-plain NAMESPACE gcan:: DESTINATION ${config_dir})
if(GCAN_WITH_TORCH)
  install(FILES cmake/gcan_torch.cmake DESTINATION ${config_dir})
endif()
if(gcan_torch_components)
  install(EXPORT gcan-torch NAMESPACE gcan:: DESTINATION ${config_dir})
endif()
if(TARGET gcan_program)
  install(TARGETS gcan_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(TARGETS gcan_torch_program RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/gcan)
endif()

configure_package_config_file(cmake/gcan-config.cmake.in ${gcan_BINARY_DIR}/gcan-config.cmake
  INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${gcan_BINARY_DIR}/gcan-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${gcan_BINARY_DIR}/gcan-config.cmake ${gcan_BINARY_DIR}/gcan-config-version.cmake
  DESTINATION ${config_dir})
