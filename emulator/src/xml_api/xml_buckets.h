#pragma once

#include "store/buckets/store.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/xml-api/reference-methods#bucket, without listings. Thread-safe.
class XmlBuckets {
 public:
  explicit XmlBuckets(Store& store) : store_(store) {}

  XmlResult<HttpResponse> List(const XmlCall& call) const;
  XmlResult<HttpResponse> Create(const XmlCall& call) const;
  XmlResult<HttpResponse> Head(const XmlCall& call) const;
  XmlResult<HttpResponse> GetLocation(const XmlCall& call) const;
  XmlResult<HttpResponse> GetVersioning(const XmlCall& call) const;
  XmlResult<HttpResponse> SetVersioning(const XmlCall& call) const;
  XmlResult<HttpResponse> Delete(const XmlCall& call) const;

 private:
  Store& store_;
};

}  // namespace gcsflux::emulator
