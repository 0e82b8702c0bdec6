#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/bytes/boxes.h"
#include "gcsflux/formats.h"
#include "sharding/announcement.h"

namespace gcsflux::internal {

/// What all ranks announce, by tensor. Compact: a large job announces millions of slices.
class AnnouncedTensors {
 public:
  /// One slice on one rank.
  struct Entry {
    std::uint32_t rank = 0;
    std::uint32_t part = 0;  // Index among the rank's parts.
    std::size_t box = 0;     // Where its offsets and sizes begin in `numbers_`.
  };
  /// The slices of a tensor. Equal slices are beside each other, in order of rank.
  struct Tensor {
    std::string_view name = {};
    DType dtype = DType::kFloat32;
    std::vector<std::int64_t> shape = {};
    std::vector<Entry> entries = {};
  };

  /// Reads the announcements of all ranks, in order of rank, and borrows them. Returns kInvalidArgument if ranks
  /// contradict each other, a slice lies outside its tensor, or slices overlap or leave a hole. The message names the
  /// ranks and the tensor.
  static Result<AnnouncedTensors> Read(std::span<const std::string> announcements);

  [[nodiscard]] const std::vector<Tensor>& tensors() const { return tensors_; }
  [[nodiscard]] Box BoxOf(const Tensor& tensor, const Entry& entry) const;

 private:
  Result<void> AddRank(std::uint32_t rank, std::string_view announcement);
  Result<void> AddPart(std::uint32_t rank, std::uint32_t part, MessageReader& reader);
  Result<Tensor*> FindTensor(std::uint32_t rank, std::uint32_t part, MessageReader& reader);
  Result<void> Settle(Tensor& tensor);
  [[nodiscard]] Error Contradiction(std::uint32_t rank, const std::string& why) const;
  [[nodiscard]] std::string Rank(std::uint32_t rank) const;

  AnnouncedSave first_;
  std::vector<std::string> hosts_;
  std::vector<Tensor> tensors_;
  std::vector<std::int64_t> numbers_;  // Offsets and sizes of each box.
  std::vector<std::int64_t> shape_;    // Of the part that is being read.
  std::unordered_map<std::string_view, std::size_t> by_name_;
};

}  // namespace gcsflux::internal
