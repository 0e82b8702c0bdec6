#pragma once

#include "store/buckets/store.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/xml-api/post-bucket: deletes many objects by one request, and reports on each
/// of them. An object that does not exist counts as deleted, as in S3 (unverified).
XmlResult<HttpResponse> DeleteXmlObjects(const Store& store, const XmlCall& call);

}  // namespace gcsflux::emulator
