#include "checkpoints/state_file.h"

#include <string>
#include <utility>

#include "base/crc32c.h"
#include "formats/bytes/tensor_layout.h"
#include "formats/state_json.h"
#include "formats/torch_file_writer.h"

namespace gcsflux::internal {
namespace {

// Where a storage lies in the file, and its checksum.
struct Placed {
  std::uint64_t begin = 0;
  std::uint32_t crc32c = 0;
};

StepTensor TensorAt(const NamedLayout& tensor, const FileRange& touched, const Placed& placed,
                    std::span<const std::byte> storage) {
  const TensorLayout& layout = *tensor.layout;
  const bool is_whole = touched.size() == storage.size();
  StepTensor at{.name = tensor.name,
                .range = {placed.begin + touched.begin, placed.begin + touched.end},
                .dtype = layout.dtype,
                .shape = layout.shape};
  if (!IsContiguous(layout)) at.strides = layout.strides;
  at.crc32c = is_whole ? placed.crc32c : ExtendCrc32c(0, storage.subspan(touched.begin, touched.size()));
  return at;
}

}  // namespace

Result<void> WriteStateFile(const StateContents& contents, const ByteSink& sink, std::vector<StepTensor>& tensors) {
  TorchFileContents file{.root = contents.root};
  for (const auto storage : contents.storages) file.storage_bytes.push_back(storage.size());
  std::uint64_t position = 0;
  const ByteSink counting = [&](std::span<const std::byte> bytes) {
    position += bytes.size();
    return sink(bytes);
  };
  std::vector<Placed> placed(contents.storages.size());
  const StorageWriter write_storage = [&](std::size_t index, const ByteSink& into) {
    const auto storage = contents.storages[index];
    placed[index] = {.begin = position, .crc32c = ExtendCrc32c(0, storage)};
    return into(storage);
  };
  if (auto written = WriteTorchFile(file, write_storage, counting); !written) return written;
  for (const NamedLayout& tensor : NamedLayouts(contents.root)) {
    const auto storage = contents.storages[tensor.layout->storage];
    const auto touched = TouchedBytes(*tensor.layout, storage.size());
    if (touched) tensors.push_back(TensorAt(tensor, *touched, placed[tensor.layout->storage], storage));
  }
  return {};
}

}  // namespace gcsflux::internal
