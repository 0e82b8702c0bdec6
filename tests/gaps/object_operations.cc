// Operations on one object that take several requests.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>

#include "gaps/gap_operation.h"
#include "gcsflux/download_file.h"
#include "gcsflux/object_reader.h"
#include "support/result.h"
#include "support/upload_case.h"

namespace gcsflux::testing {
namespace {

constexpr auto kName = "o";
constexpr std::size_t kObjectBytes = 300'000;
constexpr std::size_t kPieceBytes = 100'000;
const ObjectName kSourceObject{kGapBucket, kName};
const ObjectName kCopyObject{kGapBucket, "copy"};

void OverwriteObject(GapWorld& world) { world.PutForeign(kName, world.RivalsBytes(kName)); }
void DeleteTheObject(GapWorld& world) { world.Delete(kName); }

GapOperation OfObject(std::string name,
                      std::function<Result<void>(GapWorld&, const Client&, const std::stop_token&)> run) {
  return {.name = std::move(name),
          .prepare = [](GapWorld& world) { world.Put(kName, Pattern(kObjectBytes)); },
          .run = std::move(run),
          .overwrite = OverwriteObject,
          .remove = DeleteTheObject};
}

// Into another storage class, which moves bytes.
Result<void> RewriteInSteps(GapWorld& world, const Client& client, const std::stop_token& stop) {
  const auto copied = client.RewriteObject(kSourceObject, kCopyObject,
                                           {.preconditions = {.if_generation_match = 0},
                                            .attributes = ObjectAttributes{.storage_class = "NEARLINE"},
                                            .max_bytes_per_request = 1 << 20,
                                            .stop = stop});
  if (!copied) return copied.error();
  const auto read = world.rival().ReadObject(kCopyObject, {.generation = copied->generation});
  if (read) world.ExpectOneGeneration(kName, *read);  // Otherwise the rival has overwritten it since.
  return {};
}

GapOperation RewriteFromContested() {
  return {.name = "RewriteOfASource",
          .prepare = [](GapWorld& world) { world.Put(kName, Pattern((2 << 20) + 7)); },
          .run = RewriteInSteps,
          .overwrite = OverwriteObject,
          .remove = DeleteTheObject,
          .reports_lost_writes = true};
}

GapOperation RewriteToContested() {
  return {.name = "RewriteToADestination",
          .prepare = [](GapWorld& world) { world.Put(kName, Pattern((2 << 20) + 7)); },
          .run = RewriteInSteps,
          .overwrite = [](GapWorld& world) { world.PutForeign("copy", "a rival's"); },
          .remove = [](GapWorld& world) { world.Delete("copy"); },
          .reports_lost_writes = true};
}

// Each of the first two answers breaks in the middle.
GapOperation ResumedRead() {
  GapOperation read = OfObject("ResumedRead", [](GapWorld& world, const Client& client, const auto& stop) {
    const auto bytes = client.ReadObject(kSourceObject, {.stop = stop});
    if (bytes) world.ExpectOneGeneration(kName, *bytes);
    return WithoutValue(bytes);
  });
  read.prepare = [](GapWorld& world) {
    world.Put(kName, Pattern(kObjectBytes));
    world.emulator().faults().Add({.name = "short",
                                   .match = {.operation = "storage.objects.get"},
                                   .action = {.type = "cut", .after_bytes = kPieceBytes},
                                   .limits = {.count = 2}});
  };
  return read;
}

GapOperation PatchAfterGet() {
  GapOperation patch = OfObject(
      "PatchOfWhatWasRead", [](GapWorld& world, const Client& client, const std::stop_token& stop) -> Result<void> {
        const auto found = client.GetObject(kSourceObject, {.stop = stop});
        if (!found) return found.error();
        const auto patched = client.PatchObject(kSourceObject, {.metadata = {{"key", "value"}}},
                                                {.generation = found->generation,
                                                 .preconditions = {.if_metageneration_match = found->metageneration},
                                                 .stop = stop});
        EXPECT_TRUE(!patched || patched->generation == found->generation);
        const auto live = world.rival().GetObject(kSourceObject);
        EXPECT_TRUE(!live || live->generation == found->generation || live->metadata.empty());
        return WithoutValue(patched);
      });
  patch.reports_lost_writes = true;
  return patch;
}

Result<void> CompareFile(GapWorld& world, const Result<ReadSummary>& downloaded) {
  if (downloaded) {
    world.ExpectOneGeneration(kName, [&] {
      std::ifstream file(world.PathOf("file"), std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    }());
  } else {
    EXPECT_FALSE(std::filesystem::exists(world.PathOf("file")));
  }
  return WithoutValue(downloaded);
}

GapOperation DownloadToFile() {
  return OfObject("DownloadFile", [](GapWorld& world, const Client& client, const std::stop_token& stop) {
    return CompareFile(world, DownloadFile(client, kSourceObject, world.PathOf("file"),
                                           {.range_bytes = kPieceBytes, .max_concurrency = 1, .stop = stop}));
  });
}

// Its first range was downloaded by an earlier call.
GapOperation DownloadToFileResumed() {
  GapOperation resumed = DownloadToFile();
  resumed.name = "DownloadFileResumed";
  resumed.prepare = [](GapWorld& world) {
    world.Put(kName, Pattern(kObjectBytes));
    std::stop_source stop;
    const auto stopped = DownloadFile(world.rival(), kSourceObject, world.PathOf("file"),
                                      {.range_bytes = kPieceBytes,
                                       .max_concurrency = 1,
                                       .on_progress =
                                           [&](const Progress& progress) {
                                             if (progress.bytes >= kPieceBytes) stop.request_stop();
                                           },
                                       .stop = stop.get_token()});
    EXPECT_EQ(ErrorOf(stopped).code, ErrorCode::kCancelled) << ErrorOf(stopped).message;
  };
  return resumed;
}

ObjectReaderOptions InPieces(const std::stop_token& stop) {
  return {.max_concurrency = 1, .range_bytes = kPieceBytes, .tail_bytes = 0, .stop = stop};
}

GapOperation ReadAtPlaces() {
  return OfObject(
      "ReaderReadsRanges", [](GapWorld& world, const Client& client, const std::stop_token& stop) -> Result<void> {
        const auto reader = ObjectReader::Open(client, kSourceObject, InPieces(stop));
        if (!reader) return reader.error();
        std::string bytes(kObjectBytes, '\0');
        const auto memory = std::as_writable_bytes(std::span(bytes));
        // Out of order, and in two calls.
        if (auto read = reader->Read({{200'000, memory.subspan(200'000)}, {0, memory.first(100'000)}}); !read)
          return read;
        if (auto read = reader->Read({{100'000, memory.subspan(100'000, 100'000)}}); !read) return read;
        world.ExpectOneGeneration(kName, bytes);
        return reader->VerifyWhole();
      });
}

GapOperation ReadAhead() {
  return OfObject("ReaderReadsAhead",
                  [](GapWorld& world, const Client& client, const std::stop_token& stop) -> Result<void> {
                    ObjectReaderOptions options = InPieces(stop);
                    options.reads_whole = true;
                    auto reader = ObjectReader::Open(client, kSourceObject, options);
                    if (!reader) return reader.error();
                    std::string bytes;
                    while (true) {
                      const auto lent = reader->NextView();
                      if (!lent) return lent.error();
                      if (lent->empty()) break;
                      bytes.append(reinterpret_cast<const char*>(lent->data()), lent->size());
                    }
                    world.ExpectOneGeneration(kName, bytes);
                    return {};
                  });
}

GapOperation VerifyUnread() {
  return OfObject("ReaderVerifiesTheWhole",
                  [](GapWorld&, const Client& client, const std::stop_token& stop) -> Result<void> {
                    const auto reader = ObjectReader::Open(client, kSourceObject, InPieces(stop));
                    if (!reader) return reader.error();
                    return reader->VerifyWhole();
                  });
}

}  // namespace

std::vector<GapOperation> ObjectOperations() {
  return {RewriteFromContested(),  RewriteToContested(), ResumedRead(), PatchAfterGet(), DownloadToFile(),
          DownloadToFileResumed(), ReadAtPlaces(),       ReadAhead(),   VerifyUnread()};
}

}  // namespace gcsflux::testing
