# Debian packages by CPack, from what `cmake --install` installs: smsim (component runtime) and smsim-dev (component
# development). scripts/package makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME smsim)
set(CPACK_PACKAGE_CONTACT "The smsim project")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL runtime development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME smsim)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
# clang compiles CUDA source; smsim-sweep and smsim-explore are Python and say which library they miss.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS python3)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS
    "clang, python3-yaml, python3-distributed, python3-pandas, python3-matplotlib, python3-jinja2")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME smsim-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "pkg-config, libsystemc-dev, libspdlog-dev, libfmt-dev, libyaml-cpp-dev, nlohmann-json3-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS smsim)
include(CPack)
