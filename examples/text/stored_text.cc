#include "text/stored_text.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <future>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "gcsflux/torch/storage_error.h"
#include "gcsflux/upload.h"
#include "text/network.h"

namespace {

namespace fs = std::filesystem;

constexpr int kUploads = 16;  // At a time.
constexpr std::size_t kPieceBytes = kContext + 1;

struct NewPiece {
  gcsflux::ObjectName object;
  std::string text;
};

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return text;
}

std::vector<fs::path> FilesIn(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    if (entry.is_regular_file() && !entry.is_symlink()) files.push_back(entry.path());
  }
  if (error) throw std::runtime_error("cannot read " + directory.string() + ": " + error.message());
  std::sort(files.begin(), files.end());
  return files;
}

// Each piece begins with the last character of the one before it, so that each character but the first is asked for.
std::vector<NewPiece> PiecesOf(const gcsflux::ObjectName& folder, const fs::path& directory) {
  std::vector<NewPiece> pieces;
  for (const fs::path& path : FilesIn(directory)) {
    const std::string text = ReadFile(path);
    for (std::size_t i = 0; (i + 1) * kContext < text.size(); ++i) {
      const std::string digits = std::to_string(i);
      const std::string number = std::string(5 - std::min<std::size_t>(digits.size(), 5), '0') + digits;
      pieces.push_back({{folder.bucket, folder.name + path.filename().string() + "/" + number + ".txt"},
                        text.substr(i * kContext, kPieceBytes)});
    }
  }
  if (pieces.empty()) {
    throw std::runtime_error(directory.string() + " has no text of " + std::to_string(kPieceBytes) +
                             " characters; name another directory with --text_dir");
  }
  return pieces;
}

}  // namespace

std::size_t StoreText(const gcsflux::Client& client, const gcsflux::ObjectName& folder,
                      const std::filesystem::path& directory) {
  std::vector<NewPiece> missing = PiecesOf(folder, directory);
  std::set<std::string> present;
  for (auto& object : gcsflux::ValueOrThrow(gcsflux::ListPrefix(client, folder)).objects) {
    present.insert(std::move(object.name));
  }
  std::erase_if(missing, [&](const NewPiece& piece) { return present.contains(piece.object.name); });

  std::atomic<std::size_t> next = 0;
  const auto upload_what_is_next = [&] {
    for (std::size_t i = next++; i < missing.size(); i = next++) {
      gcsflux::ValueOrThrow(gcsflux::UploadObject(client, missing[i].object, gcsflux::AsBytes(missing[i].text),
                                                  {.attributes = {.content_type = "text/plain"}}));
    }
  };
  std::vector<std::future<void>> uploads;
  for (int i = 0; i < kUploads; ++i) uploads.push_back(std::async(std::launch::async, upload_what_is_next));
  for (auto& upload : uploads) upload.wait();
  for (auto& upload : uploads) upload.get();  // Throws what the upload threw.
  return missing.size();
}

TextPiece DecodePiece(const gcsflux::ListedObject& object, std::span<const std::byte> bytes) {
  if (bytes.size() != kPieceBytes) {
    throw std::runtime_error("a piece of text has " + std::to_string(kPieceBytes) + " characters, not " +
                             std::to_string(bytes.size()));
  }
  TextPiece piece{object.name, torch::empty({kContext + 1}, torch::kInt64)};
  auto* const into = piece.characters.data_ptr<std::int64_t>();
  std::transform(bytes.begin(), bytes.end(), into, [](std::byte one) { return std::to_integer<std::int64_t>(one); });
  return piece;
}
