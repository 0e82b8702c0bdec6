#include "case/parse_answer.h"

namespace gcsflux::conformance {

Json ParseAnswer(const std::string& body) {
  // The parser takes a zero byte for the end of the text, and ignores what follows.
  if (body.find('\0') != std::string::npos) return Json(Json::value_t::discarded);
  return Json::parse(body, nullptr, /*allow_exceptions=*/false);
}

}  // namespace gcsflux::conformance
