#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/generated_bytes.h"
#include "http/http.h"

namespace gcsflux::conformance {

using Json = nlohmann::json;

struct JsonText {
  Json value;
};

/// Bytes that a JSON string cannot contain.
struct RawBytes {
  std::string value;
};

/// A body consists of its pieces, in order. Placeholders are replaced inside texts and inside the strings of a JSON
/// value.
using BodyPiece = std::variant<std::string, JsonText, GeneratedBytes, RawBytes>;

/// What an answer must be. An absent part is not checked. See README.md for wanted values.
struct Expectation {
  std::vector<int> status = {};  ///< Any one of these. If empty, any status.
  std::vector<std::pair<std::string, Json>> headers = {};
  std::optional<Json> json = {};
  std::vector<std::pair<std::string, Json>> xml = {};  ///< By XPath expression.
  std::optional<std::variant<Json, GeneratedBytes>> body = {};
  Json as_written = {};  ///< The field of the case's file, for reports.
};

struct XPath {
  std::string expression;
};

/// Keeps a value of the answer for later steps: from a header, or from a place in the JSON or XML body.
struct Save {
  std::string variable;
  std::variant<std::string, Json::json_pointer, XPath> source;  ///< A header's name, or a place in the body.
};

/// The step's request is sent so often at the same time. One of the answers is as the step wants it, and each of the
/// others is as `others` wants it.
struct Concurrently {
  std::uint64_t times = 0;
  Expectation others = {};
};

struct Step {
  std::vector<std::string> for_each = {};  ///< If not empty, the step runs once for each, as {each}.
  std::optional<Concurrently> concurrently = {};
  std::string method = {};
  std::string target = {};
  Headers headers = {};
  bool anonymous = false;
  std::vector<BodyPiece> body = {};
  bool has_body = false;
  bool chunked = false;
  Expectation want = {};  ///< Behaviour: a mismatch fails the case.
  Expectation form = {};  ///< A mismatch is a difference of form, and the case goes on.
  std::vector<Save> save = {};
};

/// One claim about the service, and the requests that show whether it is true.
struct Case {
  std::string name = {};  ///< "names/EncodedSlashIsPartOfTheName": the file's name without .json, then the case's.
  std::string claim = {};
  std::string source = {};              ///< Empty only if the claim ends with "(unverified: REASON)".
  std::vector<std::string> tags = {};   ///< Beside the operations and the subject, which are derived.
  std::vector<std::string> needs = {};  ///< See README.md. If a need is not met, the case is skipped.
  bool bucket_exists = true;            ///< Whether {bucket} is made before the first step.
  std::vector<std::pair<std::string, std::string>> given = {};  ///< Variables that are known from the start.
  std::vector<Step> steps = {};
};

}  // namespace gcsflux::conformance
