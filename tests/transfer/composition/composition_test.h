#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gcsflux/download.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/emulator/journal_queries.h"
#include "gcsflux/listing.h"
#include "support/recorded_events.h"

namespace gcsflux::testing {

/// Buckets of small objects at an emulator, to be downloaded together.
class CompositionTest : public ::testing::Test {
 protected:
  explicit CompositionTest(emulator::EmulatorOptions options = {}) : emulator_(std::move(options)) {
    EXPECT_TRUE(client_.InsertBucket("bkt").ok());
  }

  /// Stores objects of these sizes, and returns them as a listing shows them.
  std::vector<DownloadSource> Store(const std::vector<std::size_t>& sizes, const std::string& bucket = "bkt") {
    std::vector<ObjectMetadata> stored;
    for (const std::size_t size : sizes) {
      std::string content(size, '\0');
      for (char& c : content) c = static_cast<char>(random_());
      const ObjectName name{bucket, "object-" + std::to_string(contents_.size())};
      const auto object = client_.InsertObject(name, AsBytes(content));
      EXPECT_TRUE(object.ok());
      stored.push_back(*object);
      contents_[name] = std::move(content);
    }
    return DownloadSources(stored);
  }

  [[nodiscard]] Downloader Composing(CompositionMode mode = CompositionMode::kOn, bool delivers_failures = false,
                                     std::uint64_t max_composite_bytes = 100'000'000) const {
    return Downloader(client_, {.max_concurrency = 4,
                                .delivers_failures = delivers_failures,
                                .composition = mode,
                                .max_composite_bytes = max_composite_bytes});
  }

  void ExpectBytes(const DownloadSource& source, std::span<const std::byte> bytes) const {
    const std::string& want = contents_.at(source.object);
    ASSERT_EQ(bytes.size(), want.size()) << ToUri(source.object);
    EXPECT_TRUE(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()) == want) << ToUri(source.object);
  }
  void ExpectBatch(const std::vector<DownloadSource>& sources,
                   const Result<std::vector<DownloadedObject>>& batch) const {
    ASSERT_TRUE(batch.ok()) << batch.error().message;
    ASSERT_EQ(batch->size(), sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) ExpectBytes(sources[i], (*batch)[i].bytes);
  }

  /// Composites that are in the bucket.
  [[nodiscard]] std::size_t Composites(const std::string& bucket = "bkt") const {
    return ListPrefix(client_, {bucket, "dataflux-composed-objects/"})->objects.size();
  }
  /// Requests of that operation that have arrived so far.
  [[nodiscard]] std::size_t Requests(const std::string& operation) const {
    std::size_t count = 0;
    for (const auto& record : emulator_.journal()) count += record.operation == operation ? 1 : 0;
    return count;
  }

  emulator::Emulator emulator_;
  std::shared_ptr<RecordedEvents> events_ = std::make_shared<RecordedEvents>();
  Client client_ = *Client::Create({.endpoint = emulator_.endpoint(),
                                    .project = "p",
                                    .retry = RetryPolicies::All({.initial_delay = std::chrono::milliseconds(1),
                                                                 .max_delay = std::chrono::milliseconds(2)}),
                                    .event_listener = events_});
  std::map<ObjectName, std::string> contents_ = {};
  std::mt19937 random_{7};
};

}  // namespace gcsflux::testing
