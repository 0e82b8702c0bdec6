#pragma once

#include <memory>

#include "server/xml/xml_call.h"
#include "store/bucket.h"
#include "store/multipart_uploads.h"
#include "store/store.h"

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
