#pragma once

#include "store/buckets/store.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

// The settings of a bucket, each a sub-resource: https://cloud.google.com/storage/docs/xml-api/reference-methods#bucket

XmlResult<HttpResponse> GetXmlSetting(const Store& store, const XmlCall& call);
/// Replaces the setting. One that says nothing is no longer set.
XmlResult<HttpResponse> PutXmlSetting(const Store& store, const XmlCall& call);

}  // namespace gcsflux::emulator
