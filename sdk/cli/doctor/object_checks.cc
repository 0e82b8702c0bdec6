#include "cli/doctor/object_checks.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments/names.h"
#include "cli/terminal/progress.h"
#include "gcsflux/download.h"
#include "gcsflux/listing.h"
#include "gcsflux/upload.h"
#include "transfer/threads/run_on_threads.h"

namespace gcsflux::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

constexpr std::size_t kSmallBytes = 64U << 10;
constexpr std::size_t kPartBytes = 5U << 20;  // The smallest part of a multipart upload.
constexpr int kReads = 20;
constexpr std::size_t kBurst = 64;

std::string RandomBytes(std::size_t count) {
  std::mt19937_64 random(std::random_device{}());
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

std::string RandomName() {
  std::array<char, 17> name{};
  static_cast<void>(
      std::snprintf(name.data(), name.size(), "%08x%08x", std::random_device{}(), std::random_device{}()));
  return name.data();
}

std::string Text(milliseconds duration) { return std::to_string(duration.count()) + " ms"; }

const std::string kServiceRemedy = "run it again with --log_level=debug, which shows each request";

class ObjectChecks {
 public:
  ObjectChecks(const Client& client, const ObjectName& place, const std::stop_token& stop, DoctorReport& report)
      : client_(client),
        root_{place.bucket, AsDirectory(place.name) + "gcsflux-doctor-" + RandomName() + "/"},
        stop_(stop),
        report_(report) {}

  void Run() {
    if (Write()) {
      Read();
      List();
      Compose();
      Move();
      Latency();
      Throttling();
      ParallelUpload();
    }
    CleanUp();
  }

 private:
  [[nodiscard]] ObjectName Named(const std::string& name) const { return {root_.bucket, root_.name + name}; }

  // Returns whether it failed; then it is reported.
  template <class T>
  bool HasFailed(const std::string& check, const Result<T>& result, const std::string& remedy = kServiceRemedy) {
    if (!result) report_.Fail(check, result.error().message, remedy);
    return !result;
  }

  bool Write() {
    const auto begin = system_clock::now();
    const auto stored =
        client_.InsertObject(Named("a"), AsBytes(bytes_), {.preconditions = {.if_generation_match = 0}, .stop = stop_});
    const auto end = system_clock::now();
    if (HasFailed("write", stored,
                  "grant roles/storage.objectUser on the bucket, or give a prefix that may be written")) {
      return false;
    }
    report_.Ok("write", "64 KiB in " + Text(std::chrono::duration_cast<milliseconds>(end - begin)));
    CheckClock(stored->time_created, begin, end);
    return true;
  }

  // The service has set the time between the two moments.
  void CheckClock(system_clock::time_point of_service, system_clock::time_point begin, system_clock::time_point end) {
    constexpr auto kMost = std::chrono::seconds(5);
    const auto behind = std::chrono::duration_cast<milliseconds>(of_service - end);
    const auto ahead = std::chrono::duration_cast<milliseconds>(begin - of_service);
    const auto skew = std::max(behind, ahead);
    if (skew <= kMost) return report_.Ok("clock", "agrees with the service's");
    report_.Warn("clock",
                 "this machine's clock is " + Text(skew) + (behind > ahead ? " behind" : " ahead of") +
                     " the service's: tokens and signed URLs may be refused",
                 "let the machine set its clock by NTP");
  }

  void Read() {
    const auto whole = client_.ReadObject(Named("a"), ReadObjectOptions{.stop = stop_});
    if (HasFailed("read", whole)) return;
    if (*whole != bytes_) return report_.Fail("read", "other bytes came than were stored", kServiceRemedy);
    report_.Ok("read", "the bytes are those that were stored, and the service's CRC32C agrees");
    CheckRanges();
  }

  // Each range has a checksum here; joined, they must be the whole object's at the service.
  void CheckRanges() {
    constexpr std::array<std::uint64_t, 4> kEnds = {1, 4'096, 40'001, kSmallBytes};
    std::uint64_t begin = 0;
    std::uint32_t crc32c = 0;
    for (const std::uint64_t end : kEnds) {
      const auto range = client_.ReadObject(Named("a"), {.range = ByteRange{begin, end - begin}, .stop = stop_});
      if (HasFailed("ranges", range)) return;
      crc32c = Crc32cOf(AsBytes(*range), crc32c);
      begin = end;
    }
    const auto object = client_.GetObject(Named("a"), {.stop = stop_});
    if (HasFailed("ranges", object)) return;
    if (object->crc32c != crc32c) {
      return report_.Fail("ranges", "4 ranges together have another CRC32C than the object", kServiceRemedy);
    }
    report_.Ok("ranges", "4 ranges together have the object's CRC32C");
  }

  void List() {
    const auto listing = ListPrefix(client_, root_, {.stop = stop_});
    if (HasFailed("list", listing, "grant roles/storage.objectViewer on the bucket")) return;
    if (listing->objects.size() == 1) return report_.Ok("list", "shows what was written just before");
    report_.Fail("list", "shows " + Count(listing->objects.size(), "object") + " instead of one", kServiceRemedy);
  }

  void Compose() {
    const auto made = client_.ComposeObjects({{.name = Named("a").name}, {.name = Named("a").name}}, Named("composed"),
                                             {.preconditions = {.if_generation_match = 0}, .stop = stop_});
    if (HasFailed("compose", made)) return;
    const std::uint32_t want = Crc32cOf(AsBytes(bytes_), Crc32cOf(AsBytes(bytes_)));
    if (made->crc32c != want) return report_.Fail("compose", "the composite has another CRC32C", kServiceRemedy);
    if (HasFailed("compose", client_.DeleteObject(Named("composed"), {.generation = made->generation}))) return;
    report_.Ok("compose", "joined two objects, with the right CRC32C, and deleted the composite");
  }

  void Move() {
    const auto moved =
        client_.MoveObject(Named("a"), Named("moved"), {.preconditions = {.if_generation_match = 0}, .stop = stop_});
    if (!moved) {
      return report_.Warn("move", moved.error().message, "none is needed: gcsflux mv copies and deletes instead");
    }
    report_.Ok("move", "renamed an object in one step");
    const auto back = client_.MoveObject(Named("moved"), Named("a"), {.preconditions = {.if_generation_match = 0}});
    HasFailed("move", back);
  }

  void Latency() {
    std::vector<milliseconds> times;
    for (int i = 0; i < kReads; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      const auto read = client_.ReadObject(Named("a"), {.range = ByteRange{0, 4'096}, .stop = stop_});
      if (HasFailed("latency", read)) return;
      times.push_back(std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - begin));
    }
    std::ranges::sort(times);
    const milliseconds median = times[times.size() / 2];
    const std::string text = "4 KiB: " + Text(median) + " (median of 20), " + Text(times.back()) + " (slowest)";
    constexpr milliseconds kFar{100};
    if (median <= kFar) return report_.Ok("latency", text);
    report_.Warn("latency", text, "the bucket seems far away: run in its location, or read more at the same time");
  }

  void Throttling() {
    const Counters before = client_.counters();
    const auto burst = internal::RunOnThreads(
        client_, kBurst, kBurst,
        [&](std::size_t, const std::stop_token& stop) -> Result<void> {
          const auto found = client_.GetObject(Named("a"), {.stop = stop});
          return found ? Result<void>() : found.error();
        },
        stop_);
    if (HasFailed("throttling", burst)) return;
    const Counters counted = client_.counters() - before;
    if (counted.throttled == 0) return report_.Ok("throttling", "64 requests at the same time, none refused");
    report_.Warn("throttling", std::to_string(counted.throttled) + " of 64 requests at the same time were answered 429",
                 "the bucket's rate must grow first, or another program uses it up; lower --max_concurrency if jobs "
                 "share a quota");
  }

  void ParallelUpload() {
    ObjectWriter writer(client_, Named("large"), {.stop = stop_, .part_bytes = kPartBytes});
    for (int part = 0; part < 2; ++part) {
      if (HasFailed("parts", writer.Write(AsBytes(RandomBytes(kPartBytes + kSmallBytes))))) return;
    }
    const auto stored = writer.Close();
    if (HasFailed("parts", stored)) return;
    const UploadReport report = writer.report();
    if (report.has_left_temporary) {
      return report_.Fail("parts", "a temporary object remains: " + report.temporary_name,
                          "gcsflux clean gs://" + root_.bucket);
    }
    if (report.path == WritePath::kParallel) {
      return report_.Ok("parts", "10 MiB went up as parts at the same time, and became visible at once");
    }
    report_.Warn("parts", "10 MiB went up over one connection: " + report.reason,
                 "large checkpoints are slower to save; see the reason");
  }

  // Not stopped by an interruption, and only names below the own root.
  void CleanUp() {
    const auto left = ListPrefix(client_, root_);
    std::string failure = left ? "" : left.error().message;
    for (const ObjectMetadata& object : left ? left->objects : std::vector<ObjectMetadata>()) {
      const auto deleted = client_.DeleteObject({root_.bucket, object.name}, {.generation = object.generation});
      if (!deleted) failure = deleted.error().message;
    }
    if (!failure.empty()) return report_.Fail("clean up", failure, "gcsflux rm -r " + ToUri(root_));
    report_.Ok("clean up", "nothing is left under " + ToUri(root_));
  }

  const Client& client_;
  const ObjectName root_;
  const std::stop_token stop_;
  DoctorReport& report_;
  const std::string bytes_ = RandomBytes(kSmallBytes);
};

}  // namespace

void CheckObjects(const Client& client, const ObjectName& place, const std::stop_token& stop, DoctorReport& report) {
  ObjectChecks(client, place, stop, report).Run();
}

}  // namespace gcsflux::cli
