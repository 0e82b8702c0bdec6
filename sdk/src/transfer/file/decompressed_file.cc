#include "transfer/file/decompressed_file.h"

#include <algorithm>
#include <array>
#include <vector>

#include "client/gunzip.h"

namespace gcsflux::internal {
namespace {

Result<void> Decompress(const PartialFile& stored, std::uint64_t bytes, Gunzip& gunzip, const ByteSink& sink,
                        const std::stop_token& stop) {
  std::vector<std::byte> buffer(std::min<std::uint64_t>(bytes, 1U << 20));
  for (std::uint64_t at = 0; at < bytes; at += buffer.size()) {
    if (stop.stop_requested())
      return Error{ErrorCode::kCancelled, "stopped while '" + stored.path() + "' was unpacked"};
    const auto part = std::span(buffer).first(std::min<std::uint64_t>(bytes - at, buffer.size()));
    const auto got = stored.Read(at, part);
    if (!got) return got.error();
    if (auto written = gunzip.Write(part.first(*got), sink); !written) return written;
  }
  return gunzip.Finish();
}

}  // namespace

bool BeginsAsGzip(const PartialFile& file) {
  std::array<std::byte, 2> magic = {};
  const auto got = file.Read(0, magic);
  return got && *got == magic.size() && magic[0] == std::byte{0x1f} && magic[1] == std::byte{0x8b};
}

Result<void> CommitDecompressed(PartialFile& stored, const PartialFile::CommitOptions& options,
                                const std::stop_token& stop) {
  const auto file = PartialFile::Open(stored.destination(), ".gunzip");
  if (!file) return file.error();
  Gunzip gunzip;
  std::uint64_t written = 0;
  const ByteSink write = [&](std::span<const std::byte> data) -> Result<void> {
    auto done = (*file)->Write(written, data);
    written += data.size();
    return done;
  };
  auto done = (*file)->Clear(/*bytes=*/0);
  if (done) done = Decompress(stored, options.size, gunzip, write, stop);
  if (done) {
    PartialFile::CommitOptions commit = options;
    commit.size = written;
    done = (*file)->Commit(commit);
  }
  done ? stored.Discard() : (*file)->Discard();
  return done;
}

}  // namespace gcsflux::internal
