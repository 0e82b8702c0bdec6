#pragma once

#include <torch/data/example.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "gcsflux/dataset.h"
#include "gcsflux/epoch.h"
#include "images/job.h"

namespace examples {

/// An image file that was read.
struct ImageFile {
  std::string name;  ///< For messages: where it is.
  std::string path;  ///< "<class>/<name>.png"
  std::span<const std::byte> bytes;
};

/// What the network gets of an image, and what it should say. A batch is the same with one more dimension.
using Sample = torch::data::Example<>;
using DecodeSample = std::function<Sample(const ImageFile& file, const gcsflux::SampleContext& context)>;

/// Batches of this rank's samples, epoch after epoch.
class SampleSource {
 public:
  virtual ~SampleSource() = default;
  /// Nothing at the end of an epoch; the call after that begins the next one.
  virtual std::optional<Sample> Next() = 0;
  /// Behind the last batch.
  [[nodiscard]] virtual gcsflux::Cursor cursor() const = 0;
};

/// The images to train on, as --shards, --style and --local_dir say, from the cursor on.
std::unique_ptr<SampleSource> OpenTraining(const Job& job, const DecodeSample& decode,
                                           const std::optional<gcsflux::Cursor>& cursor);
/// The images of test/, by name.
std::unique_ptr<SampleSource> OpenTest(const Job& job, const DecodeSample& decode);

/// The files of a folder, read by libtorch's own DataLoader with two workers.
std::unique_ptr<SampleSource> OpenLocalFiles(const std::string& folder, const DecodeSample& decode,
                                             const gcsflux::EpochOptions& epochs,
                                             const std::optional<gcsflux::Cursor>& cursor);

/// "single objects", "shards" or "local files", for figures.
std::string SourceName();

}  // namespace examples
