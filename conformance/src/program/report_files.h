#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "base/or_error.h"
#include "case/case.h"

namespace gcsflux::conformance {

/// The files of --report. Their formats go by their ends: .json, .xml (JUnit), .html.
class ReportFiles {
 public:
  /// Opens the files, so that a path that cannot be written is known before the run.
  OrError<void> Open(const std::vector<std::string>& paths);
  /// Writes the document to each.
  OrError<void> Write(const Json& document);

 private:
  struct File {
    std::string path;
    std::ofstream stream;
  };
  std::vector<File> files_;
};

}  // namespace gcsflux::conformance
