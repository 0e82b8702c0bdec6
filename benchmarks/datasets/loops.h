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

// Loops over all of a bucket's objects, epoch after epoch, each in its own way. Each way is ready when it is made, and
// an epoch of it is what is measured. An epoch returns what went wrong, or nothing.
namespace gcsflux::bench {

/// What a loop is over.
struct LoopInput {
  Client client;
  std::string endpoint;
  std::vector<ListedObject> objects;
  EpochOptions epochs = {};
  DatasetOptions dataset = {};
  int workers = 4;  ///< Of libtorch's DataLoader.
};

/// A batch, as the loop has it in its hands: the bytes of its samples.
using OnBatch = std::function<void(std::span<const std::span<const std::byte>> samples)>;

class Loop {
 public:
  virtual ~Loop() = default;
  /// One epoch. An empty text is success: as many samples came as there are.
  virtual std::string Epoch(const OnBatch& on_batch) = 0;
};

/// A thread per connection, each with a bare libcurl handle and CRC32C, takes the next object. It makes no batches.
std::unique_ptr<Loop> BareLoop(const LoopInput& input, int connections);
/// Our own DownloadStream over the epoch's order, in that order.
std::unique_ptr<Loop> StreamLoop(const LoopInput& input);
/// MapDataset with an EpochSampler in libtorch's DataLoader.
std::unique_ptr<Loop> MapLoop(const LoopInput& input);
/// `for (auto& batch : dataset.Epoch())`.
std::unique_ptr<Loop> IterableLoop(const LoopInput& input);

enum Way { kBare, kStream, kMap, kIterable };
/// `connections` is of the bare loop; the others have what the options say.
std::unique_ptr<Loop> MakeLoop(Way way, const LoopInput& input, int connections);

/// Whether an epoch's samples are as listed, by their CRC32C; empty, or what is wrong. For all but the bare loop, which
/// compares them itself.
std::string Verify(Loop& loop, std::span<const ListedObject> objects);

}  // namespace gcsflux::bench
