#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/or_error.h"
#include "case/case.h"

namespace gcsflux::conformance {

/// Which requests a defect is about. Values are shell patterns; one that is absent means that the request must not have
/// the parameter or header.
struct DefectMatch {
  std::vector<std::string> operations = {};  ///< Patterns over OperationOf().
  std::vector<std::pair<std::string, std::optional<std::string>>> query = {};
  std::vector<std::pair<std::string, std::optional<std::string>>> headers = {};
  std::vector<int> status = {};  ///< Of the true answer. If empty, any.
};

/// What becomes of the request before the true service gets it.
struct RequestDefect {
  std::vector<std::string> drop_query = {};
  std::vector<std::pair<std::string, std::string>> set_query = {};
  std::vector<std::string> drop_headers = {};
  std::vector<std::pair<std::string, std::string>> replace = {};  ///< In the body.
};

/// What becomes of the answer. A pointer may have '*' for each element of a list.
struct AnswerDefect {
  std::optional<int> status = {};
  std::vector<std::string> drop_headers = {};
  std::vector<std::pair<std::string, std::string>> set_headers = {};
  std::vector<std::string> drop_json = {};                        ///< Pointers.
  std::vector<std::pair<std::string, Json>> set_json = {};        ///< By pointer.
  std::vector<std::pair<std::string, std::string>> replace = {};  ///< In the body.
  std::vector<std::pair<std::string, std::string>> cut = {};      ///< From a text to a text, both included, everywhere.
  std::string reverse = {};                                       ///< Pointer of a list.
  std::string drop_last = {};                                     ///< Likewise: its last element is missing.
  std::size_t truncate = 0;                                       ///< Bytes that are missing at the end.
  bool flips_a_byte = false;                                      ///< In the middle of the body.
};

/// What the service does wrong with the request itself.
enum class DefectEffect {
  kDone,     ///< Nothing.
  kNotDone,  ///< The answer is `answer`, with status 200 by default, but the service never got the request.
  kTwice,    ///< The service got it twice; the second answer is sent.
  kStale,    ///< Once it is answered with 200, the same target gets the same answer for ever.
};

/// One thing that an endpoint does wrong: a line of conformance/broken/*.json.
struct Defect {
  std::string name = {};
  std::string about = {};  ///< One sentence.
  DefectMatch match = {};
  RequestDefect request = {};
  AnswerDefect answer = {};
  DefectEffect effect = DefectEffect::kDone;
};

/// The defects of all .json files in a directory, ordered by file. The error names file, defect and field.
OrError<std::vector<Defect>> LoadDefects(const std::string& directory);

bool IsAbout(const DefectMatch& match, const Request& request);
bool IsAboutStatus(const DefectMatch& match, int status);

Request Changed(Request request, const RequestDefect& defect);
Response Changed(Response response, const AnswerDefect& defect);

}  // namespace gcsflux::conformance
