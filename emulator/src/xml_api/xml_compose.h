#pragma once

#include "store/buckets/store.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/xml-api/put-object-compose: joins 1 to 32 objects of the bucket.
XmlResult<HttpResponse> ComposeXmlObject(const Store& store, const XmlCall& call);

}  // namespace gcsflux::emulator
