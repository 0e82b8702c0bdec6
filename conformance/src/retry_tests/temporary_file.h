#pragma once

#include <string>

#include "base/or_error.h"

namespace gcsflux::conformance {

/// A file with given bytes, removed by the destructor. Movable.
class TemporaryFile {
 public:
  static OrError<TemporaryFile> Make(const std::string& bytes);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TemporaryFile(std::string path);
  std::string path_;  // Empty: moved from.
};

}  // namespace gcsflux::conformance
