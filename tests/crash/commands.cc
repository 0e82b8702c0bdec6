// The command line's copies: files and objects are old or new, and the same command completes them.
#include <fstream>

#include "crash/crash_case.h"
#include "gcsflux/upload.h"

namespace gcsflux::crash {
namespace {

constexpr int kFiles = 3;

std::string FileName(int number) { return "file-" + std::to_string(number); }
std::string FileContent(const Place& place, int number) {
  return BytesOf(place, FileName(number), number == 0 ? 300'000 : 2'000);
}

void PrepareFiles(const Place& place) {
  std::filesystem::create_directory(place.directory / "files");
  for (int i = 0; i < kFiles; ++i) std::ofstream(place.directory / "files" / FileName(i)) << FileContent(place, i);
}

void PrepareMoved(const Place& place) {
  for (int i = 0; i < kFiles; ++i) {
    Surely([&] { return UploadObject(place.client, place.At("from/" + FileName(i)), AsBytes(FileContent(place, i))); });
  }
}

std::optional<std::string> FindContent(const Place& place, const std::string& name) {
  return Surely([&]() -> Result<std::optional<std::string>> {
    auto read = place.client.ReadObject(place.At(name));
    if (!read && read.error().code == ErrorCode::kNotFound) return std::optional<std::string>();
    if (!read) return read.error();
    return std::optional<std::string>(*std::move(read));
  });
}

std::vector<std::string> CopyUp(const Place& place) {
  return {"sync", "-r", place.directory / "files", place.UriOf("to")};
}
std::vector<std::string> CopyDown(const Place& place) {
  return {"sync", "-r", place.UriOf("from"), place.directory / "to"};
}
std::vector<std::string> Move(const Place& place) { return {"mv", "-r", place.UriOf("from/*"), place.UriOf("to/")}; }

const CrashCase& Named(std::string_view name) { return *FindCase(name); }

void CheckCopiedUp(const Place& place) {
  for (int i = 0; i < kFiles; ++i) {
    const auto found = FindContent(place, "to/" + FileName(i));
    Expect(!found || *found == FileContent(place, i), FileName(i) + " is stored with other bytes");
  }
  SurelyDo([&] { ActToTheEnd(Named("gcsflux sync, up"), place); });
  for (int i = 0; i < kFiles; ++i) {
    Expect(FindContent(place, "to/" + FileName(i)) == FileContent(place, i), FileName(i) + " is not stored");
  }
}

void CheckCopiedDown(const Place& place) {
  for (int i = 0; i < kFiles; ++i) {
    const auto path = place.directory / "to" / FileName(i);
    Expect(!std::filesystem::exists(path) || ReadFile(path) == FileContent(place, i), FileName(i) + " has other bytes");
  }
  SurelyDo([&] { ActToTheEnd(Named("gcsflux sync, down"), place); });
  for (int i = 0; i < kFiles; ++i) {
    Expect(ReadFile(place.directory / "to" / FileName(i)) == FileContent(place, i), FileName(i) + " is not there");
  }
}

bool IsLeft(const Place& place) {
  bool is_left = false;
  for (int i = 0; i < kFiles; ++i) is_left = is_left || FindContent(place, "from/" + FileName(i)).has_value();
  return is_left;
}

void CheckMoved(const Place& place) {
  for (int i = 0; i < kFiles; ++i) {
    const auto old = FindContent(place, "from/" + FileName(i));
    const auto moved = FindContent(place, "to/" + FileName(i));
    Expect(old || moved, FileName(i) + " is lost");
    Expect(old.value_or(FileContent(place, i)) == FileContent(place, i),
           FileName(i) + " has other bytes at its old name");
    Expect(moved.value_or(FileContent(place, i)) == FileContent(place, i),
           FileName(i) + " has other bytes at its new name");
  }
  // What the killed process has sent last may take effect while this one begins, which then finds nothing to move.
  SurelyDo([&] {
    if (IsLeft(place)) ActToTheEnd(Named("gcsflux mv"), place);
  });
  for (int i = 0; i < kFiles; ++i)
    Expect(FindContent(place, "to/" + FileName(i)).has_value(), FileName(i) + " was not moved");
}

}  // namespace

std::vector<CrashCase> CommandCases() {
  const auto none = [](const Place&) {};
  return {{.name = "gcsflux sync, up", .prepare = PrepareFiles, .act = none, .check = CheckCopiedUp, .command = CopyUp},
          {.name = "gcsflux sync, down",
           .prepare = PrepareMoved,
           .act = none,
           .check = CheckCopiedDown,
           .command = CopyDown},
          {.name = "gcsflux mv", .prepare = PrepareMoved, .act = none, .check = CheckMoved, .command = Move}};
}

}  // namespace gcsflux::crash
