#pragma once

#include "store/buckets/store.h"
#include "xml_api/xml_buckets.h"
#include "xml_api/xml_multipart.h"
#include "xml_api/xml_objects.h"

namespace gcsflux::emulator {

/// The objects whose methods are the handlers of the XML API. Thread-safe.
struct XmlEndpoints {
  /// The store must outlive it.
  explicit XmlEndpoints(Store& of) : store(of), buckets(of), objects(of), multipart(of) {}

  Store& store;
  XmlBuckets buckets;
  XmlObjects objects;
  XmlMultipart multipart;
};

}  // namespace gcsflux::emulator
