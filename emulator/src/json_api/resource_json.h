#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/json_writer.h"
#include "json_api/field_mask.h"
#include "store/listing/listing.h"
#include "store/objects/object.h"

namespace gcsflux::emulator {

/// What an object's resource says beside the object itself.
struct ObjectView {
  const Object& object;
  std::string_view bucket;
  std::string_view base_url;            ///< "http://HOST:PORT", the way the client came.
  const FieldMask* metadata = nullptr;  ///< Which of its keys; the renderer's to say.
  bool has_key = false;  ///< The request shows the key that the object is under, if any: its hashes are shown.
};

/// Writes `storage#object` resources with the fields of one mask. MD5 is computed where `md5Hash` is among them.
class ObjectRenderer {
 public:
  /// With `shows_acl` owner and acl are among the fields.
  ObjectRenderer(const FieldMask& mask, bool shows_acl);
  void Write(JsonWriter& json, ObjectView view) const;

  struct Field {
    std::string_view name;
    void (*write)(JsonWriter&, const ObjectView&);
  };

 private:
  std::vector<const Field*> fields_;
  FieldMask metadata_;  // what of the metadata
};

}  // namespace gcsflux::emulator
