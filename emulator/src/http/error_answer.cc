#include "http/error_answer.h"

#include "http/json_error.h"
#include "http/xml_error.h"

namespace gcsflux::emulator {

HttpResponse ErrorAnswer(bool is_xml, const ApiError& error) {
  if (!is_xml) return ErrorResponse(error);
  HttpResponse response = XmlErrorResponse(ToXmlError(error));
  response.status = error.status;  // a code of the XML API has one status only
  return response;
}

}  // namespace gcsflux::emulator
