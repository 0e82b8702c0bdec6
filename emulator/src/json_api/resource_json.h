#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/json_writer.h"
#include "json_api/field_mask.h"
#include "store/listing/listing.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

/// What an object's resource shows beside the object itself.
struct ObjectView {
  const Object& object;
  std::string_view bucket;
  std::string_view base_url;            ///< "http://HOST:PORT", the client's name for the emulator.
  const FieldMask* metadata = nullptr;  ///< Which of its keys; the renderer sets it.
  bool has_key = false;  ///< The request shows the key that the object is under, if any. Then its hashes are shown.
};

/// Writes `storage#object` resources with the fields of one mask. Computes the MD5 if `md5Hash` is one of them.
class ObjectRenderer {
 public:
  /// With `shows_acl`, owner and acl are fields too.
  ObjectRenderer(const FieldMask& mask, bool shows_acl);
  void Write(JsonWriter& json, ObjectView view) const;

  struct Field {
    std::string_view name;
    void (*write)(JsonWriter&, const ObjectView&);
  };

 private:
  std::vector<const Field*> fields_;
  FieldMask metadata_;  // the part of the mask for the metadata
};

}  // namespace gcsflux::emulator
