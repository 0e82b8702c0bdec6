#include "server/traffic/error_answer.h"

#include <string>
#include <variant>

#include "server/json_error.h"
#include "server/xml/xml_error.h"

namespace gcsflux::emulator {

HttpResponse ErrorAnswer(const RequestPreview& preview, const ApiError& error) {
  if (!preview.is_xml) return ErrorResponse(error);
  HttpResponse response = XmlErrorResponse(ToXmlError(error));
  response.status = error.status;  // the codes of the XML API have but one each
  return response;
}

std::optional<std::uint64_t> BodySize(const HttpResponse& response) {
  if (const auto* text = std::get_if<std::string>(&response.body)) return text->size();
  if (const auto* rope = std::get_if<Rope>(&response.body)) return rope->size();
  return std::nullopt;
}

}  // namespace gcsflux::emulator
