// The table of a manifest's tensors: its memory is limited, and an accepted table round-trips.

#include <string>

#include "checkpoints/tensor_table.h"
#include "format_input.h"

namespace gcsflux::fuzz {
namespace {

void Check(std::string_view table) {
  constexpr std::uint64_t kMostMemory = 32U << 20;
  const auto tensors = internal::ParseTensorTable(table, kMostMemory);
  if (!tensors) return;
  std::uint64_t memory = 0;
  for (const StepTensor& tensor : *tensors) memory += internal::MemoryOf(tensor);
  Require(memory <= kMostMemory, "the tensors take no more memory than they may");
  Require(internal::FitsIntoTable(*tensors), "what was read can be written");
  const auto again = internal::ParseTensorTable(internal::FormatTensorTable(*tensors));
  Require(again == tensors, "what was written can be read");
}

}  // namespace
}  // namespace gcsflux::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gcsflux::fuzz::Check(gcsflux::emulator::AsText(data, size));
  return 0;
}
