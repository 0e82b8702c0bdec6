#include "store/buckets/seed_bucket.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/interruption.h"
#include "store/bytes/body.h"
#include "store/bytes/rope.h"
#include "store/objects/names.h"

namespace gcsflux::emulator {
namespace {

namespace fs = std::filesystem;

// The text as one line: \xNN replaces control characters, and, if the text is not UTF-8, all bytes that are not ASCII.
std::string Shown(const fs::path& path) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const std::string& name = path.native();
  const bool is_utf8 = IsUtf8(name);
  std::string shown;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F && (byte < 0x80 || is_utf8)) {
      shown += c;
    } else {
      shown += {'\\', 'x', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return shown;
}

tl::unexpected<Failure> Unreadable(const fs::path& path, const std::error_code& error) {
  return Fail(FailureKind::kInvalid, "Cannot read '" + Shown(path) + "': " + error.message() + ".");
}

tl::unexpected<Failure> Unstorable(const fs::path& path, const Failure& failure) {
  return Fail(failure.kind, "Cannot store '" + Shown(path) + "': " + failure.message);
}

// Sorted, so the same directory always gives the same order of generations.
Outcome<std::vector<fs::path>> FindFiles(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> files;
  fs::recursive_directory_iterator at(directory, error);
  while (!error && at != fs::recursive_directory_iterator()) {
    ThrowIfInterrupted();
    if (at->symlink_status(error).type() == fs::file_type::regular) files.push_back(at->path());
    if (!error) at.increment(error);
  }
  if (error) return Unreadable(directory, error);
  std::sort(files.begin(), files.end());
  return files;
}

Outcome<Rope> ReadFile(const fs::path& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return Unreadable(path, error);
  std::ifstream file(path, std::ios::binary);
  RopeBuilder builder(size);
  while (file && builder.size() < size) {
    ThrowIfInterrupted();
    const std::span<std::byte> buffer = builder.Buffer();
    file.read(reinterpret_cast<char*>(buffer.data()), static_cast<std::streamsize>(buffer.size()));
    builder.Commit(static_cast<std::size_t>(file.gcount()));
  }
  if (builder.size() != size) return Unreadable(path, std::make_error_code(std::errc::io_error));
  return builder.Build();
}

Outcome<std::shared_ptr<Bucket>> FindOrInsertBucket(Store& store, const std::string& name) {
  auto inserted = store.InsertBucket({.name = name});
  if (!inserted && inserted.error().kind != FailureKind::kConflict) return tl::unexpected(inserted.error());
  return store.FindBucket(name);
}

}  // namespace

Outcome<SeedResult> SeedBucket(Store& store, const SeedRequest& request) {
  const auto files = FindFiles(request.directory);
  if (!files) return tl::unexpected(files.error());
  const auto bucket = FindOrInsertBucket(store, request.bucket);
  if (!bucket) return tl::unexpected(bucket.error());
  SeedResult result;
  for (const fs::path& file : *files) {
    std::string name = request.prefix + file.lexically_relative(request.directory).generic_string();
    if (auto valid = CheckObjectName(name); !valid) return Unstorable(file, valid.error());
    Outcome<Rope> bytes = ReadFile(file);
    if (!bytes) return tl::unexpected(bytes.error());
    NewObject object{.name = std::move(name), .body = std::make_shared<const Body>(*std::move(bytes))};
    object.attributes.content_type = "application/octet-stream";
    result.bytes += object.body->size();
    result.objects += 1;
    const auto stored = (*bucket)->InsertObject(std::move(object), {});
    if (!stored) return Unstorable(file, stored.error());
  }
  return result;
}

}  // namespace gcsflux::emulator
