#pragma once

#include <gtest/gtest.h>

#include <string>

#include "gcsflux/listing.h"
#include "transfer/upload/multipart_upload.h"

namespace gcsflux::testing {

/// Writers of large objects have left no temporary object and no multipart upload in the bucket.
inline void ExpectNothingLeft(const Client& client, const std::string& bucket = "bkt") {
  const auto listing = ListPrefix(client, {bucket, "gcsflux-uploads/"});
  ASSERT_TRUE(listing.ok());
  EXPECT_TRUE(listing->objects.empty()) << listing->objects.front().name;
  const auto uploads = ListMultipartUploads(client, {bucket, ""});
  ASSERT_TRUE(uploads.ok());
  EXPECT_TRUE(uploads->empty()) << uploads->front().object.name;
}

}  // namespace gcsflux::testing
