#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "gcsflux/client.h"

namespace gcsflux::bench {

/// An IterableDataset by name, which lists while it is read.
class FirstBatch {
 public:
  FirstBatch(const Client& client, const ObjectName& prefix, std::size_t batch);
  ~FirstBatch();
  FirstBatch(const FirstBatch&) = delete;
  FirstBatch& operator=(const FirstBatch&) = delete;

  /// Waits for the first batch of an epoch. Returns an error, or nothing.
  [[nodiscard]] std::string Get() const;

 private:
  struct Dataset;
  std::unique_ptr<Dataset> dataset_;
};

}  // namespace gcsflux::bench
