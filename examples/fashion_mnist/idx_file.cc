#include "fashion_mnist/idx_file.h"

#include <zlib.h>

#include <array>
#include <memory>
#include <stdexcept>

namespace {

// An IDX file: a magic number (0, 0, 8 for bytes, dimensions), each dimension's size, all big-endian, then the bytes.
constexpr std::uint32_t kBytesOfRank1 = 0x0801;
constexpr std::uint32_t kBytesOfRank3 = 0x0803;

class IdxFile {
 public:
  IdxFile(const std::filesystem::path& path, std::uint32_t magic)
      : name_(path.string()), file_(gzopen(name_.c_str(), "rb"), &gzclose) {
    if (file_ == nullptr) {
      throw std::runtime_error("cannot read " + name_ +
                               ": apt-get install dataset-fashion-mnist, or name its folder with --data_dir");
    }
    if (ReadNumber() != magic) throw std::runtime_error(name_ + " is no IDX file of bytes with the expected rank");
  }

  std::uint32_t ReadNumber() {
    std::array<std::uint8_t, 4> bytes{};
    Read(bytes);
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
  }

  std::vector<std::uint8_t> ReadBytes(std::size_t count) {
    std::vector<std::uint8_t> bytes(count);
    Read(bytes);
    return bytes;
  }

  /// The file's first dimension: how many images or labels it has.
  void RequireCount(std::size_t wanted) {
    const std::uint32_t present = ReadNumber();
    if (present >= wanted) return;
    throw std::runtime_error(name_ + " has " + std::to_string(present) + " entries, " + std::to_string(wanted) +
                             " were asked for");
  }

 private:
  void Read(std::span<std::uint8_t> bytes) {
    const auto size = static_cast<unsigned>(bytes.size());
    if (gzread(file_.get(), bytes.data(), size) != static_cast<int>(size)) {
      throw std::runtime_error(name_ + " ends early or is damaged");
    }
  }

  std::string name_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
};

}  // namespace

LabelledImages ReadIdxFiles(const std::filesystem::path& folder, const std::string& split, std::size_t count) {
  IdxFile labels(folder / (split + "-labels-idx1-ubyte.gz"), kBytesOfRank1);
  IdxFile images(folder / (split + "-images-idx3-ubyte.gz"), kBytesOfRank3);
  labels.RequireCount(count);
  images.RequireCount(count);

  LabelledImages read;
  read.rows = images.ReadNumber();
  read.columns = images.ReadNumber();
  read.labels = labels.ReadBytes(count);
  read.pixels = images.ReadBytes(count * read.rows * read.columns);
  return read;
}
