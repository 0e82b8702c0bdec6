#pragma once

#include "api/authorizer.h"
#include "store/buckets/store.h"
#include "store/uploads/resumable_sessions.h"
#include "xml_api/xml_buckets.h"
#include "xml_api/xml_multipart.h"
#include "xml_api/xml_objects.h"

namespace gcsflux::emulator {

/// The objects whose methods are the handlers of the XML API. Thread-safe.
struct XmlEndpoints {
  /// All of them must outlive it.
  XmlEndpoints(Store& of, ResumableSessions& of_uploads, const Authorizer& of_callers)
      : store(of), sessions(of_uploads), authorizer(of_callers), buckets(of), objects(of), multipart(of) {}

  Store& store;
  ResumableSessions& sessions;
  const Authorizer& authorizer;
  XmlBuckets buckets;
  XmlObjects objects;
  XmlMultipart multipart;
};

}  // namespace gcsflux::emulator
