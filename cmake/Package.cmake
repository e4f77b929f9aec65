# cmake --install and find_package(goldentrace).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/goldentrace)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/goldentraceConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/goldentraceConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/goldentraceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/goldentraceConfig.cmake ${PROJECT_BINARY_DIR}/goldentraceConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/Dependencies.cmake ${PROJECT_SOURCE_DIR}/cmake/LibTorch.cmake
        DESTINATION ${package_dir})
install(EXPORT goldentraceTargets NAMESPACE goldentrace:: DESTINATION ${package_dir})
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} OPTIONAL)
