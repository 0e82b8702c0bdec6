#include "store/objects/object_record.h"

#include <utility>

namespace gcsflux::emulator {
namespace {

// All of an object but its key and its bytes. Attributes are a record of their own, because many objects have the same.
struct ObjectFields {
  bool is_live = true;
  std::int64_t metageneration = 1;
  Time time_created = {};
  Time updated = {};
  int component_count = 0;
  BodySums sums = {};
  std::string attributes = {};
  std::string extras = {};  // empty if there are none
};

template <class Archive, Of<ObjectFields> Fields>
void Describe(Archive& archive, Fields& fields) {
  archive(fields.is_live, fields.metageneration, fields.time_created, fields.updated, fields.component_count,
          fields.sums, fields.attributes, fields.extras);
}

}  // namespace

BodySums SumsOf(const Body& body) { return {body.crc32c(), body.has_md5() ? std::optional(body.md5()) : std::nullopt}; }

BodyPtr EarlierBody(Rope bytes, const BodySums& sums) {
  auto body = std::make_shared<Body>(std::move(bytes), sums.crc32c, sums.md5);
  body->CheckBeforeRead();
  return body;
}

std::string ObjectKey(std::uint64_t bucket, const Object& object) {
  return KeyNumber(bucket) + object.name + KeyNumber(static_cast<std::uint64_t>(object.generation));
}

Record WriteObject(std::uint64_t bucket, const Object& object, bool is_live) {
  const ObjectFields fields{.is_live = is_live,
                            .metageneration = object.metageneration,
                            .time_created = object.time_created,
                            .updated = object.updated,
                            .component_count = object.component_count,
                            .sums = SumsOf(*object.body),
                            .attributes = WriteRecord(*object.attributes),
                            .extras = object.extras != nullptr ? WriteRecord(*object.extras) : ""};
  return {.key = ObjectKey(bucket, object), .fields = WriteRecord(fields), .bytes = object.body->bytes()};
}

RecordedObject ObjectReader::Read(std::string_view key, std::string_view fields) {
  constexpr std::size_t kNumber = 8;
  if (key.size() < 2 * kNumber) throw BadRecord();
  auto read = ReadRecord<ObjectFields>(fields);
  if (last_attributes_ == nullptr || last_text_ != read.attributes) {
    last_attributes_ = std::make_shared<const ObjectAttributes>(ReadRecord<ObjectAttributes>(read.attributes));
    last_text_ = std::move(read.attributes);
  }
  RecordedObject recorded{.bucket = NumberInKey(key, 0), .is_live = read.is_live, .sums = read.sums};
  recorded.object = std::make_shared<Object>();
  Object& object = *recorded.object;
  object.name = key.substr(kNumber, key.size() - 2 * kNumber);
  object.generation = static_cast<std::int64_t>(NumberInKey(key, key.size() - kNumber));
  object.metageneration = read.metageneration;
  object.time_created = read.time_created;
  object.updated = read.updated;
  object.component_count = read.component_count;
  object.attributes = last_attributes_;
  if (!read.extras.empty()) {
    object.extras = std::make_shared<const ObjectExtras>(ReadRecord<ObjectExtras>(read.extras));
  }
  return recorded;
}

}  // namespace gcsflux::emulator
