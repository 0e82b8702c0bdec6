// Files of safetensors. The input is the header's JSON; the data after it is as long as the last offset in it, or one
// byte more. The tensors fill the file, and accepted files can be written and read again.

#include <algorithm>
#include <string>

#include "format_input.h"
#include "formats/bytes/little_endian.h"
#include "formats/safetensors/safetensors.h"
#include "gcsflux/checkpoints/stored_checkpoint.h"

namespace gcsflux::fuzz {
namespace {

void CheckWritten(const SafetensorsHeader& header) {
  SafetensorsContents contents{.metadata = header.metadata};
  for (const SafeTensor& tensor : header.tensors) {
    if (!tensor.dtype) return;
    contents.tensors.push_back({tensor.name, *tensor.dtype, tensor.shape});
  }
  std::string file;
  const TensorWriter zeros = [&](std::size_t tensor, const ByteSink& sink) {
    const std::string bytes(header.tensors[tensor].range.size(), '\0');
    return sink(std::as_bytes(std::span(bytes)));
  };
  const ByteSink sink = [&](std::span<const std::byte> bytes) {
    file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Result<void>();
  };
  Require(WriteSafetensors(contents, zeros, sink).ok(), "what was read can be written");
  const auto again = ReadSafetensorsHeader(SourceOver(file));
  Require(again.ok() && again->tensors.size() == header.tensors.size(), "what was written can be read");
  Require(again->metadata == header.metadata, "metadata stays as it is");
  for (const SafeTensor& tensor : header.tensors) {
    const auto other = std::ranges::find(again->tensors, tensor.name, &SafeTensor::name);
    Require(other != again->tensors.end() && other->shape == tensor.shape && other->type == tensor.type,
            "a tensor stays as it is");
  }
}

void CheckFile(const std::string& file) {
  const ByteSource source = SourceOver(file);
  const auto header = ReadSafetensorsHeader(source);
  if (!header.ok()) return RequireRefusal(header.error());
  std::uint64_t total = 0;
  for (const SafeTensor& tensor : header->tensors) {
    Require(tensor.range.begin <= tensor.range.end && tensor.range.end <= file.size(), "a tensor lies in the file");
    total += tensor.range.size();
  }
  Require(total <= file.size(), "tensors do not overlap");
  if (const auto opened = StoredCheckpoint::Open(source); opened.ok()) {
    for (const StoredTensor& tensor : opened->tensors()) {
      std::string bytes(TensorBytes(tensor.layout), '\0');
      const auto read = opened->ReadTensor(tensor, std::as_writable_bytes(std::span(bytes)));
      if (!read.ok()) RequireRefusal(read.error());
    }
  }
  const auto joined = JoinSlices({&*header, 1});
  if (joined.ok()) Require(joined->size() == header->tensors.size(), "a tensor is there once");
  CheckWritten(*header);
}

// The highest number in the text, if it is small.
std::size_t DataBytes(std::string_view json) {
  std::size_t most = 0;
  std::size_t number = 0;
  for (const char byte : json) {
    number = byte >= '0' && byte <= '9' ? (number * 10 + static_cast<std::size_t>(byte - '0')) % 10'000 : 0;
    most = std::max(most, number);
  }
  return most;
}

void Check(std::string_view json) {
  std::string file;
  internal::AppendLittleEndian(file, std::uint64_t{json.size()});
  file.append(json).append(DataBytes(json), 'd');
  CheckFile(file);
  CheckFile(file + "d");
  CheckFile(std::string(json));
}

}  // namespace
}  // namespace gcsflux::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gcsflux::fuzz::Check(gcsflux::emulator::AsText(data, size));
  return 0;
}
