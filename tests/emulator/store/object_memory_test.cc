// Memory that stored objects share.

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "store/buckets/bucket.h"

namespace gcsflux::emulator {
namespace {

NewObject Small(std::size_t index, std::string content_type) {
  return {.name = "directory/of/many/small/objects/" + std::to_string(1'000'000 + index),
          .attributes = {.content_type = std::move(content_type)},
          .body = std::make_shared<const Body>(Rope("x"))};
}

TEST(StoredObject, SharesEqualAttributes) {
  Bucket bucket({.name = "bucket"}, [] { return Time(std::chrono::seconds(1'800'000'000)); });
  const auto insert = [&](std::size_t index, const char* type) {
    return bucket.InsertObject(Small(index, type), {}).value()->attributes;
  };
  const auto first = insert(1, "a");
  EXPECT_EQ(insert(2, "a"), first);
  EXPECT_EQ(insert(3, "b")->content_type, "b");
  ASSERT_TRUE(bucket.PatchObject({.name = Small(2, "").name},
                                 [](ObjectAttributes& attributes) { attributes.content_type = "c"; }));
  EXPECT_EQ(first->content_type, "a");
}

}  // namespace
}  // namespace gcsflux::emulator
