#pragma once

#include "store/buckets/bucket.h"
#include "store/buckets/store.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

/// A PUT whose x-goog-copy-source names an object: stores that one's content under the route's name. No byte is moved.
///
/// `copy` is what the request says of it. Its attributes are all of the copy's where x-goog-metadata-directive is
/// REPLACE; of a COPY, the default, only the storage class counts.
XmlResult<HttpResponse> CopyXmlObject(const Store& store, const XmlCall& call, Bucket& destination,
                                      const Preconditions& preconditions, NewObject copy);

}  // namespace gcsflux::emulator
