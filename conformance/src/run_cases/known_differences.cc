#include "run_cases/known_differences.h"

#include <fnmatch.h>

#include <algorithm>

#include "base/read_file.h"
#include "read_cases/embedded_cases.h"
#include "read_cases/fields.h"

namespace gcsflux::conformance {
namespace {

using Kind = KnownDifference::Kind;

OrError<Json> ReadJson(const std::string& file) {
  const auto text = ReadFile(file);
  if (!text) return Failed(text.error());
  Json document = Json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return Failed(file + ": it is not a JSON object");
  return document;
}

/// The entries of the list `key`, whose field `glob` says what they are about.
void AddList(Fields& profile, const char* key, const char* glob, Kind kind, std::vector<KnownDifference>& known,
             Problem& problem) {
  const Json* list = profile.Find(key);
  if (list == nullptr) return;
  if (!list->is_array()) return profile.Note(key, "must be a list");
  for (std::size_t i = 0; i < list->size(); ++i) {
    Fields fields((*list)[i], profile.PathOf(key) + "[" + std::to_string(i) + "]", problem);
    known.push_back({.kind = kind, .glob = fields.RequiredText(glob), .reason = fields.RequiredText("reason")});
    fields.RefuseOthers();
  }
}

OrError<std::vector<KnownDifference>> ParseProfile(const Json& document, const std::string& file) {
  Problem problem;
  Fields fields(document, "", problem);
  std::vector<KnownDifference> known;
  fields.Text("about");
  AddList(fields, "failures", "cases", Kind::kFailure, known, problem);
  AddList(fields, "form", "cases", Kind::kForm, known, problem);
  AddList(fields, "cannot", "operations", Kind::kCannot, known, problem);
  fields.RefuseOthers();
  if (!problem.text().empty()) return Failed(file + ": " + problem.text());
  return known;
}

}  // namespace

OrError<std::vector<KnownDifference>> LoadProfile(const std::string& name_or_file) {
  if (name_or_file.empty()) return std::vector<KnownDifference>();
  if (name_or_file.ends_with(".json")) {
    const auto document = ReadJson(name_or_file);
    return document ? ParseProfile(*document, name_or_file) : Failed(document.error());
  }
  std::string names;
  for (const CaseFile& file : EmbeddedProfiles()) {
    const std::string name(file.name.substr(0, file.name.rfind('.')));
    if (name == name_or_file) return ParseProfile(Json::parse(file.text), std::string(file.name));
    names += name + ", ";
  }
  return Failed("there is no profile '" + name_or_file + "'; there are " + names + "or name a file that ends in .json");
}

OrError<std::vector<KnownDifference>> LoadBaseline(const std::string& file) {
  if (file.empty()) return std::vector<KnownDifference>();
  const auto document = ReadJson(file);
  if (!document) return Failed(document.error());
  const auto cases = document->find("cases");
  if (cases == document->end() || !cases->is_array())
    return Failed(file + ": it is no report: it has no list of cases");
  std::vector<KnownDifference> known;
  for (const Json& each : *cases) {
    if (!each.is_object() || !each.contains("name") || !each["name"].is_string()) {
      return Failed(file + ": it is no report: a case has no name");
    }
    // A name has no special characters of a glob, but for the brackets of retry tests.
    std::string glob;
    for (const char c : each["name"].get<std::string>()) glob += std::string(c == '[' || c == '*' ? "\\" : "") + c;
    const std::string result = each.value("result", "");
    const bool has_failed = result == "failed" || result == "known failure";
    const bool has_form = !each.value("form", Json::array()).empty();
    if (has_failed) known.push_back({.kind = Kind::kFailure, .glob = glob, .reason = "in the baseline"});
    if (has_form) known.push_back({.kind = Kind::kForm, .glob = glob, .reason = "in the baseline"});
  }
  return known;
}

const KnownDifference* Find(const std::vector<KnownDifference>& known, Kind kind, const std::string& name) {
  const auto found = std::find_if(known.begin(), known.end(), [&](const KnownDifference& each) {
    return each.kind == kind && fnmatch(each.glob.c_str(), name.c_str(), 0) == 0;
  });
  return found == known.end() ? nullptr : &*found;
}

}  // namespace gcsflux::conformance
