#include <string>
#include <vector>

#include "base/object_name.h"
#include "dataset/cursor_order.h"
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
  }
  return "";
}

Error Refused(const std::vector<std::string>& differences, const std::string& remedy) {
  std::string text = "the cursor is of another run: ";
  for (std::size_t i = 0; i < differences.size(); ++i) text += (i == 0 ? "" : "; ") + differences[i];
  return {ErrorCode::kInvalidArgument, text + "; " + remedy};
}

}  // namespace

namespace internal {

Result<void> CheckCursorOrder(const Cursor& cursor, const EpochOptions& options) {
  std::vector<std::string> differences;
  NoteDifference(differences, "the seed", std::to_string(cursor.seed), std::to_string(options.seed));
  NoteDifference(differences, "the order", NameOf(cursor.order), NameOf(options.order));
  if (differences.empty() && options.order == SampleOrder::kBuffered) {
    NoteDifference(differences, "the shuffle buffer", std::to_string(cursor.shuffle_buffer),
                   std::to_string(options.shuffle_buffer));
  }
  if (differences.empty()) return {};
  return Refused(differences, "set EpochOptions as the cursor says, or edit the cursor");
}

}  // namespace internal

Result<void> CheckCursor(const Cursor& cursor, const ListingFingerprint& listing, const EpochOptions& options,
                         bool allow_changed_listing) {
  if (auto checked = internal::CheckCursorOrder(cursor, options); !checked) return checked;
  if (allow_changed_listing) return {};
  std::vector<std::string> differences;
  NoteDifference(differences, "the prefix", ToUri({cursor.listing.bucket, cursor.listing.prefix}),
                 ToUri({listing.bucket, listing.prefix}));
  NoteDifference(differences, "the number of objects", std::to_string(cursor.listing.count),
                 std::to_string(listing.count));
  if (differences.empty() && cursor.listing.hash != listing.hash) {
    differences.emplace_back("objects of the same number have other names or generations");
  }
  if (!differences.empty()) {
    return Refused(differences, "allow a changed listing, or begin without a cursor");
  }
  if (cursor.consumed <= listing.count) return {};
  return Error{ErrorCode::kInvalidArgument, "the cursor says that " + std::to_string(cursor.consumed) + " samples of " +
                                                std::to_string(listing.count) + " are consumed"};
}

}  // namespace gcsflux
