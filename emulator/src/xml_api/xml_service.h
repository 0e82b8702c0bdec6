#pragma once

#include <string>

#include "api/authorizer.h"
#include "http/http_message.h"
#include "operations/request_subject.h"
#include "store/buckets/store.h"
#include "xml_api/xml_endpoints.h"

namespace gcsflux::emulator {

/// The XML API, https://cloud.google.com/storage/docs/xml-api/overview. Thread-safe.
class XmlService {
 public:
  /// All of them must outlive it.
  XmlService(Store& store, ResumableSessions& sessions, const Authorizer& authorizer)
      : authorizer_(authorizer), endpoints_(store, sessions, authorizer) {}

  /// Never throws: an internal failure is a 500 in the XML API's own form. Says in `subject` what the request was
  /// about. `base_url` is "http://HOST:PORT", the client's name for the emulator.
  HttpResponse Handle(const HttpRequest& request, RequestBody& body, const std::string& base_url,
                      RequestSubject& subject) const;

 private:
  struct Sender;
  XmlResult<HttpResponse> Answer(const HttpRequest& request, RequestBody& body, const Sender& sender,
                                 RequestSubject& subject) const;

  const Authorizer& authorizer_;
  const XmlEndpoints endpoints_;
};

}  // namespace gcsflux::emulator
