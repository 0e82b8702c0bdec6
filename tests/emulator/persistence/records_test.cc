// Records of the store. Each test names all fields of a type: a new field does not compile here, and then must be
// recorded.

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "persistence/hmac_key_record.h"
#include "store/buckets/bucket_records.h"
#include "store/log/record.h"
#include "store/objects/object_record.h"
#include "store/uploads/session_record.h"

namespace gcsflux::emulator {
namespace {

using std::chrono::seconds;

ObjectAttributes AllAttributes() {
  ObjectAttributes attributes;
  auto& [type, encoding, disposition, language, cache, custom_time, storage_class, metadata, event_based, temporary,
         settings] = attributes;
  type = "type";
  encoding = "encoding";
  disposition = "disposition";
  language = "language";
  cache = "cache";
  custom_time = "time";
  storage_class = "NEARLINE";
  metadata = {{"key", "value"}, {"", std::string("\0\xFF", 2)}};
  event_based = true;
  temporary = false;
  settings = {{"acl", "[]"}};
  return attributes;
}

ObjectEncryption AllEncryption() {
  ObjectEncryption encryption;
  auto& [customer_key, kms_key] = encryption;
  customer_key = "hash";
  kms_key = "kms";
  return encryption;
}

TEST(ObjectRecord, HasAllAttributes) {
  EXPECT_EQ(ReadRecord<ObjectAttributes>(WriteRecord(AllAttributes())), AllAttributes());
}

TEST(ObjectRecord, HasAllFields) {
  ObjectExtras extras;
  auto& [encryption, deleted, soft_deletion, class_updated] = extras;
  encryption = AllEncryption();
  deleted = Time(seconds(4));
  soft_deletion = SoftDeletion{Time(seconds(5)), Time(seconds(6))};
  class_updated = Time(seconds(7));
  Object object;
  auto& [name, generation, metageneration, created, updated, components, is_immutable, attributes, body, more] = object;
  name = "a/b";
  generation = 1;
  metageneration = 2;
  created = Time(seconds(-3));
  updated = Time(seconds(3));
  components = 5;
  is_immutable = false;  // Computed objects are not recorded.
  attributes = std::make_shared<const ObjectAttributes>(AllAttributes());
  body = std::make_shared<const Body>(Rope(), 7, Md5Digest{std::byte{8}});
  more = std::make_shared<const ObjectExtras>(extras);

  const Record record = WriteObject(9, object, /*is_live=*/false);
  const RecordedObject read = ObjectReader().Read(record.key, record.fields);
  EXPECT_EQ(read.bucket, 9U);
  EXPECT_FALSE(read.is_live);
  EXPECT_EQ(read.object->name, name);
  EXPECT_EQ(read.object->generation, generation);
  EXPECT_EQ(read.object->metageneration, metageneration);
  EXPECT_EQ(read.object->time_created, created);
  EXPECT_EQ(read.object->updated, updated);
  EXPECT_EQ(read.object->component_count, components);
  EXPECT_EQ(*read.object->attributes, AllAttributes());
  EXPECT_EQ(read.object->extras->encryption, AllEncryption());
  EXPECT_EQ(read.object->extras->time_deleted, deleted);
  ASSERT_TRUE(read.object->extras->soft_deletion);
  EXPECT_EQ(read.object->extras->soft_deletion->deleted, soft_deletion->deleted);
  EXPECT_EQ(read.object->extras->soft_deletion->hard_delete, soft_deletion->hard_delete);
  EXPECT_EQ(read.object->extras->storage_class_updated, class_updated);
  EXPECT_EQ(read.sums.crc32c, 7U);
  EXPECT_EQ(read.sums.md5, Md5Digest{std::byte{8}});
}

TEST(BucketRecord, HasAllFields) {
  BucketInfo info;
  auto& [name, location, storage_class, metageneration, created, updated, is_versioned, soft_delete, settings, sub,
         generation, soft_deletion] = info;
  name = "name";
  location = "EU";
  storage_class = "ARCHIVE";
  metageneration = 2;
  created = Time(seconds(1));
  updated = Time(seconds(2));
  is_versioned = true;
  SoftDeletePolicy& policy = soft_delete.emplace();
  auto& [retention, effective] = policy;
  retention = seconds(604'800);
  effective = Time(seconds(3));
  settings = {{"labels", R"({"a":"b"})"}};
  sub = {{"iamPolicy", "{}"}};
  generation = 4;
  soft_deletion = SoftDeletion{Time(seconds(5)), Time(seconds(6))};

  const auto read = ReadRecord<BucketInfo>(WriteRecord(info));
  EXPECT_EQ(read.name, name);
  EXPECT_EQ(read.location, location);
  EXPECT_EQ(read.storage_class, storage_class);
  EXPECT_EQ(read.metageneration, metageneration);
  EXPECT_EQ(read.time_created, created);
  EXPECT_EQ(read.updated, updated);
  EXPECT_TRUE(read.is_versioned);
  ASSERT_TRUE(read.soft_delete);
  EXPECT_EQ(read.soft_delete->retention, retention);
  EXPECT_EQ(read.soft_delete->effective, effective);
  EXPECT_EQ(read.settings, settings);
  EXPECT_EQ(read.sub_resources, sub);
  EXPECT_EQ(read.generation, generation);
  ASSERT_TRUE(read.soft_deletion);
  EXPECT_EQ(read.soft_deletion->deleted, soft_deletion->deleted);
  EXPECT_EQ(read.soft_deletion->hard_delete, soft_deletion->hard_delete);
}

TEST(HmacKeyRecord, HasAllFields) {
  HmacKey key;
  auto& [access_id, secret, project, account, state, created, updated, changes] = key;
  access_id = "id";
  secret = "secret";
  project = "project";
  account = "account";
  state = "INACTIVE";
  created = Time(seconds(1));
  updated = Time(seconds(2));
  changes = 3;

  const auto read = ReadRecord<HmacKey>(WriteRecord(key));
  EXPECT_EQ(read.access_id, access_id);
  EXPECT_EQ(read.secret, secret);
  EXPECT_EQ(read.project, project);
  EXPECT_EQ(read.service_account, account);
  EXPECT_EQ(read.state, state);
  EXPECT_EQ(read.created, created);
  EXPECT_EQ(read.updated, updated);
  EXPECT_EQ(read.changes, changes);
}

TEST(SessionRecord, HasAllFieldsOfWhatItWillBe) {
  SessionRecord session{.started = Time(seconds(1)), .bucket = 2, .announced_size = 3, .answer = "answer"};
  auto& [bucket, name, attributes, hashes, preconditions, encryption, may_replace, also] = session.pending;
  name = "name";
  attributes = AllAttributes();
  auto& [crc32c, md5] = hashes;
  crc32c = 4;
  md5 = Md5Digest{std::byte{5}};
  preconditions = {.if_generation_match = 0,
                   .if_generation_not_match = 6,
                   .if_metageneration_match = 7,
                   .if_metageneration_not_match = 8};
  encryption = AllEncryption();
  may_replace = false;

  const auto read = ReadRecord<SessionRecord>(WriteRecord(session));
  EXPECT_EQ(read.started, session.started);
  EXPECT_EQ(read.bucket, 2U);
  EXPECT_EQ(read.announced_size, 3U);
  EXPECT_EQ(read.answer, "answer");
  EXPECT_EQ(read.pending.name, name);
  EXPECT_EQ(read.pending.attributes, attributes);
  EXPECT_EQ(read.pending.hashes.crc32c, crc32c);
  EXPECT_EQ(read.pending.hashes.md5, md5);
  EXPECT_EQ(read.pending.preconditions, preconditions);
  EXPECT_EQ(read.pending.encryption, encryption);
  EXPECT_FALSE(read.pending.may_replace);
}

TEST(Record, IsRefusedIfAnyByteDiffers) {
  const std::string text = WriteRecord(AllAttributes());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_THROW((void)ReadRecord<ObjectAttributes>(changed), BadRecord) << i;
    EXPECT_THROW((void)ReadRecord<ObjectAttributes>(text.substr(0, i)), BadRecord) << i;
  }
}

TEST(Record, OfEarlierVersionHasDefaultsForNewFields) {
  RecordWriter writer;
  writer(std::string("type"));
  const auto read = ReadRecord<ObjectAttributes>(writer.Take());
  EXPECT_EQ(read.content_type, "type");
  EXPECT_EQ(read.event_based_hold, std::nullopt);
}

TEST(Record, OfLaterVersionIsRefused) {
  RecordWriter writer;
  writer(std::string("hash"), std::string("kms"), std::string("new"));
  EXPECT_THROW((void)ReadRecord<ObjectEncryption>(writer.Take()), BadRecord);
}

}  // namespace
}  // namespace gcsflux::emulator
