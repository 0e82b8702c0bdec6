#include "read_cases/parse_cases.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "case/placeholders.h"
#include "read_cases/fields.h"
#include "read_cases/parse_step.h"

namespace gcsflux::conformance {
namespace {

using Names = std::set<std::string, std::less<>>;

bool IsCaseName(const std::string& name) {
  const auto is_letter_or_digit = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name[0] >= 'A' && name[0] <= 'Z' && std::all_of(name.begin(), name.end(), is_letter_or_digit);
}

std::string Repeated(const std::string& text, std::uint64_t times) {
  std::string repeated;
  for (std::uint64_t i = 0; i < times; ++i) repeated += text;
  return repeated;
}

void ParseGiven(Fields& fields, Case& parsed, Problem& problem) {
  const Json* given = fields.Find("given");
  if (given == nullptr) return;
  if (!given->is_object()) return fields.Note("given", "must be an object");
  for (const auto& [name, value] : given->items()) {
    if (value.is_string()) {
      parsed.given.emplace_back(name, value.get<std::string>());
      continue;
    }
    Fields repeat(value, fields.PathOf("given") + "." + name, problem);
    const std::uint64_t times = repeat.Number("times", 0);
    if (times == 0 || times > 100'000) repeat.Note("times", "must be from 1 to 100000");
    const std::string text = repeat.RequiredText("repeat");
    repeat.RefuseOthers();
    parsed.given.emplace_back(name, problem.text().empty() ? Repeated(text, times) : "");
  }
}

void ParseNeeds(Fields& fields, Case& parsed) {
  parsed.needs = fields.Texts("needs");
  for (const std::string& need : parsed.needs) {
    if (need != kNeedsAccessToken && !need.starts_with('/')) {
      fields.Note("needs", "must hold access_token, or targets that begin with /");
    }
  }
}

/// The content of `piece` as JSON, so that texts and JSON are searched for placeholders in the same way.
Json AsJson(const BodyPiece& piece) {
  if (const auto* text = std::get_if<std::string>(&piece)) return *text;
  if (const auto* json = std::get_if<JsonText>(&piece)) return json->value;
  return {};
}

void AddWanted(const Expectation& want, Json& texts) {
  for (const auto& header : want.headers) texts.push_back(header.second);
  if (want.json) texts.push_back(*want.json);
  for (const auto& place : want.xml) texts.push_back(place.second);
  if (want.body && std::holds_alternative<Json>(*want.body)) texts.push_back(std::get<Json>(*want.body));
}

/// Everything in `step` that may contain placeholders.
Json Substituted(const Step& step) {
  Json texts = Json::array({step.target});
  for (const auto& header : step.headers) texts.push_back(header.second);
  for (const auto& piece : step.body) texts.push_back(AsJson(piece));
  AddWanted(step.want, texts);
  AddWanted(step.form, texts);
  if (step.concurrently) AddWanted(step.concurrently->others, texts);
  return texts;
}

/// A claim without a source ends with "(unverified: REASON)".
bool SaysWhyUnverified(std::string_view claim) {
  constexpr std::string_view kMark = "(unverified: ";
  const std::size_t at = claim.rfind(kMark);
  return claim.ends_with(')') && at != claim.npos && claim.size() > at + kMark.size() + 1;
}

void CheckVariables(const Case& parsed, const std::string& path, Problem& problem) {
  Names defined = {"endpoint", "project", "bucket"};
  for (const auto& variable : parsed.given) defined.insert(variable.first);
  for (std::size_t i = 0; i < parsed.steps.size(); ++i) {
    const Step& step = parsed.steps[i];
    const std::string step_path = path + "steps[" + std::to_string(i) + "]";
    std::string undefined = UndefinedVariableInside(Json(step.for_each), defined);
    if (!step.for_each.empty()) defined.insert("each");
    if (step.concurrently) defined.insert("turn");
    if (undefined.empty()) undefined = UndefinedVariableInside(Substituted(step), defined);
    if (!undefined.empty()) {
      problem.Note(step_path, "{" + undefined + "} is neither given nor saved by an earlier step");
    }
    defined.erase("each");
    defined.erase("turn");
    for (const Save& save : step.save) defined.insert(save.variable);
  }
}

Case ParseCase(const Json& value, const std::string& stem, std::size_t index, Problem& problem) {
  const bool has_name = value.is_object() && value.contains("name") && value["name"].is_string();
  const std::string path =
      has_name ? "case \"" + value["name"].get<std::string>() + "\"" : "cases[" + std::to_string(index) + "]";
  Fields fields(value, path, problem);
  Case parsed;
  const std::string name = fields.RequiredText("name");
  if (!IsCaseName(name)) fields.Note("name", "must be a claim in CamelCase");
  parsed.name = stem + "/" + name;
  parsed.claim = fields.RequiredText("claim");
  parsed.source = fields.Text("source");
  parsed.tags = fields.Texts("tags");
  parsed.bucket_exists = fields.Bool("bucket_exists", true);
  ParseNeeds(fields, parsed);
  ParseGiven(fields, parsed, problem);
  const Json* steps = fields.Find("steps");
  if (steps == nullptr || !steps->is_array() || steps->empty()) fields.Note("steps", "must be a list, not empty");
  for (std::size_t i = 0; steps != nullptr && i < steps->size() && problem.text().empty(); ++i) {
    parsed.steps.push_back(ParseStep((*steps)[i], fields.PathOf("steps[" + std::to_string(i) + "]"), problem));
  }
  fields.RefuseOthers();
  if (problem.text().empty()) CheckVariables(parsed, fields.PathOf(""), problem);
  if (parsed.source.empty() && !SaysWhyUnverified(parsed.claim)) {
    fields.Note("source", "must be there, unless the claim ends with (unverified: REASON)");
  }
  return parsed;
}

std::vector<Case> ParseDocument(const Json& document, const std::string& stem, Problem& problem) {
  Fields fields(document, "", problem);
  const Json* list = fields.Find("cases");
  fields.RefuseOthers();
  std::vector<Case> cases;
  if (list == nullptr || !list->is_array() || list->empty()) fields.Note("cases", "must be a list, not empty");
  Names names;
  for (std::size_t i = 0; i < (list != nullptr ? list->size() : 0) && problem.text().empty(); ++i) {
    cases.push_back(ParseCase((*list)[i], stem, i, problem));
    if (!names.insert(cases.back().name).second) problem.Note(cases.back().name, "the name is taken twice");
  }
  return cases;
}

}  // namespace

OrError<std::vector<Case>> ParseCases(std::string_view file, std::string_view text) {
  // The parser takes a zero byte for the end of the text, and ignores what follows.
  if (text.find('\0') != std::string_view::npos) return Failed(std::string(file) + ": it holds a zero byte");
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return Failed(std::string(file) + ": " + error.what());
  }
  Problem problem;
  auto cases = ParseDocument(document, std::filesystem::path(file).stem().string(), problem);
  if (!problem.text().empty()) return Failed(std::string(file) + ": " + problem.text());
  return cases;
}

}  // namespace gcsflux::conformance
