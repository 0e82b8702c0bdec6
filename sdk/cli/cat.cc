#include <gflags/gflags.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <optional>
#include <span>

#include "base/messages/local_error.h"
#include "cli/arguments/wildcards.h"
#include "cli/commands.h"
#include "cli/terminal/interruption.h"
#include "cli/terminal/print_object.h"
#include "cli/terminal/transfer_monitor.h"
#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "gcsflux/flags.h"
#include "transfer/threads/run_on_threads.h"

DEFINE_string(range, "", "Only these bytes of each object: a-b (both included), a- or -n (the last n).");

namespace gcsflux::cli {
namespace {

// This many objects are looked up before the first one is printed.
constexpr std::size_t kLookedUpAtOnce = 256;
// A larger object is printed as it comes, and not held.
constexpr std::uint64_t kHeldBytes = 32U << 20;

// Prints objects, and shows the progress.
class Concatenation {
 public:
  Concatenation(const Client& client, const DownloaderOptions& options, const ObjectReaderOptions& reading)
      : client_(client), downloader_(client, options), reading_(reading), max_look_ups_(options.max_concurrency) {}

  // Sums up.
  Result<void> Finish() { return monitor_.Finish(); }

  Result<void> PrintMany(std::span<const NamedObject> objects) {
    std::vector<DownloadSource> sources(objects.size());
    const auto look_up = [&](std::size_t index, const std::stop_token& stop) -> Result<void> {
      const auto& [object, generation] = objects[index];
      const auto found = client_.GetObject(object, {.generation = generation, .fields = "size,crc32c", .stop = stop});
      if (!found) return found.error();
      sources[index] = {object, found->size, found->generation, found->crc32c};
      monitor_.Expect(1, found->size);
      return {};
    };
    if (auto done = internal::RunOnThreads(client_, objects.size(), max_look_ups_, look_up, reading_.stop); !done)
      return done;
    for (auto at = sources.begin(); at != sources.end();) {
      const auto large = std::find_if(at, sources.end(), [](const auto& s) { return s.size > kHeldBytes; });
      auto printed = at == large ? Noted(PrintSource(client_, reading_, *at, Output())) : PrintStream({at, large});
      if (!printed) return printed;
      at = at == large ? at + 1 : large;
    }
    return {};
  }

 private:
  ByteSink Output() {
    return [this](std::span<const std::byte> data) {
      meter_.Set(bytes_ += data.size());
      return out_(data);
    };
  }

  Result<void> Noted(Result<void> printed) {
    if (printed) monitor_.NoteCopied(/*kept_bytes=*/0);
    return printed;
  }

  Result<void> PrintStream(std::vector<DownloadSource> sources) {
    auto stream = downloader_.Stream(std::move(sources), DeliveryOrder::kInOrder, reading_.stop);
    while (true) {
      const auto next = stream.Next();
      if (!next) return next.error();
      if (!*next) return {};
      if (auto printed = Noted(Output()((*next)->bytes)); !printed) return printed;
    }
  }

  const Client& client_;
  const Downloader downloader_;
  const ObjectReaderOptions reading_;
  const int max_look_ups_;
  const ByteSink out_ = Into(stdout, "standard output");
  TransferMonitor monitor_{TransferMonitor::Summary::kOfOne, ::isatty(STDOUT_FILENO) == 0};
  TransferMonitor::Meter meter_{monitor_};
  std::uint64_t bytes_ = 0;  // Of all objects.
};

// "a-b" with both ends, "a-" or "-n" (the last n bytes): as HTTP writes them.
Result<ByteRange> ParseRange(const std::string& text, std::uint64_t size) {
  const Error wrong{ErrorCode::kInvalidArgument, "flag --range: '" + text + "' is not a-b, a- or -n"};
  const auto dash = text.find('-');
  if (dash == text.npos || text.size() == 1) return wrong;
  const auto number = [&](std::string_view digits) -> std::optional<std::uint64_t> {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return value;
  };
  const std::string_view view = text;
  const auto first = dash == 0 ? std::optional<std::uint64_t>(0) : number(view.substr(0, dash));
  if (first && dash + 1 == text.size()) return ByteRange{.offset = *first};
  const auto last = number(view.substr(dash + 1));
  if (!first || !last) return wrong;
  if (dash == 0) return ByteRange{.offset = size - std::min(size, *last)};
  if (*last < *first) return wrong;
  return ByteRange{.offset = *first, .length = std::max(*last, *last + 1) - *first};
}

Result<void> PrintRanges(const Client& client, const std::vector<NamedObject>& objects, const std::stop_token& stop) {
  const ByteSink out = Into(stdout, "standard output");
  for (const auto& [object, generation] : objects) {
    const auto found = client.GetObject(object, {.generation = generation, .fields = "size", .stop = stop});
    if (!found) return found.error();
    const auto range = ParseRange(FLAGS_range, found->size);
    if (!range) return range.error();
    if (range->offset >= found->size) continue;
    const auto read = client.ReadObject(object, out, {.range = *range, .generation = found->generation, .stop = stop});
    if (!read) return read.error();
  }
  if (std::fflush(stdout) != 0) return internal::LocalError("write", "standard output");
  return {};
}

// Neighbours are printed together, also those of several URIs.
Result<void> PrintAll(const Client& client, const std::vector<std::string>& uris, const std::stop_token& stop,
                      Concatenation& concatenation) {
  std::vector<NamedObject> waiting;
  const auto take = [&](std::vector<NamedObject> objects) -> Result<void> {
    std::move(objects.begin(), objects.end(), std::back_inserter(waiting));
    std::span<const NamedObject> rest = waiting;
    for (; rest.size() >= kLookedUpAtOnce; rest = rest.subspan(kLookedUpAtOnce)) {
      if (auto printed = concatenation.PrintMany(rest.first(kLookedUpAtOnce)); !printed) return printed;
    }
    waiting.erase(waiting.begin(), waiting.end() - static_cast<std::ptrdiff_t>(rest.size()));
    return {};
  };
  if (auto found = ForObjectsOf(client, uris, take, stop); !found) return found;
  return concatenation.PrintMany(waiting);
}

Result<void> Concatenate(const Client& client, const std::vector<std::string>& uris) {
  const auto options = DownloaderOptionsFromFlags();
  if (!options) return options.error();
  auto reading = ObjectReaderOptionsFromFlags();
  if (!reading) return reading.error();
  reading->stop = StopOnSignal();
  if (!FLAGS_range.empty()) {
    const auto print = [&](const std::vector<NamedObject>& objects) {
      return PrintRanges(client, objects, reading->stop);
    };
    return ForObjectsOf(client, uris, print, reading->stop);
  }
  if (uris.size() == 1 && !HasWildcard(uris.front())) {
    const auto objects = ObjectsOf(client, uris, reading->stop);
    if (!objects) return objects.error();
    reading->generation = objects->front().generation;
    return PrintWithProgress(client, *reading, objects->front().object, stdout, "standard output");
  }
  Concatenation concatenation(client, *options, *reading);
  if (auto printed = PrintAll(client, uris, reading->stop, concatenation); !printed) return printed;
  if (std::fflush(stdout) != 0) return internal::LocalError("write", "standard output");
  return concatenation.Finish();
}

constexpr CommandFlag kCatFlags[] = {{"range", "r"}};

}  // namespace

constinit const Command kCat = {
    .name = "cat",
    .arguments = "gs://BUCKET/OBJECT[#GENERATION]...",
    .summary = "Write objects to standard output, one after the other.",
    .details =
        "Several objects are fetched ahead, --max_concurrency at a time, and a large one with as many requests. After\n"
        "exit status 1, do not use the output.\n",
    .flags = kCatFlags,
    .run = Concatenate,
};

}  // namespace gcsflux::cli
