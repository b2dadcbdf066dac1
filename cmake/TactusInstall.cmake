# make install PREFIX=…: headers, both libraries, the command, a CMake package, pkg-config.

include(CMakePackageConfigHelpers)

install(DIRECTORY include/tactus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS tactus_static tactus_shared EXPORT TactusTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET tactus_jit)
    install(TARGETS tactus_jit LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
# scenes of examples, experiments and benchmarks: the command finds them beside itself
install(DIRECTORY scenes/ DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/tactus/scenes)
install(TARGETS tactus RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

configure_package_config_file(cmake/TactusConfig.cmake.in ${CMAKE_BINARY_DIR}/TactusConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tactus)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TactusConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/TactusConfig.cmake ${CMAKE_BINARY_DIR}/TactusConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tactus)
install(EXPORT TactusTargets NAMESPACE Tactus:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Tactus)

configure_file(cmake/tactus.pc.in ${CMAKE_BINARY_DIR}/tactus.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tactus.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
