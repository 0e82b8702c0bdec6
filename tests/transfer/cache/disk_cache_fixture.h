#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/crc32c.h"
#include "support/test_directory.h"
#include "transfer/cache/disk_cache.h"

namespace gcsflux::internal {

inline constexpr std::uint64_t kMuch = std::uint64_t{1} << 30;

inline std::span<const std::byte> BytesOf(const std::string& text) { return std::as_bytes(std::span(text)); }

// Different for each number, and as long as is asked.
inline std::string ContentOf(std::size_t number, std::size_t bytes) {
  std::string text = "content " + std::to_string(number) + " ";
  while (text.size() < bytes) text += text;
  return text.substr(0, bytes);
}

inline DownloadSource SourceOf(const std::string& name, const std::string& content) {
  return {{"bkt", name}, content.size(), 7, ExtendCrc32c(0, BytesOf(content))};
}

// A cache of a directory, as one dataset has it.
struct Cache {
  explicit Cache(const std::string& directory, std::uint64_t max_bytes = kMuch, const std::string& endpoint = "e")
      : disk({.directory = directory, .max_bytes = max_bytes}, endpoint, tally,
             [this](const Error& error) { errors.push_back(error.message); }) {}

  [[nodiscard]] std::optional<std::string> Read(const DownloadSource& source) {
    std::string into(static_cast<std::size_t>(source.size), '?');
    const auto open = [&] { return Result<std::span<std::byte>>(std::as_writable_bytes(std::span(into))); };
    return disk.Read(source, open) ? std::optional(into) : std::nullopt;
  }
  void Keep(const std::string& name, const std::string& content) {
    disk.Write(SourceOf(name, content), BytesOf(content));
  }
  [[nodiscard]] bool Has(const std::string& name, const std::string& content) {
    const auto found = Read(SourceOf(name, content));
    if (found) {
      EXPECT_EQ(*found, content);
    }
    return found.has_value();
  }
  [[nodiscard]] CacheReport report() const { return tally->report(); }

  std::vector<std::string> errors = {};
  std::shared_ptr<CacheTally> tally = std::make_shared<CacheTally>();
  DiskCache disk;
};

class DiskCacheTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string directory() const { return temporary_.path() / "cache"; }
  [[nodiscard]] std::vector<std::filesystem::path> Files() const {
    std::vector<std::filesystem::path> files;
    for (const auto& file : std::filesystem::directory_iterator(directory())) {
      if (file.path().filename() != "gcsflux-cache") files.push_back(file.path());
    }
    return files;
  }
  // Of entries.
  [[nodiscard]] std::uint64_t BytesOnDisk() const {
    std::uint64_t bytes = 0;
    for (const auto& file : Files()) {
      if (!CacheEntry::IsFileName(file.filename())) continue;
      bytes += CacheDirectory::OnDisk(std::filesystem::file_size(file));
    }
    return bytes;
  }
  // As if it had last been used long ago.
  static void Age(const std::filesystem::path& file) {
    const timespec times[2] = {{.tv_sec = 1, .tv_nsec = 0}, {.tv_sec = 0, .tv_nsec = UTIME_OMIT}};
    ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times, 0), 0);
  }
  static void Flip(const std::filesystem::path& file, std::uint64_t at) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(static_cast<std::streamoff>(at));
    const char flipped = static_cast<char>(stream.get() ^ 1);
    stream.seekp(static_cast<std::streamoff>(at));
    stream.put(flipped);
  }

  testing::TestDirectory temporary_;
};

}  // namespace gcsflux::internal
