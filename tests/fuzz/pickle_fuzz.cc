// Pickles as the record of a file of torch.save: accepted values are within limits, and each writable one round-trips.

#include <string>

#include "format_input.h"
#include "formats/checkpoint_reader.h"
#include "formats/torch_file_writer.h"
#include "formats/zip/zip_writer.h"

namespace gcsflux::fuzz {
namespace {

std::string FileOf(std::string_view pickle, bool has_code) {
  std::string file;
  const ByteSink sink = [&](std::span<const std::byte> bytes) {
    file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Result<void>();
  };
  internal::ZipWriter zip(&sink);
  const auto put = [&](std::string_view name, std::string_view data) {
    const bool is_put = zip.BeginRecord(name, data.size()).ok() && zip.Write(std::as_bytes(std::span(data))).ok();
    Require(is_put, "a record can be written");
  };
  put("x/data.pkl", pickle);
  put("x/data/0", std::string(48, '\1'));
  if (has_code) put("x/constants.pkl", "");
  Require(zip.Finish().ok(), "an archive can be written");
  return file;
}

void CheckWritten(const StoredCheckpoint& file, const pickled::Value& root) {
  TorchFileContents contents{.root = root};
  for (const StoredStorage& storage : file.reader().storages()) contents.storage_bytes.push_back(storage.bytes);
  for (const std::uint64_t bytes : contents.storage_bytes) {
    if (bytes > 4096) return;  // Which the file has not.
  }
  std::string again;
  const StorageWriter zeros = [&](std::size_t storage, const ByteSink& sink) {
    const std::string bytes(contents.storage_bytes[storage], '\0');
    return sink(std::as_bytes(std::span(bytes)));
  };
  const ByteSink sink = [&](std::span<const std::byte> bytes) {
    again.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Result<void>();
  };
  if (!WriteTorchFile(contents, zeros, sink).ok()) return;  // Refused values, and what protocol 2 lacks.
  const auto read = StoredCheckpoint::Open(SourceOver(again));
  Require(read.ok(), "what was written can be opened");
  Require(read->reader().ReadValue().ok() && read->refused().empty(), "what was written can be read");
}

void Check(std::string_view pickle) {
  for (const bool has_code : {false, true}) {
    const std::string bytes = FileOf(pickle, has_code);
    const ByteSource source = SourceOver(bytes);
    const auto file = StoredCheckpoint::Open(source);
    if (!file.ok()) {
      RequireRefusal(file.error());
      continue;
    }
    for (const StoredTensor& tensor : file->tensors()) {
      Require(TouchedBytes(tensor.layout, 48).has_value(), "a tensor lies in its storage");
      const auto count = ElementCount(tensor.layout.shape);
      if (*count > 4096) continue;  // Strides of 0 make many elements of few.
      std::string elements(static_cast<std::size_t>(*count) * ElementBytes(tensor.layout.dtype), '\0');
      const auto read = file->ReadTensor(tensor, std::as_writable_bytes(std::span(elements)));
      Require(read.ok(), "a tensor can be read");
    }
    const auto root = file->reader().ReadValue();
    if (!root.ok()) {
      RequireRefusal(root.error());
    } else if (!has_code) {
      CheckWritten(*file, *root);
    }
  }
}

}  // namespace
}  // namespace gcsflux::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  gcsflux::fuzz::Check(gcsflux::emulator::AsText(data, size));
  return 0;
}
