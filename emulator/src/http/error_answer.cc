#include "http/error_answer.h"

#include "http/json_error.h"
#include "http/xml_error.h"

namespace gcsflux::emulator {

HttpResponse ErrorAnswer(bool is_xml, const ApiError& error) {
  if (!is_xml) return ErrorResponse(error);
  HttpResponse response = XmlErrorResponse(ToXmlError(error));
  response.status = error.status;  // the codes of the XML API have but one each
  return response;
}

}  // namespace gcsflux::emulator
