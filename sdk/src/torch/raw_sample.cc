#include <torch/data/example.h>
#include <torch/types.h>

#include "gcsflux/torch/dataset_handle.h"

namespace gcsflux::internal {
namespace {

torch::Tensor TensorOf(DownloadedObject& downloaded, bool copy_out) {
  const auto size = static_cast<std::int64_t>(downloaded.bytes.size());
  if (size == 0) return torch::empty({0}, torch::kUInt8);
  // libtorch's views need writable memory; this memory belongs only to this sample.
  auto view = torch::from_blob(
      downloaded.memory.get(), {size}, [memory = downloaded.memory](void*) {}, torch::kUInt8);
  return copy_out ? view.clone() : view;
}

}  // namespace

SampleMaker RawSamples(bool copy_out) {
  using Sample = torch::data::TensorExample;
  return {.make = [](std::size_t samples) { return std::make_shared<Places<Sample>>(samples); },
          .decode =
              [copy_out](void* batch, std::size_t place, const ListedObject&, DownloadedObject& downloaded,
                         const SampleContext&) {
                (*static_cast<Places<Sample>*>(batch))[place] = Sample(TensorOf(downloaded, copy_out));
                return static_cast<std::uint64_t>(downloaded.bytes.size());
              },
          .is_instant = !copy_out};
}

}  // namespace gcsflux::internal
