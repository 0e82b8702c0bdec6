// What one object takes: UploadOptionsFromFlags and ObjectReaderOptionsFromFlags.
#include <gflags/gflags.h>

#include "flags/flag_values.h"
#include "gcsflux/flags.h"

DECLARE_int32(max_concurrency);

DEFINE_string(
    write_path, "auto",
    "How an object of more than one part is written: auto (as parts at the same time, where the bucket and the "
    "caller's permissions allow that), parallel (as parts, without asking first: saves two requests) or one_stream "
    "(over one connection, with nothing temporary). Set it to one_stream where no temporary object may be.");
DEFINE_int64(part_bytes, 16LL << 20,
             "Bytes of one part, at least 5 MiB; it doubles after each 1,250 parts. Raise it for long, fast networks, "
             "lower it where memory is short.");
DEFINE_int64(part_memory_bytes, 256LL << 20,
             "Memory for the part that is being filled and those in flight. A writer that is faster waits. Raise it "
             "where connections idle, lower it where memory is short.");
DEFINE_int32(upload_max_concurrency, 16,
             "Parts that are sent at the same time, at most. Raise it until the network is full; each takes a "
             "connection.");
DEFINE_int64(upload_chunk_bytes, 16LL << 20,
             "Bytes in one request of an upload, rounded up to a multiple of 256 KiB; this much memory is "
             "held. Raise it for long, fast connections. Lower it if memory is short.");
DEFINE_int64(
    read_ahead_bytes, 256LL << 20,
    "What is fetched of one object before it is asked for, at most. Raise it where first bytes are slow, lower "
    "it where memory is short.");

namespace gcsflux {

using internal::CheckFlag;
using internal::WrongFlag;

namespace {

constexpr internal::NamedValue<WritePath> kWritePaths[] = {
    {"auto", WritePath::kAuto}, {"parallel", WritePath::kParallel}, {"one_stream", WritePath::kOneStream}};

}  // namespace

Result<UploadOptions> UploadOptionsFromFlags() {
  if (auto checked = CheckFlag("upload_chunk_bytes", static_cast<double>(FLAGS_upload_chunk_bytes)); !checked)
    return checked.error();
  const auto path = internal::ValueNamed("write_path", FLAGS_write_path, kWritePaths);
  if (!path) return path.error();
  if (auto checked = CheckFlag("part_bytes", static_cast<double>(FLAGS_part_bytes)); !checked) return checked.error();
  if (FLAGS_part_memory_bytes < FLAGS_part_bytes) {
    return WrongFlag("flag --part_memory_bytes must be at least --part_bytes");
  }
  if (auto checked = CheckFlag("upload_max_concurrency", FLAGS_upload_max_concurrency); !checked)
    return checked.error();
  return UploadOptions{.chunk_bytes = static_cast<std::size_t>(FLAGS_upload_chunk_bytes),
                       .part_bytes = static_cast<std::size_t>(FLAGS_part_bytes),
                       .part_memory_bytes = static_cast<std::uint64_t>(FLAGS_part_memory_bytes),
                       .max_concurrency = FLAGS_upload_max_concurrency,
                       .path = *path};
}

Result<ObjectReaderOptions> ObjectReaderOptionsFromFlags() {
  if (auto checked = CheckFlag("max_concurrency", FLAGS_max_concurrency); !checked) return checked.error();
  if (auto checked = CheckFlag("read_ahead_bytes", static_cast<double>(FLAGS_read_ahead_bytes)); !checked)
    return checked.error();
  return ObjectReaderOptions{.max_concurrency = FLAGS_max_concurrency,
                             .read_ahead_bytes = static_cast<std::uint64_t>(FLAGS_read_ahead_bytes)};
}

}  // namespace gcsflux
