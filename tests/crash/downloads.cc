// Reads: into a file, which is old or new; and through composites, which do not touch what they join.
#include <fstream>
#include <string_view>

#include "crash/crash_case.h"
#include "gcsflux/download.h"
#include "gcsflux/download_file.h"
#include "gcsflux/listing.h"
#include "gcsflux/upload.h"

namespace gcsflux::crash {
namespace {

constexpr std::size_t kFileSize = 300'000;
constexpr int kSmallObjects = 16;

std::string FileOf(const Place& place) { return ReadFile(place.directory / "file"); }

void PrepareFile(const Place& place) {
  Surely([&] { return UploadObject(place.client, place.At("object"), AsBytes(BytesOf(place, "new", kFileSize))); });
  std::ofstream(place.directory / "file") << "old";
}

void IntoFile(const Place& place) {
  Must(DownloadFile(place.client, place.At("object"), place.directory / "file",
                    {.range_bytes = 100'000, .max_concurrency = 2}));
}

void CheckFile(const Place& place) {
  const std::string wanted = BytesOf(place, "new", kFileSize);
  const std::string found = FileOf(place);
  Expect(found == "old" || found == wanted, "the file is neither old nor new");
  SurelyDo([&] { IntoFile(place); });
  Expect(FileOf(place) == wanted, "the file has other bytes than the object");
  for (const auto& entry : std::filesystem::directory_iterator(place.directory)) {
    Expect(!IsPartialFileName(entry.path().filename().string()), "a partial file is left");
  }
}

std::string SmallName(int number) { return "small-" + std::to_string(number); }

void PrepareSmall(const Place& place) {
  for (int i = 0; i < kSmallObjects; ++i) {
    Surely([&] {
      return UploadObject(place.client, place.At(SmallName(i)), AsBytes(BytesOf(place, SmallName(i), 1'000)));
    });
  }
}

void ThroughComposites(const Place& place) {
  const Downloader downloader(place.client, {.max_concurrency = 2, .composition = CompositionMode::kOn});
  const auto listed = Must(ListPrefix(place.client, place.At("small-"))).objects;
  const auto objects = Must(downloader.Download(DownloadSources(listed)));
  Expect(objects.size() == kSmallObjects, "objects are missing");
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const auto bytes = objects[i].bytes;
    const std::string_view found(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string name = listed[i].name.substr(place.prefix.size());
    Expect(found == BytesOf(place, name, 1'000), "a composite gives other bytes for " + name);
  }
}

void CheckSmall(const Place& place) {
  for (int i = 0; i < kSmallObjects; ++i) {
    const std::string found = Surely([&] { return place.client.ReadObject(place.At(SmallName(i))); });
    Expect(found == BytesOf(place, SmallName(i), 1'000), SmallName(i) + " has changed");
  }
  SurelyDo([&] { ThroughComposites(place); });
}

}  // namespace

std::vector<CrashCase> DownloadCases() {
  return {
      {.name = "download into a file", .prepare = PrepareFile, .act = IntoFile, .check = CheckFile},
      {.name = "download through composites", .prepare = PrepareSmall, .act = ThroughComposites, .check = CheckSmall}};
}

}  // namespace gcsflux::crash
