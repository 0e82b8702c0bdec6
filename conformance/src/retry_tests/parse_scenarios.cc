#include "retry_tests/parse_scenarios.h"

#include <string>

#include "read_cases/fields.h"

namespace gcsflux::conformance {
namespace {

const Json kNothing = Json::array();

/// The elements of a list, which may be absent or empty.
const Json& List(Fields& fields, const std::string& key) {
  const Json* list = fields.Find(key);
  if (list == nullptr) return kNothing;
  if (list->is_array()) return *list;
  fields.Note(key, "must be a list");
  return kNothing;
}

std::vector<std::string> Texts(Fields& fields, const std::string& key) {
  return List(fields, key).empty() ? std::vector<std::string>() : fields.Texts(key);
}

/// A number in the public files; a text is accepted too.
std::string Id(Fields& fields) {
  const Json* id = fields.Find("id");
  if (id != nullptr && id->is_number_integer()) return id->dump();
  return fields.RequiredText("id");
}

RetryCase ParseCase(const Json& value, const std::string& path, Problem& problem) {
  Fields fields(value, path, problem);
  RetryCase parsed{.instructions = Texts(fields, "instructions"), .faults = List(fields, "faults")};
  for (const Json& rule : parsed.faults) {
    const bool is_named = rule.is_object() && rule.contains("name") && rule["name"].is_string();
    if (!is_named) fields.Note("faults", "must hold rules with names");
  }
  return parsed;
}

RetryMethod ParseMethod(const Json& value, const std::string& path, Problem& problem) {
  Fields fields(value, path, problem);
  return {.name = fields.RequiredText("name"),
          .group = fields.Text("group"),
          .resources = Texts(fields, "resources"),
          .calls = Texts(fields, "calls")};
}

template <class Element>
std::vector<Element> ParseList(Fields& fields, const std::string& key,
                               Element (*parse)(const Json&, const std::string&, Problem&), Problem& problem) {
  std::vector<Element> elements;
  for (const Json& value : List(fields, key)) {
    elements.push_back(parse(value, fields.PathOf(key) + "[" + std::to_string(elements.size()) + "]", problem));
  }
  return elements;
}

ExpectedEffect ParseEffect(Fields& fields) {
  const std::string effect = fields.Text("expectEffect", "any");
  if (effect == "none") return ExpectedEffect::kNone;
  if (effect == "once") return ExpectedEffect::kOnce;
  if (effect != "any") fields.Note("expectEffect", "must be any, none or once");
  return ExpectedEffect::kAny;
}

std::optional<bool> ParseReplays(Fields& fields) {
  if (fields.Find("serviceReplays") == nullptr) return std::nullopt;
  return fields.Bool("serviceReplays", false);
}

RetryScenario ParseScenario(const Json& value, const std::string& path, Problem& problem) {
  Fields fields(value, path, problem);
  return {.id = Id(fields),
          .description = fields.Text("description"),
          .cases = ParseList(fields, "cases", &ParseCase, problem),
          .methods = ParseList(fields, "methods", &ParseMethod, problem),
          .precondition_provided = fields.Bool("preconditionProvided", false),
          .trusts_tokens = fields.Bool("trustsTokens", false),
          .service_replays = ParseReplays(fields),
          .expect_success = fields.Bool("expectSuccess", false),
          .expect_error = fields.Text("expectError"),
          .expect_effect = ParseEffect(fields)};
}

}  // namespace

OrError<std::vector<RetryScenario>> ParseScenarios(std::string_view file, std::string_view text) {
  // The parser takes a zero byte for the end of the text, and ignores what follows.
  if (text.find('\0') != std::string_view::npos) return Failed(std::string(file) + ": it holds a zero byte");
  Json document;
  try {
    document = Json::parse(text);
  } catch (const Json::parse_error& error) {
    return Failed(std::string(file) + ": " + error.what());
  }
  Problem problem;
  Fields fields(document, "", problem);
  auto scenarios = ParseList(fields, "retryTests", &ParseScenario, problem);
  if (scenarios.empty()) fields.Note("retryTests", "must be a list, not empty");
  if (!problem.text().empty()) return Failed(std::string(file) + ": " + problem.text());
  return scenarios;
}

}  // namespace gcsflux::conformance
