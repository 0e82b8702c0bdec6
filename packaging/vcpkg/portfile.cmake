# An overlay port: vcpkg install gcsflux[emulator] --overlay-ports=PATH/packaging/vcpkg
# The port builds the checkout that it is in.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)

vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES
                     emulator GCSFLUX_EMULATOR
                     flags GCSFLUX_FLAGS
                     images GCSFLUX_IMAGES
                     torch GCSFLUX_TORCH)
string(COMPARE EQUAL "${VCPKG_LIBRARY_LINKAGE}" "dynamic" shared)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}"
                      OPTIONS ${options} -DGCSFLUX_PROGRAMS=OFF -DGCSFLUX_DEVELOPER=OFF -DGCSFLUX_SHARED=${shared})
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/gcsflux)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
