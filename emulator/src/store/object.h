#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "store/body.h"
#include "store/clock.h"

namespace gcsflux::emulator {

/// What a user says about an object beside its bytes. Empty is absent.
struct ObjectAttributes {
  std::string content_type = {};
  std::string content_encoding = {};
  std::string content_disposition = {};
  std::string content_language = {};
  std::string cache_control = {};
  std::string custom_time = {};
  std::string storage_class = {};  ///< Of what is stored never empty: it takes the bucket's.
  std::map<std::string, std::string> metadata = {};  ///< The user's own keys and values.

  friend bool operator==(const ObjectAttributes&, const ObjectAttributes&) = default;
};

/// One state of one generation of an object; a change of metadata makes another one. Never changes once stored.
struct Object {
  std::string name = {};
  std::int64_t generation = 0;
  std::int64_t metageneration = 1;
  Time time_created = {};
  Time updated = {};
  int component_count = 0;    ///< Of a composed object, which has no MD5; else 0.
  bool is_immutable = false;  ///< Computed, not stored: it can be neither replaced, nor changed, nor deleted.
  std::shared_ptr<const ObjectAttributes> attributes = {};
  BodyPtr body = {};
};

using ObjectPtr = std::shared_ptr<const Object>;

/// Composed objects have none, nor have computed ones.
[[nodiscard]] inline bool HasMd5(const Object& object) {
  return object.component_count == 0 && !object.body->is_computed();
}

}  // namespace gcsflux::emulator
