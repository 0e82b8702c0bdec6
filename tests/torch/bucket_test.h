#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/listing.h"
#include "gcsflux/torch/storage_error.h"

namespace gcsflux {

/// An emulator with one empty bucket, and a client of it that neither retries nor hedges, so that requests can be
/// counted.
class BucketTest : public ::testing::Test {
 protected:
  BucketTest() { ValueOrThrow(client_.InsertBucket(bucket_)); }

  static Client MakeClient(const std::string& endpoint) {
    return ValueOrThrow(
        Client::Create({.endpoint = endpoint, .retry = RetryPolicies::All({.max_attempts = 1}), .hedge_budget = 0}));
  }

  [[nodiscard]] ObjectName Object(std::string_view name) const { return {bucket_, std::string(name)}; }

  ObjectMetadata Put(std::string_view name, std::string_view content) const {
    return ValueOrThrow(client_.InsertObject(Object(name), AsBytes(content)));
  }

  [[nodiscard]] std::vector<std::string> StoredNames() const {
    std::vector<std::string> names;
    for (const auto& object : ValueOrThrow(ListPrefix(client_, Object(""))).objects) names.push_back(object.name);
    return names;
  }

  std::string bucket_ = "torch-test";
  emulator::Emulator emulator_;
  Client client_ = MakeClient(emulator_.endpoint());
};

/// The Error of the StorageError that `call` throws; a failure of the test where it throws none.
template <class Call>
Error ThrownBy(const Call& call) {
  try {
    call();
  } catch (const StorageError& thrown) {
    return thrown.error();
  }
  ADD_FAILURE() << "no StorageError was thrown";
  return {};
}

}  // namespace gcsflux
