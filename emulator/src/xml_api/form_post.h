#pragma once

#include "api/authorizer.h"
#include "store/buckets/store.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

/// An upload by a form of a web page: https://cloud.google.com/storage/docs/xml-api/post-object-forms. Fields after the
/// file are ignored.
XmlResult<HttpResponse> PostXmlForm(const Store& store, const Authorizer& authorizer, const XmlCall& call);

}  // namespace gcsflux::emulator
