#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "gcsflux/result.h"

// In which order the samples of a dataset are used, by how many processes, and where a run stands in it. The order is
// computed from the numbers below alone: it is the same for any number of ranks, workers and threads.
namespace gcsflux {

/// The order of an epoch's samples.
enum class SampleOrder {
  kByName,    ///< That of the listing, the same in every epoch.
  kShuffled,  ///< A permutation that seed and epoch determine; it takes no memory.
  /// Each sample is drawn from a buffer of the next EpochOptions::shuffle_buffer names, as seed and epoch determine: a
  /// shuffle that need not wait for the end of the listing. Of an IterableDataset only. Choose it where a listing takes
  /// long and objects near each other by name may come near each other in the epoch.
  kBuffered,
};

/// What becomes of the last samples of an epoch, where they do not fill a batch for every rank.
enum class EpochTail {
  /// They are all used, in smaller batches: the only rule under which each sample is used exactly once. Every rank has
  /// the same number of batches, unless batches have one sample, or the whole rest has fewer samples than there are
  /// ranks: the last ranks then have one batch less, which the others must not wait for.
  kUneven,
  kDrop,  ///< They are left out of this epoch. Choose it where every batch must have the same size.
  /// The batches are filled with samples from the epoch's beginning, which are used twice. Choose it where every batch
  /// must have the same size and none may be left out.
  kPad,
};

/// How an epoch is cut into batches. `rank` of `world_size` processes uses its share of each global batch, which is
/// `world_size` batches of consecutive samples in the epoch's order.
struct EpochOptions {
  SampleOrder order = SampleOrder::kShuffled;
  EpochTail tail = EpochTail::kUneven;
  std::uint64_t shuffle_buffer = 10'000;  ///< Names, under kBuffered; at least 1.
  /// Another order for the same samples. Change it between runs that are to differ; all ranks have the same.
  std::uint64_t seed = 0;
  std::uint64_t batch_size = 1;  ///< Samples of a batch of one rank; at least 1.
  std::uint64_t rank = 0;        ///< Below `world_size`.
  std::uint64_t world_size = 1;
};

/// Tells one listing from another.
struct ListingFingerprint {
  std::string bucket = {};
  std::string prefix = {};
  std::uint64_t count = 0;  ///< Objects.
  std::uint64_t hash = 0;   ///< Over their names and generations, in their order.
  /// The listing was going on: count and hash are of its first objects by name.
  bool is_partial = false;

  friend bool operator==(const ListingFingerprint&, const ListingFingerprint&) = default;
};

/// Where a run stands. A value: save it with the model, and a later run goes on at the next sample, on any number of
/// ranks and with any batch size.
struct Cursor {
  std::uint64_t seed = 0;
  std::uint64_t epoch = 0;     ///< From 0.
  std::uint64_t consumed = 0;  ///< Samples of this epoch that all ranks together have used.
  SampleOrder order = SampleOrder::kShuffled;
  std::uint64_t shuffle_buffer = 0;  ///< Under kBuffered.
  ListingFingerprint listing = {};

  friend bool operator==(const Cursor&, const Cursor&) = default;
};

/// The cursor as JSON, to be read and edited by hand: {"format": 1, "seed": 7, "epoch": 2, "consumed": 1024, ...}.
std::string FormatCursor(const Cursor& cursor);

/// Reads what FormatCursor() wrote. kInvalidArgument, with the field's name: the text was cut off, a field is missing
/// or of another type, or the format is of a newer version than this library knows.
Result<Cursor> ParseCursor(std::string_view text);

/// Whether a run over `listing` with these options can go on at the cursor. kInvalidArgument, with what differs: the
/// listing, the seed or the order is another one, or more is consumed than there is.
///
/// With `allow_changed_listing` another listing is no error. The position is then kept as a number: of this epoch some
/// samples may be used twice and some not at all, and new ones may be missing. From the next epoch on each sample of
/// the new listing is used once.
Result<void> CheckCursor(const Cursor& cursor, const ListingFingerprint& listing, const EpochOptions& options,
                         bool allow_changed_listing = false);

}  // namespace gcsflux
