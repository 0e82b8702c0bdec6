#pragma once

#include <string>

#include "http/http_message.h"
#include "http/target.h"
#include "http/xml_error.h"
#include "xml_api/xml_operation.h"

namespace gcsflux::emulator {

struct XmlRoute {
  XmlOperation operation = XmlOperation::kListBuckets;
  std::string bucket = {};
  std::string object = {};
  bool is_virtual_host_style = false;  ///< The bucket came with the host, not with the path.
};

/// Path style, `/bucket/object`, or virtual-host style: `bucket.storage.googleapis.com`, `bucket.localhost`, with or
/// without a port. `target` is the request's own.
XmlResult<XmlRoute> FindXmlRoute(const HttpRequest& request, const Target& target);

}  // namespace gcsflux::emulator
