// Checkpoints of any format, including libtorch's archives: each that opens can be verified, compared with itself and
// converted, or is refused, and no read leaves the file.

#include <algorithm>
#include <string>

#include "format_input.h"
#include "formats/checkpoint_reader.h"
#include "formats/convert_checkpoint.h"

namespace gcsflux::fuzz {
namespace {

constexpr std::uint64_t kMostBytes = 1 << 16;  // Strides of 0 make many elements of few.

void CheckConverted(const StoredCheckpoint& checkpoint, CheckpointFormat format) {
  std::string bytes;
  const ByteSink sink = [&](std::span<const std::byte> piece) {
    bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return Result<void>();
  };
  if (!internal::WriteConverted(checkpoint, format, sink, /*is_tensors_only=*/true).ok()) return;
  const auto converted = StoredCheckpoint::Open(SourceOver(bytes));
  Require(converted.ok(), "what was converted can be opened");
  const auto compared = CompareCheckpoints(checkpoint, *converted);
  if (!compared.ok()) return;  // Two tensors of one name.
  Require(compared->empty() || !checkpoint.refused().empty(), "a conversion keeps all tensors that are read");
}

void Check(std::string_view bytes) {
  const ByteSource source = SourceOver(bytes);
  const internal::OpenShards itself = [&](std::span<const std::string> files,
                                          bool reads_heads) -> Result<std::vector<ByteSource>> {
    return std::vector<ByteSource>(reads_heads ? std::min<std::size_t>(files.size(), 1) : files.size(), source);
  };
  const auto checkpoint = internal::OpenFileOrIndex(source, itself);
  if (!checkpoint.ok()) return RequireRefusal(checkpoint.error());
  for (const StoredTensor& tensor : checkpoint->tensors()) {
    const std::uint64_t storage = checkpoint->reader().storages()[tensor.layout.storage].bytes;
    Require(TouchedBytes(tensor.layout, storage).has_value(), "a tensor lies in its storage");
    if (TensorBytes(tensor.layout) > kMostBytes) return;
  }
  const auto verified = VerifyCheckpoint(*checkpoint);
  Require(verified.ok(), "damage does not end a verification");
  Require(verified->size() == checkpoint->reader().storages().size(), "all storages are verified");
  for (const VerifiedStorage& storage : *verified) {
    if (storage.damage) return;
  }
  if (checkpoint->reader().HasValues()) {
    if (const auto values = checkpoint->reader().ReadValue(); !values.ok()) RequireRefusal(values.error());
  }
  CheckConverted(*checkpoint, CheckpointFormat::kSafetensors);
  CheckConverted(*checkpoint, CheckpointFormat::kTorchFile);
}

}  // namespace
}  // namespace gcsflux::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gcsflux::fuzz::Check(gcsflux::emulator::AsText(data, size));
  return 0;
}
