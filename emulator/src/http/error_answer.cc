#include "http/error_answer.h"

#include <new>

#include "http/json_error.h"
#include "http/xml_error.h"
#include "store/bytes/extent.h"

namespace gcsflux::emulator {

HttpResponse ErrorAnswer(bool is_xml, const ApiError& error) {
  if (!is_xml) return ErrorResponse(error);
  HttpResponse response = XmlErrorResponse(ToXmlError(error));
  response.status = error.status;  // a code of the XML API has one status only
  return response;
}

ApiError CaughtError() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return {503, "backendError", "The emulator has no memory left for this request."};
  } catch (const DamagedBytes&) {
    return {500, "internalError", "The object's bytes in the data directory are not those that were stored."};
  } catch (...) {
    return {500, "backendError", "Internal error encountered."};
  }
}

}  // namespace gcsflux::emulator
