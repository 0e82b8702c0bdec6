#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "dataset/dataset_core.h"
#include "gcsflux/emulator/emulator.h"

namespace gcsflux::testing {

using Texts = std::vector<std::string>;
/// The size of a decoded sample, as the fixture's transform reports it.
constexpr std::uint64_t kDecodedBytes = 1000;

/// Objects o-000000, o-000001 and so on in an emulator, each of which contains its own name, and datasets of them
/// without libtorch: samples are texts.
class DatasetTest : public ::testing::Test {
 protected:
  DatasetTest();

  /// Objects of so many bytes, or just as long as their names.
  void Put(std::size_t count, std::size_t bytes = 0);
  /// The names of all of them, in order.
  [[nodiscard]] const Texts& All() const { return names_; }

  [[nodiscard]] Client MakeClient(const ClientOptions& options) const;
  /// Under `seed` some reads fail, are cut, corrupted or throttled.
  void Disturb(std::uint64_t seed);
  /// How often each did.
  [[nodiscard]] std::map<std::string, std::uint64_t> Disturbances();
  /// Reads of this object stall until Release().
  void Hold(const std::string& name);
  void Release();
  /// Media reads that were answered.
  [[nodiscard]] std::size_t Reads() const;
  void AwaitReads(std::size_t count) const;

  using Decode = std::function<void(const std::string& text)>;
  [[nodiscard]] std::unique_ptr<internal::DatasetCore> Core(bool is_live, const Decode& on_decode = nullptr) const;
  [[nodiscard]] std::unique_ptr<internal::DatasetCore> CoreOf(const Client& client, bool is_live,
                                                              const Decode& on_decode = nullptr) const;
  [[nodiscard]] Cursor Beginning(const EpochOptions& how) const;

  /// What this many concurrent threads receive of an epoch.
  static Texts Epoch(const internal::DatasetCore& core, const EpochOptions& how, std::uint64_t epoch, int workers);
  /// Uses this many batches of the epoch that starts at the cursor, or all that are left. Returns the position
  /// afterwards.
  static Cursor Use(const internal::DatasetCore& core, const EpochOptions& how, const internal::EpochStart& start,
                    std::uint64_t batches, Texts& used);
  static Texts TextsOf(const internal::FinishedBatch& batch);
  static void Add(Texts& all, const Texts& more) { all.insert(all.end(), more.begin(), more.end()); }
  static Texts Sorted(Texts texts);

  /// Entries of a directory.
  static std::size_t CountOf(const std::string& directory);
  void AwaitDescriptors(std::size_t at_most) const;

  emulator::Emulator emulator_{{.journal_size = 100'000}};
  DatasetOptions options_{.download = {}, .listing = {.max_concurrency = 2}};  ///< Of the next Core() or CoreOf().
  std::function<void()> on_make_ = {};  ///< Called before memory is made for a batch.

 private:
  Texts names_;
};

}  // namespace gcsflux::testing
