#pragma once

#include <string>

#include "http/http_message.h"
#include "http/target.h"
#include "http/xml_error.h"
#include "operations/operation.h"
#include "operations/request_subject.h"

namespace gcsflux::emulator {

/// What a request of the XML API asks for.
struct XmlRoute {
  const XmlOperation* operation = nullptr;
  std::string bucket = {};
  std::string object = {};
  bool is_virtual_host_style = false;  ///< The host names the bucket, not the path.
};

/// The subject of the request with this route. The rest of the request is not known yet.
RequestSubject SubjectOf(const XmlRoute& route);

/// The bucket and the object that a request names. Path style, `/bucket/object`, or virtual-host style:
/// `bucket.storage.googleapis.com`, `bucket.localhost`, with or without a port. `target` is the request's own. There is
/// no operation yet.
XmlRoute FindXmlPlace(const HttpRequest& request, const Target& target);

/// The same with the operation. kNotImplemented if the operation does not know one of the parameters: what it asks for
/// must not be taken for something else.
XmlResult<XmlRoute> FindXmlRoute(const HttpRequest& request, const Target& target);

}  // namespace gcsflux::emulator
