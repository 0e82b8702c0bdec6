#pragma once

#include <memory>

#include "store/buckets/bucket.h"
#include "store/buckets/multipart_uploads.h"
#include "store/buckets/store.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/multipart-uploads. Thread-safe.
class XmlMultipart {
 public:
  explicit XmlMultipart(Store& store) : store_(store) {}

  XmlResult<HttpResponse> Initiate(const XmlCall& call) const;
  XmlResult<HttpResponse> PutPart(const XmlCall& call) const;
  XmlResult<HttpResponse> ListParts(const XmlCall& call) const;
  XmlResult<HttpResponse> Complete(const XmlCall& call) const;
  XmlResult<HttpResponse> Abort(const XmlCall& call) const;
  /// The bucket's uploads in progress.
  XmlResult<HttpResponse> ListUploads(const XmlCall& call) const;

 private:
  struct Found {
    std::shared_ptr<Bucket> bucket = {};
    UploadName name = {};
    std::shared_ptr<MultipartUpload> upload = {};
  };
  [[nodiscard]] XmlResult<Found> Find(const XmlCall& call) const;

  Store& store_;
};

}  // namespace gcsflux::emulator
