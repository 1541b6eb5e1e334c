# The C++ client as a package (component sdk): find_package(hydra) gives hydra::client.
include(CMakePackageConfigHelpers)

set(sdk_headers ${CMAKE_INSTALL_INCLUDEDIR}/hydra)
set(sdk_cmake ${CMAKE_INSTALL_LIBDIR}/cmake/hydra)

set_target_properties(hydra_client PROPERTIES EXPORT_NAME client)
set_target_properties(hydra_base PROPERTIES EXPORT_NAME base)
set_target_properties(hydra_proto PROPERTIES EXPORT_NAME proto)
target_include_directories(hydra_proto SYSTEM PUBLIC $<INSTALL_INTERFACE:${sdk_headers}>)

install(
  TARGETS hydra_client hydra_base
  EXPORT hydraTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk
  FILE_SET HEADERS DESTINATION ${sdk_headers} COMPONENT sdk)
install(
  TARGETS hydra_proto
  EXPORT hydraTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT sdk)
install(
  DIRECTORY ${PROJECT_BINARY_DIR}/proto/generated/
  DESTINATION ${sdk_headers}
  COMPONENT sdk
  FILES_MATCHING PATTERN "*.pb.h")
install(EXPORT hydraTargets NAMESPACE hydra:: DESTINATION ${sdk_cmake} COMPONENT sdk)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/hydraConfig.cmake.in ${PROJECT_BINARY_DIR}/hydraConfig.cmake
                              INSTALL_DESTINATION ${sdk_cmake})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hydraConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES ${PROJECT_BINARY_DIR}/hydraConfig.cmake ${PROJECT_BINARY_DIR}/hydraConfigVersion.cmake
  DESTINATION ${sdk_cmake}
  COMPONENT sdk)
