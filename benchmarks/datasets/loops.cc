#include "datasets/loops.h"

#include <atomic>
#include <thread>
#include <utility>

#include "bare_curl.h"
#include "crc32c.h"
#include "dataset/epoch_progress.h"
#include "datasets/service.h"
#include "gcsflux/download.h"
#include "memory_pool.h"

namespace gcsflux::bench {
namespace {

class Bare : public Loop {
 public:
  Bare(LoopInput input, int connections) : input_(std::move(input)), connections_(connections) {}

  std::string Epoch(const OnBatch&) override {
    std::atomic<std::size_t> next = 0;
    std::atomic<std::size_t> failed = 0;
    std::vector<std::jthread> readers;
    readers.reserve(static_cast<std::size_t>(connections_));
    for (int i = 0; i < connections_; ++i) {
      readers.emplace_back([&] {
        BareCurl curl;
        for (std::size_t at = next++; at < input_.objects.size(); at = next++) {
          const ListedObject& object = input_.objects[at];
          const auto memory = TheMemory().Take(object.size);
          const auto url = input_.endpoint + "/storage/v1/b/" + kBucket + "/o/" + object.name + "?alt=media";
          if (curl.GetWithCrc32c(url, {memory.get(), object.size}) != object.crc32c) ++failed;
        }
      });
    }
    readers.clear();
    return failed == 0 ? "" : "a read failed";
  }

 private:
  const LoopInput input_;
  const int connections_;
};

class Stream : public Loop {
 public:
  explicit Stream(const LoopInput& input)
      : downloader_(input.client, input.dataset.download),
        objects_(input.objects),
        progress_(*internal::EpochProgress::Create({.bucket = kBucket, .count = input.objects.size()}, input.epochs)) {}

  std::string Epoch(const OnBatch& on_batch) override {
    auto stream = downloader_.Stream(SourcesOfEpoch());
    std::size_t delivered = 0;
    while (true) {
      const auto object = stream.Next();
      if (!object) return object.error().message;
      if (!*object) break;
      ++delivered;
      const std::span<const std::byte> bytes = (*object)->bytes;
      if (on_batch) on_batch({&bytes, 1});
    }
    return delivered == objects_.size() ? "" : "objects are missing";
  }

 private:
  std::vector<DownloadSource> SourcesOfEpoch() {
    std::vector<ListedObject> ordered;
    (void)progress_.BeginEpoch();
    while (const auto batch = progress_.NextBatch()) {
      for (const std::size_t sample : *batch) ordered.push_back(objects_[sample]);
      (void)progress_.BatchConsumed();
    }
    return DownloadSources(kBucket, ordered);
  }

  const Downloader downloader_;
  const std::vector<ListedObject> objects_;
  const internal::EpochProgress progress_;
};

}  // namespace

std::unique_ptr<Loop> BareLoop(const LoopInput& input, int connections) {
  return std::make_unique<Bare>(input, connections);
}

std::unique_ptr<Loop> StreamLoop(const LoopInput& input) { return std::make_unique<Stream>(input); }

std::unique_ptr<Loop> MakeLoop(Way way, const LoopInput& input, int connections) {
  switch (way) {
    case kBare: return BareLoop(input, connections);
    case kStream: return StreamLoop(input);
    case kMap: return MapLoop(input);
    default: return IterableLoop(input);
  }
}

std::string Verify(Loop& loop, std::span<const ListedObject> objects) {
  const std::uint32_t want = objects.front().crc32c.value_or(0);  // They are copies of one object.
  std::size_t right = 0;
  std::string failure = loop.Epoch([&](std::span<const std::span<const std::byte>> samples) {
    for (const auto& bytes : samples) {
      const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      if (ExtendCrc32c(0, text) == want) ++right;
    }
  });
  if (!failure.empty()) return failure;
  return right == objects.size() ? "" : "samples differ from what is stored";
}

}  // namespace gcsflux::bench
