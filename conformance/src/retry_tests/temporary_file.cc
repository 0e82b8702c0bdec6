#include "retry_tests/temporary_file.h"

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

namespace gcsflux::conformance {

OrError<TemporaryFile> TemporaryFile::Make(const std::string& bytes) {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "gcsflux-conformance-XXXXXX").string();
  const int descriptor = mkstemp(path.data());
  if (descriptor < 0) return Failed("cannot make a temporary file " + path);
  close(descriptor);
  TemporaryFile file(path);
  if (std::ofstream stream(path, std::ios::binary); !stream.write(bytes.data(), std::ssize(bytes)).flush()) {
    return Failed("cannot write the temporary file " + path);
  }
  return file;
}

TemporaryFile::TemporaryFile(std::string path) : path_(std::move(path)) {}
TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

}  // namespace gcsflux::conformance
