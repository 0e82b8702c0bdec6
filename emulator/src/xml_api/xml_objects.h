#pragma once

#include <memory>

#include "store/buckets/bucket.h"
#include "store/buckets/store.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

/// kNoSuchBucket if there is none.
XmlResult<std::shared_ptr<Bucket>> FindXmlBucket(const Store& store, const XmlCall& call);

/// The headers about an object's state: ETag, x-goog-generation, x-goog-hash and so on.
void AddStateHeaders(HttpHeaders& headers, const Object& object);

/// https://cloud.google.com/storage/docs/xml-api/reference-methods#object, without multipart uploads. Thread-safe.
class XmlObjects {
 public:
  explicit XmlObjects(Store& store) : store_(store) {}

  XmlResult<HttpResponse> Get(const XmlCall& call) const;
  /// With x-goog-copy-source: CopyXmlObject.
  XmlResult<HttpResponse> Put(const XmlCall& call) const;
  XmlResult<HttpResponse> Delete(const XmlCall& call) const;

 private:
  Store& store_;
};

}  // namespace gcsflux::emulator
