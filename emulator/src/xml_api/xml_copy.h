#pragma once

#include "store/buckets/bucket.h"
#include "store/buckets/store.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

/// The object that x-goog-copy-source names, which must meet the request's conditions on it.
XmlResult<ObjectPtr> FindCopySource(const Store& store, const XmlCall& call);

/// A PUT whose x-goog-copy-source names an object. Stores that object's content under the route's name. No byte is
/// moved.
///
/// `copy` is the request's description of the new object. If x-goog-metadata-directive is REPLACE, the copy has its
/// attributes. For COPY, the default, only its storage class counts.
XmlResult<HttpResponse> CopyXmlObject(const Store& store, const XmlCall& call, Bucket& destination,
                                      const Preconditions& preconditions, NewObject copy);

}  // namespace gcsflux::emulator
