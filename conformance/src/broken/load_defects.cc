#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "base/read_file.h"
#include "broken/defect.h"
#include "read_cases/fields.h"

namespace gcsflux::conformance {
namespace {

namespace fs = std::filesystem;

/// The fields of the object `key`. `Value` is Json, a string, or an optional string, which null makes empty.
template <class Value>
std::vector<std::pair<std::string, Value>> Pairs(Fields& fields, const std::string& key) {
  std::vector<std::pair<std::string, Value>> pairs;
  const Json* object = fields.Find(key);
  if (object == nullptr) return pairs;
  if (!object->is_object() || object->empty()) {
    fields.Note(key, "must be an object that is not empty");
    return pairs;
  }
  for (const auto& [name, value] : object->items()) {
    if constexpr (std::is_same_v<Value, Json>) {
      pairs.emplace_back(name, value);
    } else if (value.is_string()) {
      pairs.emplace_back(name, Value(value.template get<std::string>()));
    } else if (std::is_same_v<Value, std::optional<std::string>> && value.is_null()) {
      pairs.emplace_back(name, Value());
    } else {
      fields.Note(key, name + " must be a string");
    }
  }
  return pairs;
}

DefectMatch ParseMatch(const Json& value, const std::string& path, Problem& problem) {
  Fields fields(value, path, problem);
  DefectMatch match{.operations = fields.Texts("operations"),
                    .query = Pairs<std::optional<std::string>>(fields, "query"),
                    .headers = Pairs<std::optional<std::string>>(fields, "headers")};
  if (match.operations.empty()) fields.Note("operations", "must be there");
  if (const Json* status = fields.Find("status")) {
    for (const Json& each : *status) {
      if (!each.is_number_unsigned()) fields.Note("status", "must be a list of statuses");
      match.status.push_back(each.is_number_unsigned() ? each.get<int>() : 0);
    }
  }
  fields.RefuseOthers();
  return match;
}

RequestDefect ParseRequest(const Json& value, const std::string& path, Problem& problem) {
  Fields fields(value, path, problem);
  RequestDefect request{.drop_query = fields.Texts("drop_query"),
                        .set_query = Pairs<std::string>(fields, "set_query"),
                        .drop_headers = fields.Texts("drop_headers"),
                        .replace = Pairs<std::string>(fields, "replace")};
  fields.RefuseOthers();
  return request;
}

AnswerDefect ParseAnswerDefect(const Json& value, const std::string& path, Problem& problem) {
  Fields fields(value, path, problem);
  AnswerDefect answer{.drop_headers = fields.Texts("drop_headers"),
                      .set_headers = Pairs<std::string>(fields, "set_headers"),
                      .drop_json = fields.Texts("drop_json"),
                      .set_json = Pairs<Json>(fields, "set_json"),
                      .replace = Pairs<std::string>(fields, "replace"),
                      .cut = Pairs<std::string>(fields, "cut"),
                      .reverse = fields.Text("reverse"),
                      .drop_last = fields.Text("drop_last"),
                      .truncate = fields.Number("truncate", 0),
                      .flips_a_byte = fields.Bool("flips_a_byte", false)};
  if (fields.Has("status")) answer.status = static_cast<int>(fields.Number("status", 0));
  fields.RefuseOthers();
  return answer;
}

DefectEffect ParseEffect(Fields& fields) {
  const std::string effect = fields.Text("effect");
  if (effect == "not_done") return DefectEffect::kNotDone;
  if (effect == "twice") return DefectEffect::kTwice;
  if (effect == "stale") return DefectEffect::kStale;
  if (!effect.empty()) fields.Note("effect", "must be not_done, twice or stale");
  return DefectEffect::kDone;
}

Defect ParseDefect(const Json& value, const std::string& path, Problem& problem) {
  Fields fields(value, path, problem);
  Defect defect{.name = fields.RequiredText("name"), .about = fields.RequiredText("about")};
  const Json* match = fields.Find("match");
  if (match == nullptr) fields.Note("match", "must be there");
  if (match != nullptr) defect.match = ParseMatch(*match, fields.PathOf("match"), problem);
  if (const Json* request = fields.Find("request")) {
    defect.request = ParseRequest(*request, fields.PathOf("request"), problem);
  }
  if (const Json* answer = fields.Find("answer")) {
    defect.answer = ParseAnswerDefect(*answer, fields.PathOf("answer"), problem);
  }
  defect.effect = ParseEffect(fields);
  fields.RefuseOthers();
  return defect;
}

OrError<std::vector<Defect>> ParseDefects(const std::string& file, const std::string& text) {
  const Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  Problem problem;
  std::vector<Defect> defects;
  Fields fields(document, "", problem);
  const Json* list = fields.Find("defects");
  if (list == nullptr || !list->is_array()) return Failed(file + ": it has no list of defects");
  fields.RefuseOthers();
  for (std::size_t i = 0; i < list->size() && problem.text().empty(); ++i) {
    const Json& each = (*list)[i];
    const bool has_name = each.is_object() && each.contains("name") && each["name"].is_string();
    const std::string name = has_name ? each["name"].get<std::string>() : std::to_string(i);
    defects.push_back(ParseDefect(each, "defect \"" + name + "\"", problem));
  }
  if (!problem.text().empty()) return Failed(file + ": " + problem.text());
  return defects;
}

}  // namespace

OrError<std::vector<Defect>> LoadDefects(const std::string& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Defect> all;
  std::set<std::string> names;
  for (const fs::path& file : files) {
    const auto text = ReadFile(file);
    if (!text) return Failed(text.error());
    const auto defects = ParseDefects(file.string(), *text);
    if (!defects) return defects;
    for (const Defect& each : *defects) {
      if (!names.insert(each.name).second) return Failed(file.string() + ": " + each.name + " is there twice");
      all.push_back(each);
    }
  }
  if (all.empty()) return Failed(directory + ": there are no defects");
  return all;
}

}  // namespace gcsflux::conformance
