#pragma once

#include "store/buckets/store.h"
#include "store/uploads/resumable_sessions.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

/// POST with `x-goog-resumable: start`: https://cloud.google.com/storage/docs/xml-api/post-object-resumable. The URI of
/// the session is one of the JSON API's, which needs no credentials. kMethodNotAllowed without that header.
XmlResult<HttpResponse> StartXmlSession(const Store& store, ResumableSessions& sessions, const XmlCall& call);

}  // namespace gcsflux::emulator
