#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gcsflux::cli {

/// The progress of a command. A value.
struct TransferCounts {
  std::uint64_t objects = 0;      ///< Objects to copy, without those to skip.
  std::uint64_t bytes = 0;        ///< Their bytes.
  std::uint64_t copied = 0;       ///< Complete objects.
  std::uint64_t moved_bytes = 0;  ///< Bytes moved, also of objects that are not complete.
  std::uint64_t kept_bytes = 0;   ///< Bytes that an earlier, interrupted command had moved.
  std::uint64_t skipped = 0;      ///< Objects that existed.
  std::uint64_t failed = 0;
  std::uint64_t deleted = 0;
};

/// "12.3 MB": decimal units, three digits.
std::string BytesText(double bytes);

/// "1 tensor", "3 tensors".
std::string Count(std::uint64_t count, const std::string& one);

/// The text with '?' for control characters: names come from outside.
std::string Printable(std::string text);

/// The line that a terminal shows during the command, of at most `columns` columns, without a line end.
std::string ProgressLine(const TransferCounts& counts, double seconds, std::size_t columns);

/// The same without a known total: "listing, 123456 objects, 51000/s, 0:02".
std::string ProgressLine(const std::string& doing, std::uint64_t objects, double seconds, std::size_t columns);

/// The summary at the end, in one line.
std::string SummaryLine(const TransferCounts& counts, double seconds);

/// The summary of a listing: "listed 123456 objects in 2.4 s (51000/s)".
std::string ListedLine(std::uint64_t objects, double seconds);

/// The summary of a dry run.
std::string DryRunLine(const TransferCounts& counts);

}  // namespace gcsflux::cli
