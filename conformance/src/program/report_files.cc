#include "program/report_files.h"

#include <algorithm>
#include <array>

#include "report/report.h"

namespace gcsflux::conformance {
namespace {

struct Format {
  std::string_view end;
  std::string (*text)(const Json& document);
};

constexpr std::array kFormats = {
    Format{".json", [](const Json& document) { return document.dump(1) + "\n"; }},
    Format{".xml", &JUnitOf},
    Format{".html", &HtmlOf},
};

const Format* FormatOf(const std::string& path) {
  const auto* const found =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const Format& each) { return path.ends_with(each.end); });
  return found == kFormats.end() ? nullptr : found;
}

}  // namespace

OrError<void> ReportFiles::Open(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (FormatOf(path) == nullptr) return Failed("--report: " + path + " must end in .json, .xml or .html");
    files_.push_back({.path = path, .stream = std::ofstream(path, std::ios::binary)});
    if (!files_.back().stream) return Failed("--report: " + path + " cannot be written");
  }
  return {};
}

OrError<void> ReportFiles::Write(const Json& document) {
  for (File& file : files_) {
    file.stream << FormatOf(file.path)->text(document);
    file.stream.close();
    if (!file.stream) return Failed("--report: " + file.path + " could not be written completely");
  }
  return {};
}

}  // namespace gcsflux::conformance
