#pragma once

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "support/lying_service.h"
#include "support/upload_case.h"

// Every way in which the SDK reads or writes an object, each under the column of the table with its required results
// when the service lies. A new way is a new path here, and meets every lie.
namespace gcsflux::testing {

/// The promises of a path. The rows of the table in lies_test.cc have one letter for each, in this order.
enum class Column {
  kWhole,          ///< An object is read in one request, at any generation.
  kPinned,         ///< The same of one generation.
  kListed,         ///< The same, and a listing has given its CRC32C.
  kRange,          ///< A part of an object, of any generation.
  kPinnedRange,    ///< The same of one generation.
  kStripes,        ///< The whole in several ranges, without a CRC32C of a listing.
  kListedStripes,  ///< The same with one.
  kSmallFile,      ///< Into a file, in one range; listed.
  kFile,           ///< Into a file, in several ranges; listed.
  kUnlistedFile,   ///< The same without a CRC32C of a listing.
  kLookedUp,       ///< Its metadata is read first; then as kSmallFile.
  kCatTwo,         ///< Its metadata is read first; then as kListed, twice.
  kComposed,       ///< Through a composite, and directly if that fails.
  kGet,            ///< Metadata, or a change of it, or an object made of others, at any generation.
  kPinnedGet,      ///< The same of one generation.
  kRewrite,
  kUpload,  ///< In one request.
  kSession,
  kMultipart,
  kCount,
};

struct Outcome {
  Result<void> result = {};
  /// By ReadSummary::is_verified, where the path has one.
  std::optional<bool> is_verified = {};
};

struct Path {
  std::string name = {};
  Column column = Column::kWhole;
  std::function<Outcome(const Client& client, const LyingService& service)> run = {};
  /// A separate program: it has another client, and only reports whether it succeeded.
  bool is_command = false;
};
inline void PrintTo(const Path& path, std::ostream* out) { *out << path.name; }

std::vector<Path> ReadPaths();
std::vector<Path> WritePaths();
std::vector<Path> CommandPaths();

/// The object that the service stores before each path.
inline std::string Content() { return Pattern(300); }
/// kLocalIo if they are not those: no path ends so by itself.
inline Result<void> CheckContent(std::string_view bytes) {
  if (bytes == Content()) return {};
  return Error{ErrorCode::kLocalIo, "the path has succeeded with wrong bytes"};
}

}  // namespace gcsflux::testing
