#pragma once

#include <string>

#include "gcsflux/client.h"
#include "gcsflux/emulator/emulator.h"
#include "gcsflux/torch/storage_error.h"

namespace examples {

/// An emulator in this process with so many objects "train/0", "train/1" and so on, of 10,000 bytes each.
class EmulatedBucket {
 public:
  explicit EmulatedBucket(int objects) {
    const auto client = gcsflux::ValueOrThrow(gcsflux::Client::Create({.endpoint = endpoint(), .project = "examples"}));
    gcsflux::ValueOrThrow(client.InsertBucket(prefix().bucket));
    const std::string content(10'000, 'x');
    for (int i = 0; i < objects; ++i) {
      const gcsflux::ObjectName name{prefix().bucket, prefix().name + std::to_string(i)};
      gcsflux::ValueOrThrow(client.InsertObject(name, gcsflux::AsBytes(content)));
    }
  }

  [[nodiscard]] std::string endpoint() const { return emulator_.endpoint(); }
  [[nodiscard]] gcsflux::ObjectName prefix() const { return {"my-bucket", "train/"}; }

 private:
  gcsflux::emulator::Emulator emulator_;
};

}  // namespace examples
