// .metadata of PyTorch's distributed checkpoints: what is accepted agrees with itself, and round-trips.

#include <string>

#include "format_input.h"
#include "formats/bytes/boxes.h"
#include "formats/bytes/relative_path.h"
#include "formats/distributed/distributed_metadata.h"

namespace gcsflux::fuzz {
namespace {

void CheckTensor(const internal::DistributedMetadata& metadata, const internal::DistributedTensor& tensor) {
  std::uint64_t elements = 0;
  for (const internal::DistributedChunk& chunk : tensor.chunks) {
    Require(internal::IsWithin({chunk.offsets, chunk.sizes}, tensor.shape), "a slice lies within its tensor");
    Require(chunk.item.file < metadata.files.size(), "a slice lies in a file");
    const std::uint64_t count = ElementCount(chunk.sizes).value_or(0);
    Require(count > 0 && count <= chunk.item.range.size() / ElementBytes(tensor.dtype), "a slice fits into its place");
    elements += count;
  }
  Require(elements == ElementCount(tensor.shape), "the slices make a whole");
}

void Check(std::string_view bytes) {
  const auto metadata = internal::ParseDistributedMetadata(std::string(bytes), "input");
  if (!metadata.ok()) return RequireRefusal(metadata.error());
  for (const std::string& file : metadata->files) Require(internal::IsBelowFolder(file), "a file is in the folder");
  for (const auto& tensor : metadata->tensors) CheckTensor(*metadata, tensor);
  const auto written = internal::FormatDistributedMetadata(*metadata);
  if (!written.ok()) return;  // A name that is not UTF-8.
  const auto again = internal::ParseDistributedMetadata(*written, "input");
  Require(again.ok(), "what was written can be read");
  Require(*internal::FormatDistributedMetadata(*again) == *written || again->files != metadata->files,
          "what was read again is the same");  // Files that only refused tensors have are left out.
}

}  // namespace
}  // namespace gcsflux::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gcsflux::fuzz::Check(gcsflux::emulator::AsText(data, size));
  return 0;
}
