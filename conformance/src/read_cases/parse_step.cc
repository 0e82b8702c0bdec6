#include "read_cases/parse_step.h"

#include <algorithm>

#include "base/base64.h"
#include "base/xpath.h"
#include "case/matchers.h"

namespace gcsflux::conformance {
namespace {

constexpr std::uint64_t kMaxGeneratedBytes = 256U
                                             << 20U;  // Bodies are held in memory, and twice when they are compared.

void ParseRequestLine(Fields& fields, Step& step) {
  const std::string line = fields.RequiredText("request");
  const std::size_t space = line.find(' ');
  step.method = line.substr(0, space);
  step.target = space == line.npos ? "" : line.substr(space + 1);
  const auto is_upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  if (step.method.empty() || !std::all_of(step.method.begin(), step.method.end(), is_upper)) {
    fields.Note("request", "must begin with a method in capital letters");
  }
  const auto is_raw = [](char c) { return c > ' ' && c < '\x7f'; };
  const bool is_target = step.target.starts_with('/') || step.target.starts_with('{');
  if (!is_target || !std::all_of(step.target.begin(), step.target.end(), is_raw)) {
    fields.Note("request", "must have a target after the method: /..., percent-encoded, or a {variable}");
  }
}

void ParseHeaders(Fields& fields, Step& step) {
  const Json* headers = fields.Find("headers");
  if (headers == nullptr) return;
  if (!headers->is_object()) return fields.Note("headers", "must be an object");
  for (const auto& [name, value] : headers->items()) {
    if (name == "Authorization" && value.is_null()) {
      step.anonymous = true;
    } else if (value.is_string()) {
      step.headers.emplace_back(name, value.get<std::string>());
    } else {
      fields.Note("headers", name + " must be a string (or null, for Authorization only)");
    }
  }
}

bool IsGenerated(const Json& value) { return value.is_object() && value.contains("bytes"); }

GeneratedBytes ParseGenerated(const Json& value, const std::string& path, Problem& problem) {
  Fields fields(value, path, problem);
  GeneratedBytes bytes{
      .size = fields.Number("bytes", 0), .seed = fields.Number("seed", 0), .offset = fields.Number("offset", 0)};
  if (bytes.size > kMaxGeneratedBytes) fields.Note("bytes", "must be at most " + std::to_string(kMaxGeneratedBytes));
  fields.RefuseOthers();
  return bytes;
}

RawBytes ParseRaw(const Json& value, const std::string& path, Problem& problem) {
  Fields fields(value, path, problem);
  const auto bytes = DecodeBase64(fields.Text("base64"));
  if (!bytes) fields.Note("base64", "must be standard base64, padded and not empty");
  fields.RefuseOthers();
  return RawBytes{bytes.value_or("")};
}

BodyPiece ParseBodyPiece(const Json& piece, const std::string& path, Problem& problem) {
  if (piece.is_string()) return piece.get<std::string>();
  if (IsGenerated(piece)) return ParseGenerated(piece, path, problem);
  if (piece.is_object() && piece.contains("base64")) return ParseRaw(piece, path, problem);
  Fields fields(piece, path, problem);
  const Json* value = fields.Find("json");
  if (value == nullptr) fields.Note("json", "must be there, unless the piece is a string or has bytes or base64");
  fields.RefuseOthers();
  return JsonText{value != nullptr ? *value : Json()};
}

void ParseBody(Fields& fields, Step& step, Problem& problem) {
  const Json* body = fields.Find("body");
  if (body == nullptr) return;
  step.has_body = true;
  if (!body->is_array()) {
    step.body.push_back(ParseBodyPiece(*body, fields.PathOf("body"), problem));
    if (std::holds_alternative<JsonText>(step.body[0]) && !FindHeader(step.headers, "Content-Type")) {
      step.headers.emplace_back("Content-Type", "application/json");
    }
    return;
  }
  for (std::size_t i = 0; i < body->size(); ++i) {
    const std::string path = fields.PathOf("body") + "[" + std::to_string(i) + "]";
    step.body.push_back(ParseBodyPiece((*body)[i], path, problem));
  }
}

void CheckMatchers(const Json& wanted, const std::string& path, Problem& problem) {
  if (const auto malformed = FindMalformedMatcher(wanted)) problem.Note(path, *malformed);
}

void ParseStatus(Fields& fields, Expectation& want, bool is_required) {
  const Json* status = fields.Find("status");
  if (status == nullptr && !is_required) return;
  if (status == nullptr) return fields.Note("status", "must be there");
  const Json list = status->is_array() ? *status : Json::array({*status});
  for (const Json& each : list) {
    const bool is_status = each.is_number_unsigned() && each >= 200 && each <= 599;
    if (!is_status) return fields.Note("status", "must be an HTTP status from 200 to 599, or a list of them");
    want.status.push_back(each.get<int>());
  }
  if (want.status.empty()) fields.Note("status", "must not be an empty list");
}

void ParseWantedBody(Fields& fields, Expectation& want, Problem& problem) {
  const Json* body = fields.Find("body");
  if (body == nullptr) return;
  if (IsGenerated(*body)) {
    want.body = ParseGenerated(*body, fields.PathOf("body"), problem);
    return;
  }
  if (!body->is_string() && !IsMatcher(*body)) {
    fields.Note("body", "must be a string, a matcher or generated bytes; for JSON use the field json");
  }
  CheckMatchers(*body, fields.PathOf("body"), problem);
  want.body = *body;
}

void CheckXPath(const std::string& expression, const std::string& path, Problem& problem) {
  if (const auto malformed = FindMalformedXPath(expression)) problem.Note(path, *malformed);
}

void ParseWantedXml(Fields& fields, Expectation& want, Problem& problem) {
  const Json* xml = fields.Find("xml");
  if (xml == nullptr) return;
  if (!xml->is_object() || xml->empty()) return fields.Note("xml", "must be an object that is not empty");
  for (const auto& [expression, wanted] : xml->items()) {
    const bool is_list = wanted.is_array();
    if (!is_list && !wanted.is_string() && !IsMatcher(wanted)) {
      fields.Note("xml", expression + " must be a string, a matcher or a list of them");
    }
    CheckXPath(expression, fields.PathOf("xml"), problem);
    CheckMatchers(wanted, fields.PathOf("xml"), problem);
    want.xml.emplace_back(expression, wanted);
  }
}

Expectation ParseExpectation(const Json& value, const std::string& path, bool needs_status, Problem& problem) {
  Fields fields(value, path, problem);
  Expectation want;
  want.as_written = value;
  ParseStatus(fields, want, needs_status);
  if (const Json* headers = fields.Find("headers")) {
    if (!headers->is_object()) fields.Note("headers", "must be an object");
    for (const auto& [name, wanted] : headers->items()) {
      if (!wanted.is_string() && !IsMatcher(wanted)) fields.Note("headers", name + " must be a string or a matcher");
      CheckMatchers(wanted, fields.PathOf("headers"), problem);
      want.headers.emplace_back(name, wanted);
    }
  }
  if (const Json* json = fields.Find("json")) {
    CheckMatchers(*json, fields.PathOf("json"), problem);
    want.json = *json;
  }
  ParseWantedXml(fields, want, problem);
  ParseWantedBody(fields, want, problem);
  fields.RefuseOthers();
  return want;
}

std::vector<std::string> ParseForEach(Fields& fields, Problem& problem) {
  const Json* value = fields.Find("for_each");
  if (value == nullptr || !value->is_object()) return fields.Texts("for_each");
  Fields range(*value, fields.PathOf("for_each"), problem);
  const std::uint64_t count = range.Number("numbers", 0);
  if (count == 0 || count > 10'000) range.Note("numbers", "must be from 1 to 10000");
  range.RefuseOthers();
  std::vector<std::string> numbers;
  for (std::uint64_t i = 0; i < count && problem.text().empty(); ++i) numbers.push_back(std::to_string(i));
  return numbers;
}

std::optional<Concurrently> ParseConcurrently(Fields& step, Problem& problem) {
  const Json* value = step.Find("concurrently");
  if (value == nullptr) return std::nullopt;
  Fields fields(*value, step.PathOf("concurrently"), problem);
  Concurrently parsed{.times = fields.Number("times", 0)};
  if (parsed.times < 2 || parsed.times > 64) fields.Note("times", "must be from 2 to 64");
  const Json* others = fields.Find("others");
  if (others == nullptr) fields.Note("others", "must be there");
  if (others != nullptr) {
    parsed.others = ParseExpectation(*others, fields.PathOf("others"), /*needs_status=*/true, problem);
  }
  fields.RefuseOthers();
  return parsed;
}

Save ParseSave(const std::string& variable, const Json& value, const std::string& path, Problem& problem) {
  Fields fields(value, path, problem);
  const std::string header = fields.Text("header");
  const std::string pointer = fields.Text("json");
  const std::string expression = fields.Text("xml");
  fields.RefuseOthers();
  const int sources = !header.empty() + !pointer.empty() + !expression.empty();
  if (sources != 1) problem.Note(path, "must have a header, a json pointer or an xml expression, and one only");
  if (!header.empty()) return Save{variable, header};
  if (!expression.empty()) {
    CheckXPath(expression, path, problem);
    return Save{variable, XPath{expression}};
  }
  try {
    return Save{variable, Json::json_pointer(pointer)};
  } catch (const Json::exception&) {
    problem.Note(path, "json must be a JSON pointer, such as /items/0/name");
    return Save{variable, header};
  }
}

}  // namespace

Step ParseStep(const Json& value, const std::string& path, Problem& problem) {
  Fields fields(value, path, problem);
  Step step;
  step.for_each = ParseForEach(fields, problem);
  step.concurrently = ParseConcurrently(fields, problem);
  ParseRequestLine(fields, step);
  ParseHeaders(fields, step);
  ParseBody(fields, step, problem);
  step.chunked = fields.Bool("chunked", false);
  if (step.chunked && !step.has_body) fields.Note("chunked", "needs a body");
  const Json* want = fields.Find("want");
  if (want == nullptr) fields.Note("want", "must be there");
  if (want != nullptr) step.want = ParseExpectation(*want, fields.PathOf("want"), /*needs_status=*/true, problem);
  if (const Json* form = fields.Find("form")) {
    if (form->empty()) fields.Note("form", "must not be empty");
    step.form = ParseExpectation(*form, fields.PathOf("form"), /*needs_status=*/false, problem);
  }
  if (const Json* save = fields.Find("save")) {
    if (!save->is_object()) fields.Note("save", "must be an object");
    for (const auto& [variable, source] : save->items()) {
      step.save.push_back(ParseSave(variable, source, fields.PathOf("save") + "." + variable, problem));
    }
  }
  fields.RefuseOthers();
  return step;
}

}  // namespace gcsflux::conformance
