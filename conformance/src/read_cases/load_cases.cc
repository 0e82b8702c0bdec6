#include "read_cases/load_cases.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/read_file.h"
#include "read_cases/embedded_cases.h"
#include "read_cases/parse_cases.h"

namespace gcsflux::conformance {
namespace {

namespace fs = std::filesystem;

OrError<std::vector<fs::path>> CaseFilesAt(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return std::vector<fs::path>{path};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (files.empty()) return Failed(path.string() + ": there is no .json file in or below this directory");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

OrError<std::vector<Case>> LoadEmbeddedCases() {
  std::vector<Case> all;
  for (const CaseFile& file : EmbeddedCases()) {
    auto cases = ParseCases(file.name, file.text);
    if (!cases) return cases;
    all.insert(all.end(), cases->begin(), cases->end());
  }
  return all;
}

OrError<std::vector<Case>> LoadCases(const std::string& path) {
  const auto files = CaseFilesAt(path);
  if (!files) return Failed(files.error());
  std::vector<Case> all;
  for (const fs::path& file : *files) {
    const auto text = ReadFile(file);
    if (!text) return Failed(text.error());
    auto cases = ParseCases(file.string(), *text);
    if (!cases) return cases;
    all.insert(all.end(), cases->begin(), cases->end());
  }
  return all;
}

}  // namespace gcsflux::conformance
