#pragma once

#include "store/buckets/store.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/xml-api/post-bucket: deletes many objects by one request, and says of each
/// what has become of it. One that is not there counts as deleted, as S3 has it (unverified).
XmlResult<HttpResponse> DeleteXmlObjects(const Store& store, const XmlCall& call);

}  // namespace gcsflux::emulator
