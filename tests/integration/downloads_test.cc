// Batches and streams of objects against the emulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gcsflux/download.h"
#include "gcsflux/emulator/emulator.h"

namespace gcsflux {
namespace {

using ::testing::HasSubstr;

std::string_view TextOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string RandomBytes(std::size_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

class DownloadsTest : public ::testing::Test {
 protected:
  DownloadsTest() { EXPECT_TRUE(client_.InsertBucket("bkt").ok()); }

  // Objects of these sizes, in an order of names that is not theirs.
  std::vector<DownloadSource> Store(const std::vector<std::size_t>& sizes) {
    std::vector<ObjectMetadata> objects;
    for (const std::size_t size : sizes) {
      const auto number = static_cast<unsigned>(contents_.size());
      const std::string name = std::to_string(number * 7919 % 1000) + "-" + std::to_string(number);
      contents_.push_back(RandomBytes(size, number));
      objects.push_back(*client_.InsertObject({"bkt", name}, AsBytes(contents_.back())));
    }
    return DownloadSources(objects);
  }

  std::vector<std::string> contents_;
  emulator::Emulator emulator_;
  Client client_ =
      *Client::Create({.endpoint = emulator_.endpoint(), .project = "p", .max_undelivered_bytes = 1 << 20});
};

TEST_F(DownloadsTest, AStreamDeliversInTheOrderAsked) {
  const auto sources = Store({0, 1, 500'000, 1'000, 3'000'000, 0, 70'000, 5});
  DownloadStream stream = Downloader(client_, {.max_concurrency = 4, .stripe_bytes = 100'000}).Stream(sources);
  EXPECT_EQ(emulator_.journal().size(), 1 + sources.size()) << "nothing is read before the first is asked for";
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto object = stream.Next();
    ASSERT_TRUE(object.ok()) << object.error().message;
    ASSERT_TRUE(object->has_value());
    EXPECT_EQ((*object)->index, i);
    EXPECT_TRUE(TextOf((*object)->bytes) == contents_[i]);
  }
  EXPECT_FALSE(stream.Next()->has_value());
  EXPECT_FALSE(stream.Next()->has_value());
}

}  // namespace
}  // namespace gcsflux
