#pragma once

#include "store/buckets/store.h"
#include "xml_api/xml_call.h"

namespace gcsflux::emulator {

/// https://cloud.google.com/storage/docs/xml-api/get-bucket-list. `list-type=2` selects the second form.
XmlResult<HttpResponse> ListXmlObjects(const Store& store, const XmlCall& call);

/// All generations, in the form of S3's ListObjectVersions, with GCS's elements beside. A page begins after
/// `key-marker`, and after the generation that `generation-marker` or `version-id-marker` names.
XmlResult<HttpResponse> ListXmlVersions(const Store& store, const XmlCall& call);

/// With `encoding-type=url`, percent-encodes texts, except for '/'; else leaves them as they are.
class ListingText {
 public:
  /// kInvalidArgument if the call asks for another encoding.
  static XmlResult<ListingText> Read(const XmlCall& call);

  [[nodiscard]] bool is_encoded() const { return is_encoded_; }
  [[nodiscard]] std::string operator()(const std::string& text) const;

 private:
  bool is_encoded_ = false;
};

}  // namespace gcsflux::emulator
