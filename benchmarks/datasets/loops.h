#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gcsflux/client.h"
#include "gcsflux/dataset.h"
#include "gcsflux/epoch.h"
#include "gcsflux/listing.h"

// Loops over all objects of a bucket, epoch after epoch, one for each way. A way is ready when it is made; an epoch of
// it is measured. An epoch returns an error, or nothing.
namespace gcsflux::bench {

/// The objects of a loop.
struct LoopInput {
  Client client;
  std::string endpoint;
  std::vector<ListedObject> objects;
  EpochOptions epochs = {};
  DatasetOptions dataset = {};
  int workers = 4;  ///< Of libtorch's DataLoader.
};

/// A batch as the loop receives it: the bytes of its samples.
using OnBatch = std::function<void(std::span<const std::span<const std::byte>> samples)>;

class Loop {
 public:
  virtual ~Loop() = default;
  /// One epoch. An empty text is success: each sample arrived once.
  virtual std::string Epoch(const OnBatch& on_batch) = 0;
};

/// A thread per connection, each with a bare libcurl handle and CRC32C, fetches the next object. It makes no batches.
std::unique_ptr<Loop> BareLoop(const LoopInput& input, int connections);
/// Our own DownloadStream over the epoch's order, in that order.
std::unique_ptr<Loop> StreamLoop(const LoopInput& input);
/// MapDataset with an EpochSampler in libtorch's DataLoader.
std::unique_ptr<Loop> MapLoop(const LoopInput& input);
/// `for (auto& batch : dataset.Epoch())`.
std::unique_ptr<Loop> IterableLoop(const LoopInput& input);

enum Way { kBare, kStream, kMap, kIterable };
/// `connections` is for the bare loop; the others use the options.
std::unique_ptr<Loop> MakeLoop(Way way, const LoopInput& input, int connections);

/// Whether an epoch's samples are as listed, by their CRC32C; empty, or an error. For all but the bare loop, which
/// compares them itself.
std::string Verify(Loop& loop, std::span<const ListedObject> objects);

}  // namespace gcsflux::bench
