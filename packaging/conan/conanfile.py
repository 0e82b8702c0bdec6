"""gcsflux for Conan 2: conan create packaging/conan -o with_flags=True"""
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy
from conan.tools.gnu import PkgConfigDeps


class GcsfluxRecipe(ConanFile):
    name = "gcsflux"
    version = "0.1.0"
    license = "Apache-2.0"
    description = "Google Cloud Storage for libtorch, with an emulator"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "with_flags": [True, False], "with_emulator": [True, False]}
    default_options = {"shared": False, "with_flags": False, "with_emulator": True}

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "README.md", "CHANGELOG.md", "cmake/*", "sdk/*", "emulator/*",
                        "packaging/*", "scripts/run_ranks", "docs/*", "examples/*"):
            copy(self, pattern, src=root, dst=self.export_sources_folder)

    def requirements(self):
        self.requires("tl-expected/[^1.1]", transitive_headers=True)
        for package in ("boost/[>=1.74]", "libcurl/[>=7.88]", "openssl/[>=3]", "pugixml/[>=1.13]", "simdjson/[>=3]",
                        "zlib/[>=1.2.13]", "isa-l/[>=2.30]", "nlohmann_json/[>=3.11]"):
            self.requires(package)
        if self.options.with_flags:
            self.requires("gflags/[^2.2]")
        if self.options.with_emulator:
            self.requires("sqlite3/[>=3.40]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables.update({
            "GCSFLUX_SHARED": bool(self.options.shared), "GCSFLUX_FLAGS": bool(self.options.with_flags),
            "GCSFLUX_EMULATOR": bool(self.options.with_emulator), "GCSFLUX_TORCH": False, "GCSFLUX_IMAGES": False,
            "GCSFLUX_PROGRAMS": False, "GCSFLUX_DEVELOPER": False})
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # The package's own CMake files name its targets: gcsflux::client and the others.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs.append(os.path.join("lib", "cmake", "gcsflux"))
