// What one object takes: UploadOptionsFromFlags and ObjectReaderOptionsFromFlags.
#include <gflags/gflags.h>

#include "flags/flag_values.h"
#include "gcsflux/flags.h"

DEFINE_string(
    write_path, "auto",
    "How an object of more than one part is written: auto (as parts at the same time, where the bucket and the "
    "caller's permissions allow that), parallel (as parts, without asking first: saves two requests) or one_stream "
    "(over one connection, with nothing temporary). Set it to one_stream where no temporary object may be.");
DEFINE_int64(part_bytes, gcsflux::internal::AsInt64(gcsflux::UploadOptions().part_bytes),
             "Bytes of one part, at least 5 MiB; it doubles after each 1,250 parts. Raise it for long, fast networks, "
             "lower it where memory is short.");
DEFINE_int64(part_memory_bytes, gcsflux::internal::AsInt64(gcsflux::UploadOptions().part_memory_bytes),
             "Memory for the part that is being filled and those in flight. A writer that is faster waits. Raise it "
             "where connections idle, lower it where memory is short.");
DEFINE_int32(upload_max_concurrency, gcsflux::UploadOptions().max_concurrency,
             "Parts that are sent at the same time, at most. Raise it until the network is full; each takes a "
             "connection.");
DEFINE_int64(upload_chunk_bytes, gcsflux::internal::AsInt64(gcsflux::UploadOptions().chunk_bytes),
             "Bytes in one request of an upload, rounded up to a multiple of 256 KiB; this much memory is "
             "held. Raise it for long, fast connections. Lower it if memory is short.");
DEFINE_int64(
    read_ahead_bytes, gcsflux::internal::AsInt64(gcsflux::ObjectReaderOptions().read_ahead_bytes),
    "What is fetched of one object before it is asked for, at most. Raise it where first bytes are slow, lower "
    "it where memory is short.");

namespace gcsflux {
namespace {

constexpr internal::NamedValue<WritePath> kWritePaths[] = {
    {"auto", WritePath::kAuto}, {"parallel", WritePath::kParallel}, {"one_stream", WritePath::kOneStream}};

}  // namespace

Result<UploadOptions> UploadOptionsFromFlags() {
  UploadOptions options;
  if (auto read = internal::ReadNamed("write_path", options.path, kWritePaths); !read) return read.error();
  auto read = internal::ReadFlags({{"upload_chunk_bytes", &options.chunk_bytes},
                                   {"part_bytes", &options.part_bytes},
                                   {"part_memory_bytes", &options.part_memory_bytes},
                                   {"upload_max_concurrency", &options.max_concurrency}});
  if (!read) return read.error();
  if (options.part_memory_bytes >= options.part_bytes) return options;
  return internal::WrongFlag("flag --part_memory_bytes must be at least --part_bytes");
}

Result<ObjectReaderOptions> ObjectReaderOptionsFromFlags() {
  ObjectReaderOptions options;
  auto read = internal::ReadFlags(
      {{"max_concurrency", &options.max_concurrency}, {"read_ahead_bytes", &options.read_ahead_bytes}});
  if (!read) return read.error();
  return options;
}

}  // namespace gcsflux
