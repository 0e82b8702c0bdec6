#include "case/match_response.h"

#include <algorithm>

#include "base/xpath.h"
#include "case/excerpt.h"
#include "case/matchers.h"
#include "case/parse_answer.h"

namespace gcsflux::conformance {
namespace {

std::optional<std::string> FindStatusMismatch(const std::vector<int>& wanted, int got) {
  if (wanted.empty() || std::find(wanted.begin(), wanted.end(), got) != wanted.end()) return std::nullopt;
  std::string list;
  for (const int each : wanted) list += (list.empty() ? "" : " or ") + std::to_string(each);
  return "status: wanted " + list + ", got " + std::to_string(got);
}

std::optional<std::string> FindHeaderMismatch(const std::pair<std::string, Json>& wanted, const Headers& headers) {
  const auto found = FindHeader(headers, wanted.first);
  const Json got = found.value_or("");
  auto difference = FindDifference(wanted.second, found ? &got : nullptr);
  if (difference) return "header " + wanted.first + ": " + *difference;
  return std::nullopt;
}

std::optional<std::string> FindJsonMismatch(const Json& wanted, const std::string& body) {
  const Json got = ParseAnswer(body);
  if (got.is_discarded()) return "json: the body is not JSON";
  if (auto difference = FindDifference(wanted, &got)) return "json " + *difference;
  return std::nullopt;
}

/// If a list is wanted, any number of nodes may be there; else one node, or none.
std::optional<std::string> FindXmlMismatch(const std::pair<std::string, Json>& wanted, const std::string& body) {
  const std::string where = "xml " + wanted.first + ": ";
  const auto texts = Select(body, wanted.first);
  if (!texts) return where + texts.error();
  Json got = *texts;
  if (!wanted.second.is_array()) {
    if (texts->size() > 1) return where + "wanted one node, got " + Excerpt(got);
    got = texts->empty() ? Json() : Json(texts->front());
  }
  if (auto difference = FindDifference(wanted.second, got.is_null() ? nullptr : &got)) return where + *difference;
  return std::nullopt;
}

std::optional<std::string> FindGeneratedMismatch(const GeneratedBytes& wanted, const std::string& got) {
  const std::string bytes = Generate(wanted);
  if (bytes == got) return std::nullopt;
  const std::string sizes = "body: wanted " + std::to_string(bytes.size()) + " bytes of seed " +
                            std::to_string(wanted.seed) + ", got " + std::to_string(got.size()) + " bytes";
  if (bytes.size() != got.size()) return sizes;
  const auto [first, unused] = std::mismatch(got.begin(), got.end(), bytes.begin());
  return sizes + " that differ from byte " + std::to_string(first - got.begin()) + " on";
}

std::optional<std::string> FindBodyMismatch(const std::variant<Json, GeneratedBytes>& wanted, const std::string& got) {
  if (const auto* generated = std::get_if<GeneratedBytes>(&wanted)) return FindGeneratedMismatch(*generated, got);
  const Json text = got;
  if (auto difference = FindDifference(std::get<Json>(wanted), &text)) return "body: " + *difference;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> FindMismatch(const Expectation& want, const Response& got) {
  if (auto bad = FindStatusMismatch(want.status, got.status)) return bad;
  for (const auto& header : want.headers) {
    if (auto bad = FindHeaderMismatch(header, got.headers)) return bad;
  }
  if (want.json) {
    if (auto bad = FindJsonMismatch(*want.json, got.body)) return bad;
  }
  for (const auto& place : want.xml) {
    if (auto bad = FindXmlMismatch(place, got.body)) return bad;
  }
  if (want.body) return FindBodyMismatch(*want.body, got.body);
  return std::nullopt;
}

}  // namespace gcsflux::conformance
