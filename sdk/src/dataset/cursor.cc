#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "base/object_name.h"
#include "dataset/cursor_order.h"
#include "dataset/fingerprint.h"
#include "dataset/given_order.h"
#include "gcsflux/epoch.h"

namespace gcsflux {
namespace {

void NoteDifference(std::vector<std::string>& differences, const std::string& what, const std::string& cursors,
                    const std::string& ours) {
  if (cursors != ours) differences.push_back(what + " is " + cursors + " in the cursor and " + ours + " here");
}

std::string NameOf(SampleOrder order) {
  switch (order) {
    case SampleOrder::kByName: return "by name";
    case SampleOrder::kShuffled: return "shuffled";
    case SampleOrder::kBuffered: return "buffered";
    case SampleOrder::kGiven: return "given";
  }
  return "";
}

Error Refused(const std::vector<std::string>& differences, const std::string& remedy) {
  std::string text = "the cursor is of another run: ";
  for (std::size_t i = 0; i < differences.size(); ++i) text += (i == 0 ? "" : "; ") + differences[i];
  return {ErrorCode::kInvalidArgument, text + "; " + remedy};
}

// The epochs behind it can still be counted.
constexpr std::uint64_t kMaxEpoch = std::numeric_limits<std::int64_t>::max();

Result<void> CheckCursorOrder(const Cursor& cursor, const EpochOptions& options) {
  std::vector<std::string> differences;
  NoteDifference(differences, "the seed", std::to_string(cursor.seed), std::to_string(options.seed));
  NoteDifference(differences, "the order", NameOf(cursor.order), NameOf(options.sample_order()));
  if (differences.empty() && options.sample_order() == SampleOrder::kBuffered) {
    NoteDifference(differences, "the shuffle buffer", std::to_string(cursor.shuffle_buffer),
                   std::to_string(options.shuffle_buffer));
  }
  if (!differences.empty()) return Refused(differences, "set EpochOptions as the cursor says, or edit the cursor");
  if (cursor.epoch <= kMaxEpoch) return {};
  return Error{ErrorCode::kInvalidArgument, "the cursor's epoch is " + std::to_string(cursor.epoch) + ", and at most " +
                                                std::to_string(kMaxEpoch) + "; edit the cursor"};
}

// Nothing if they are the same. Of another prefix nothing else is compared.
std::string DifferenceOf(const ListingFingerprint& cursors, const ListingFingerprint& ours) {
  const std::string here = std::to_string(ours.count);
  const std::string there = std::to_string(cursors.count);
  if (cursors.bucket != ours.bucket || cursors.prefix != ours.prefix) {
    return "the prefix is " + ToUri({cursors.bucket, cursors.prefix}) + " in the cursor and " +
           ToUri({ours.bucket, ours.prefix}) + " here";
  }
  if (cursors.is_partial && !ours.is_partial && cursors.count < ours.count) {
    return "it was saved when " + there + " objects were listed, and cannot be compared with all " + here;
  }
  if (cursors.is_partial && cursors.count > ours.count) {
    return there + " objects were listed when the cursor was saved, and there are " + here + " here";
  }
  if (cursors.count != ours.count) {
    return "the number of objects is " + there + " in the cursor and " + here + " here";
  }
  if (cursors.hash == ours.hash) return "";
  return cursors.is_partial ? "of the first " + there + " objects some have other names or generations"
                            : "objects of the same number have other names or generations";
}

}  // namespace

Result<Cursor> internal::OfWholeListing(Cursor cursor, const EpochOptions& options, const ListingFingerprint& whole,
                                        std::span<const ListedObject> objects) {
  if (!cursor.listing.is_partial) return cursor;
  const ObjectName prefix{whole.bucket, whole.prefix};
  auto first = FingerprintOf(prefix, objects.first(std::min<std::uint64_t>(cursor.listing.count, objects.size())));
  first.is_partial = true;
  auto checked = CheckCursor(cursor, first, options);
  if (!checked) return checked.error();
  cursor.listing = whole;
  return cursor;
}

Result<void> CheckCursor(const Cursor& cursor, const ListingFingerprint& listing, const EpochOptions& options,
                         bool allow_changed_listing) {
  if (auto checked = CheckCursorOrder(cursor, options); !checked) return checked;
  if (allow_changed_listing) return {};
  const std::string difference = DifferenceOf(cursor.listing, listing);
  if (!difference.empty()) return Refused({difference}, "allow a changed listing, or begin without a cursor");
  if (auto prepared = internal::PrepareGiven(options, listing.count, cursor.epoch); !prepared) return prepared;
  if (cursor.order_hash != internal::OrderHashAt(options, cursor.epoch, cursor.consumed)) {
    return Refused({"the given order of epoch " + std::to_string(cursor.epoch) + " was another one"},
                   "give the order that the cursor's run had, or begin without a cursor");
  }
  const std::uint64_t samples = internal::SamplesOfEpoch(options, listing.count, cursor.epoch);
  if (cursor.consumed <= samples) return {};
  return Error{ErrorCode::kInvalidArgument, "the cursor says that " + std::to_string(cursor.consumed) + " samples of " +
                                                std::to_string(samples) + " are consumed"};
}

}  // namespace gcsflux
