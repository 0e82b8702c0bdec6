#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>

#include "base/messages/local_error.h"
#include "cli/arguments/names.h"
#include "cli/commands.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/print_object.h"
#include "cli/terminal/transfer_monitor.h"
#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "gcsflux/flags.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux::cli {
namespace {

// This many objects are looked up before the first one is printed.
constexpr std::size_t kLookedUpAtOnce = 256;
// A larger object is printed as it comes, and not held.
constexpr std::uint64_t kHeldBytes = 32U << 20;

Result<void> Print(std::span<const std::byte> data) {
  if (std::fwrite(data.data(), 1, data.size(), stdout) == data.size()) return {};
  return internal::LocalError("write", "standard output");
}

class Concatenation {
 public:
  Concatenation(const Client& client, const DownloaderOptions& options, const ObjectReaderOptions& reading)
      : client_(client),
        downloader_(client, options),
        printer_(client, reading),
        max_look_ups_(options.max_concurrency),
        stop_(reading.stop) {
    // On a terminal the bar would be among the objects' bytes.
    if (::isatty(STDOUT_FILENO) == 1) return;
    monitor_.emplace(TransferMonitor::Summary::kWhereTold);
    meter_.emplace(*monitor_);
  }

  // Sums up.
  Result<void> Finish() { return monitor_ ? monitor_->Finish() : Result<void>(); }

  Result<void> PrintOne(const ObjectName& object) {
    bool is_expected = false;
    const auto expect = [&](const Progress& progress) {
      if (!is_expected && monitor_) monitor_->Expect(1, progress.total);
      is_expected = true;
    };
    auto printed = printer_.Print(object, Output(), expect);
    if (printed) NoteWritten();
    return printed;
  }

  Result<void> PrintMany(std::span<const ObjectName> objects) {
    auto sources = LookUp(objects);
    if (!sources) return sources.error();
    for (const DownloadSource& source : *sources) {
      if (monitor_) monitor_->Expect(1, source.size);
    }
    for (auto at = sources->begin(); at != sources->end();) {
      const auto large = std::find_if(at, sources->end(), [](const auto& s) { return s.size > kHeldBytes; });
      if (auto printed = PrintStream({at, large}); !printed) return printed;
      at = large;
      if (at == sources->end()) break;
      if (auto printed = printer_.Print(*at, Output()); !printed) return printed;
      NoteWritten();
      ++at;
    }
    return {};
  }

 private:
  ByteSink Output() {
    return [this](std::span<const std::byte> data) {
      Moved(data.size());
      return Print(data);
    };
  }

  Result<std::vector<DownloadSource>> LookUp(std::span<const ObjectName> objects) {
    std::vector<DownloadSource> sources(objects.size());
    const auto look_up = [&](std::size_t index, const std::stop_token& stop) -> Result<void> {
      const auto found = client_.GetObject(objects[index], {.fields = "size,crc32c", .stop = stop});
      if (!found) return found.error();
      sources[index] = {objects[index], found->size, found->generation, found->crc32c};
      return {};
    };
    if (auto done = internal::RunOnThreads(client_, objects.size(), max_look_ups_, look_up, stop_); !done)
      return done.error();
    return sources;
  }

  Result<void> PrintStream(std::vector<DownloadSource> sources) {
    auto stream = downloader_.Stream(std::move(sources), DeliveryOrder::kInOrder, stop_);
    while (true) {
      const auto next = stream.Next();
      if (!next) return next.error();
      if (!*next) return {};
      if (auto printed = Print((*next)->bytes); !printed) return printed;
      Moved((*next)->bytes.size());
      NoteWritten();
    }
  }

  void Moved(std::uint64_t bytes) {
    if (meter_) meter_->Set(bytes_ += bytes);
  }
  void NoteWritten() {
    if (monitor_) monitor_->NoteCopied(/*kept_bytes=*/0);
  }

  const Client& client_;
  const Downloader downloader_;
  const ObjectPrinter printer_;
  const int max_look_ups_;
  const std::stop_token stop_;
  std::optional<TransferMonitor> monitor_;
  std::optional<TransferMonitor::Meter> meter_;
  std::uint64_t bytes_ = 0;  // Of all objects.
};

Result<void> Concatenate(const Client& client, const std::vector<std::string>& uris) {
  const auto options = DownloaderOptionsFromFlags();
  if (!options) return options.error();
  auto reading = ObjectReaderOptionsFromFlags();
  if (!reading) return reading.error();
  reading->stop = StopOnSignal();
  std::vector<ObjectName> objects;
  for (const std::string& uri : uris) {
    auto object = ParseObject(uri);
    if (!object) return object.error();
    objects.push_back(*std::move(object));
  }
  Concatenation concatenation(client, *options, *reading);
  for (std::span<const ObjectName> rest = objects; !rest.empty();) {
    const auto now = rest.first(std::min(rest.size(), kLookedUpAtOnce));
    auto printed = objects.size() == 1 ? concatenation.PrintOne(objects.front()) : concatenation.PrintMany(now);
    if (!printed) return printed;
    rest = rest.subspan(now.size());
  }
  if (std::fflush(stdout) != 0) return internal::LocalError("write", "standard output");
  return concatenation.Finish();
}

}  // namespace

constinit const Command kCat = {
    .name = "cat",
    .arguments = "gs://BUCKET/OBJECT...",
    .summary = "Write objects to standard output, one after the other.",
    .details =
        "Several objects are fetched ahead, --max_concurrency at a time, and a large one with as many requests. After\n"
        "exit status 1, do not use the output.\n",
    .run = Concatenate,
};

}  // namespace gcsflux::cli
