#include "event_loops/ways.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

#include "bare_curl.h"
#include "bare_curl_loops.h"
#include "crc32c.h"
#include "event_loops/content.h"
#include "event_loops/threads_now.h"
#include "gcsflux/client.h"
#include "gcsflux/download.h"

namespace gcsflux::bench {
namespace {

constexpr const char* kWrong = "a read failed or gave other bytes";

std::string UrlOf(const Load& load) {
  return load.client.endpoint + "/storage/v1/b/" + load.object.bucket + "/o/" + load.object.name + "?alt=media";
}

// As many connections as requested, and a read-ahead that is enough for all of them.
ClientOptions OptionsOf(const Load& load) {
  ClientOptions options = load.client;
  options.credentials = Credentials::Anonymous();
  options.max_idle_connections = std::max(options.max_idle_connections, static_cast<int>(load.connections));
  options.max_undelivered_bytes =
      std::max<std::uint64_t>(options.max_undelivered_bytes, load.connections * load.bytes * 5 / 4);
  return options;
}

class StreamFetch {
 public:
  explicit StreamFetch(const Load& load)
      : source_{.object = load.object,
                .size = load.bytes,
                .generation = load.generation,
                .crc32c = Crc32c(ContentOf(load.bytes))},
        downloader_(*Client::Create(OptionsOf(load)),
                    {.max_concurrency = static_cast<int>(load.connections), .composition = CompositionMode::kOff}) {}

  Fetched operator()(std::size_t reads) const {
    DownloadStream stream =
        downloader_.Stream(std::vector<DownloadSource>(reads, source_), DeliveryOrder::kAsCompleted);
    Fetched fetched;
    for (std::size_t i = 0; i < reads; ++i) {
      const auto object = stream.Next();
      if (!object) return {.failure = object.error().message};
      if (!*object) return {.failure = "the stream ended too soon"};
      if (i == reads / 2) fetched.threads = ThreadsNow();
    }
    return fetched;
  }

 private:
  DownloadSource source_;
  Downloader downloader_;
};

// Reads by a thread for each of `handles`: `read(handle)` is false if it fails.
template <class Handles, class Read>
Fetched FetchByThreads(Handles& handles, std::size_t reads, const Read& read) {
  std::atomic<std::size_t> next = 0;
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(handles.size());
    for (auto& handle : handles) {
      threads.emplace_back([&] {
        while (next++ < reads) failures += read(handle) ? 0 : 1;
      });
    }
  }
  return {.failure = failures > 0 ? kWrong : "", .threads = static_cast<int>(handles.size()) + 1};
}

Fetch MakeReaders(const Load& load) {
  const auto client = std::make_shared<const Client>(*Client::Create(OptionsOf(load)));
  return [=](std::size_t reads) {
    std::vector<std::string> buffers(load.connections, std::string(load.bytes, ' '));
    return FetchByThreads(buffers, reads, [&](std::string& buffer) {
      return client->ReadObject(load.object, std::as_writable_bytes(std::span(buffer))).ok();
    });
  };
}

Fetch MakeBareLoops(const Load& load, ReadMemory memory) {
  const auto loops = std::make_shared<BareCurlLoops>(BareCurlLoopsOptions{.url = UrlOf(load),
                                                                          .ca_file = load.client.ca_file,
                                                                          .connections = load.connections,
                                                                          .bytes = load.bytes,
                                                                          .memory = memory});
  return [loops, crc32c = Crc32c(ContentOf(load.bytes))](std::size_t reads) {
    const bool is_right = loops->Get(static_cast<int>(reads), crc32c);
    return Fetched{.failure = is_right ? "" : kWrong, .threads = BareCurlLoops::kThreads + 1};
  };
}

Fetch MakeBareThreads(const Load& load) {
  const auto handles = std::make_shared<std::deque<BareCurl>>();
  while (handles->size() < load.connections) handles->emplace_back(load.client.ca_file);
  return [handles, url = UrlOf(load), bytes = load.bytes, crc32c = Crc32c(ContentOf(load.bytes))](std::size_t reads) {
    return FetchByThreads(*handles, reads, [&](BareCurl& handle) {
      const auto body = std::make_unique_for_overwrite<std::byte[]>(bytes);
      return handle.GetWithCrc32c(url, {body.get(), bytes}) == crc32c;
    });
  };
}

}  // namespace

Fetch MakeFetch(const std::string& way, const Load& load) {
  if (way == "stream") {
    const auto stream = std::make_shared<const StreamFetch>(load);
    return [stream](std::size_t reads) { return (*stream)(reads); };
  }
  if (way == "readers") return MakeReaders(load);
  if (way == "bare_loops") return MakeBareLoops(load, ReadMemory::kNew);
  if (way == "bare_loops_untouched") return MakeBareLoops(load, ReadMemory::kUntouched);
  if (way == "bare_threads") return MakeBareThreads(load);
  throw std::runtime_error("there is no way '" + way + "'");
}

}  // namespace gcsflux::bench
