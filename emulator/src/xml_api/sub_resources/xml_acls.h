#pragma once

#include "store/buckets/store.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

// The sub-resources `acl`, of a bucket or an object, and `defaultObjectAcl`:
// https://cloud.google.com/storage/docs/xml-api/put-bucket-acls and its like. 400 under uniform access.

XmlResult<HttpResponse> GetXmlAcl(const Store& store, const XmlCall& call);
/// Replaces the list by that of the body, or by the one that x-goog-acl names.
XmlResult<HttpResponse> PutXmlAcl(const Store& store, const XmlCall& call);

}  // namespace gcsflux::emulator
