#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gcsflux::cli {

/// How far a command is. A value.
struct TransferCounts {
  std::uint64_t objects = 0;      ///< That there are to copy, those to be skipped not among them.
  std::uint64_t bytes = 0;        ///< Theirs.
  std::uint64_t copied = 0;       ///< Objects that are complete.
  std::uint64_t moved_bytes = 0;  ///< That moved, those of objects that are not complete too.
  std::uint64_t kept_bytes = 0;   ///< That an earlier, interrupted command had moved.
  std::uint64_t skipped = 0;      ///< Objects that were there.
  std::uint64_t failed = 0;
  std::uint64_t deleted = 0;
};

/// "12.3 MB": decimal units, three digits.
std::string BytesText(double bytes);

/// The text with '?' for what would steer a terminal: names come from others.
std::string Printable(std::string text);

/// What a terminal shows while it goes on, in at most `columns` columns, without a line's end.
std::string ProgressLine(const TransferCounts& counts, double seconds, std::size_t columns);

/// The same of something of which nobody knows how much there is: "listing, 123456 objects, 51000/s, 0:02".
std::string ProgressLine(const std::string& doing, std::uint64_t objects, double seconds, std::size_t columns);

/// What is said at the end, in one line.
std::string SummaryLine(const TransferCounts& counts, double seconds);

/// The same of a listing: "listed 123456 objects in 2.4 s (51000/s)".
std::string ListedLine(std::uint64_t objects, double seconds);

/// Of a dry run.
std::string DryRunLine(const TransferCounts& counts);

}  // namespace gcsflux::cli
