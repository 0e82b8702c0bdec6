#include "formats/torch_file_writer.h"

#include <string>

#include "formats/pickle/pickle_writer.h"
#include "formats/zip/zip_writer.h"

namespace gcsflux {
namespace {

using internal::ZipWriter;

constexpr std::string_view kFolder = "archive/";

Result<void> PutText(ZipWriter& zip, const std::string& name, std::string_view text) {
  if (auto begun = zip.BeginRecord(std::string(kFolder) + name, text.size()); !begun) return begun;
  return zip.Write(std::as_bytes(std::span(text)));
}

}  // namespace

Result<void> WriteTorchFile(const TorchFileContents& contents, const StorageWriter& write_storage,
                            const ByteSink& sink) {
  ZipWriter zip(&sink);
  const ByteSink data = [&zip](std::span<const std::byte> bytes) { return zip.Write(bytes); };
  const auto pickle = internal::WritePickle(contents.root, contents.storage_bytes);
  if (!pickle) return pickle.error();
  if (auto put = PutText(zip, "data.pkl", *pickle); !put) return put;
  if (auto put = PutText(zip, "byteorder", "little"); !put) return put;
  for (std::size_t i = 0; i < contents.storage_bytes.size(); ++i) {
    const std::string name = std::string(kFolder) + "data/" + std::to_string(i);
    if (auto begun = zip.BeginRecord(name, contents.storage_bytes[i]); !begun) return begun;
    if (auto put = write_storage(i, data); !put) return put;
  }
  if (auto put = PutText(zip, "version", "3\n"); !put) return put;
  return zip.Finish();
}

}  // namespace gcsflux
