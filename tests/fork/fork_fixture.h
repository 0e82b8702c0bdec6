#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fork/child.h"
#include "gcsflux/client.h"
#include "gcsflux/download.h"
#include "support/emulator_process.h"
#include "support/test_directory.h"

namespace gcsflux::testing {

/// The emulator as a separate process, so that the forked process has a client and no server, and distinct objects: a
/// wrong answer is detected.
class ForkTest : public ::testing::Test {
 protected:
  static constexpr const char* kBucket = "bkt";

  /// `flags` of the emulator's.
  void Start(bool is_tls, std::vector<std::string> flags = {});
  [[nodiscard]] ClientOptions Options() const;

  /// Object number `index` of Put().
  static ObjectName Name(std::size_t index) { return {kBucket, "o" + std::to_string(index)}; }
  static std::string Content(std::size_t index, std::size_t bytes);

  /// Stores objects of `bytes` each.
  void Put(std::size_t count, std::size_t bytes);
  [[nodiscard]] std::vector<DownloadSource> Sources() const;

  /// Reads an object and compares it: "" for success.
  [[nodiscard]] std::string Read(const Client& client, std::size_t index) const;
  /// The same for all objects through a Downloader, a batch and a stream.
  [[nodiscard]] std::string DownloadAll(const Downloader& downloader) const;

  /// The body of GET /_emulator/`what`.
  [[nodiscard]] std::string Ask(const std::string& what) const;
  /// How often `part` occurs in it.
  [[nodiscard]] std::size_t CountIn(const std::string& what, const std::string& part) const;

  std::unique_ptr<EmulatorProcess> emulator_;
  TestDirectory directory_;
  std::string ca_file_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  std::vector<ObjectMetadata> stored_;
};

/// "" or the message.
template <class T>
std::string Failure(const Result<T>& result) {
  return result ? "" : std::string(ErrorCodeName(result.error().code)) + ": " + result.error().message;
}

}  // namespace gcsflux::testing
