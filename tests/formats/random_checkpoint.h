#pragma once

#include <random>
#include <string>
#include <vector>

#include "formats/checkpoint_reader.h"
#include "formats/torch_file_writer.h"

namespace gcsflux::formats_tests {

/// A random value with tensors, and their storages' bytes: any content of a file of torch.save.
struct RandomCheckpoint {
  TorchFileContents contents;
  std::vector<std::string> storages;
};
RandomCheckpoint MakeRandomCheckpoint(unsigned seed);

/// The file that WriteTorchFile() makes of it.
std::string FileOf(const RandomCheckpoint& checkpoint);

/// The value with the storages' numbers that the writer received: readers number them in the order of reading.
pickled::Value WithWrittenStorages(const StoredCheckpoint& file, pickled::Value value);

}  // namespace gcsflux::formats_tests
