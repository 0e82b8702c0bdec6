#include "gaps/gap_operation.h"

#include "gcsflux/listing.h"
#include "support/result.h"
#include "support/upload_leftovers.h"

namespace gcsflux::testing {

ObjectMetadata GapWorld::Put(const std::string& name, const std::string& bytes) {
  originals_[name] = bytes;
  return ValueOf(rival_.InsertObject({kGapBucket, name}, AsBytes(bytes)));
}

void GapWorld::PutForeign(const std::string& name, const std::string& bytes) {
  foreign_[name] = ValueOf(rival_.InsertObject({kGapBucket, name}, AsBytes(bytes))).generation;
}

void GapWorld::KeepForeign(const std::string& name) {
  foreign_[name] = ValueOf(rival_.GetObject({kGapBucket, name})).generation;
}

void GapWorld::Delete(const std::string& name) const {
  const auto deleted = rival_.DeleteObject({kGapBucket, name});
  EXPECT_TRUE(deleted.ok() || deleted.error().code == ErrorCode::kNotFound) << ErrorOf(deleted).message;
}

void GapWorld::ExpectKept() const {
  for (const auto& [name, generation] : foreign_) {
    EXPECT_EQ(ValueOf(rival_.GetObject({kGapBucket, name})).generation, generation) << name;
  }
  ExpectNothingLeft(rival_, kGapBucket);
  EXPECT_TRUE(ValueOf(ListPrefix(rival_, {kGapBucket, "dataflux-composed-objects/"})).objects.empty());
}

void GapWorld::ExpectOneGeneration(const std::string& name, const std::string& bytes) const {
  EXPECT_TRUE(bytes == originals_.at(name) || bytes == RivalsBytes(name)) << name;
}

std::string GapWorld::RivalsBytes(const std::string& name) const {
  const auto original = originals_.find(name);
  return original == originals_.end() ? "a rival's" : std::string(original->second.size(), 'r');
}

}  // namespace gcsflux::testing
