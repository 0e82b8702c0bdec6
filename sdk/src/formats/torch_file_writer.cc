#include <string>

#include "formats/pickle/pickle_writer.h"
#include "formats/zip/zip_writer.h"
#include "gcsflux/checkpoints/torch_file.h"

namespace gcsflux {
namespace {

using internal::ZipWriter;

constexpr std::string_view kFolder = "archive/";

Result<void> PutText(ZipWriter& zip, const std::string& name, std::string_view text) {
  if (auto begun = zip.BeginRecord(std::string(kFolder) + name, text.size()); !begun) return begun;
  return zip.Write(std::as_bytes(std::span(text)));
}

// `put_storage` writes the bytes of one storage, whose record is open, to the archive.
template <class PutStorage>
Result<void> WriteRecords(ZipWriter& zip, const TorchFileContents& contents, PutStorage put_storage) {
  const auto pickle = internal::WritePickle(contents.root, contents.storage_bytes);
  if (!pickle) return pickle.error();
  if (auto put = PutText(zip, "data.pkl", *pickle); !put) return put;
  if (auto put = PutText(zip, "byteorder", "little"); !put) return put;
  for (std::size_t i = 0; i < contents.storage_bytes.size(); ++i) {
    const std::string name = std::string(kFolder) + "data/" + std::to_string(i);
    if (auto begun = zip.BeginRecord(name, contents.storage_bytes[i]); !begun) return begun;
    if (auto put = put_storage(i); !put) return put;
  }
  if (auto put = PutText(zip, "version", "3\n"); !put) return put;
  return zip.Finish();
}

}  // namespace

Result<void> WriteTorchFile(const TorchFileContents& contents, const StorageWriter& write_storage,
                            const ByteSink& sink) {
  ZipWriter zip(&sink);
  const ByteSink data = [&zip](std::span<const std::byte> bytes) { return zip.Write(bytes); };
  return WriteRecords(zip, contents, [&](std::size_t storage) { return write_storage(storage, data); });
}

Result<std::uint64_t> TorchFileBytes(const TorchFileContents& contents) {
  ZipWriter zip(nullptr);
  const auto written = WriteRecords(zip, contents, [&](std::size_t storage) {
    zip.SkipData(contents.storage_bytes[storage]);
    return Result<void>();
  });
  if (!written) return written.error();
  return zip.bytes();
}

}  // namespace gcsflux
