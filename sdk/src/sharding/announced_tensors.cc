#include "sharding/announced_tensors.h"

#include <algorithm>
#include <utility>

#include "base/invalid_argument.h"
#include "base/text/utf8.h"
#include "formats/bytes/format_error.h"

namespace gcsflux::internal {
namespace {

constexpr std::size_t kMostDimensions = 64;

bool HasBytes(DType dtype, std::span<const std::int64_t> shape) {
  const auto count = ElementCount(shape);
  std::uint64_t bytes = 0;
  return count && shape.size() <= kMostDimensions && !__builtin_mul_overflow(*count, ElementBytes(dtype), &bytes) &&
         bytes <= INT64_MAX;
}

bool IsEmpty(std::span<const std::int64_t> sizes) { return std::find(sizes.begin(), sizes.end(), 0) != sizes.end(); }

std::string Named(const AnnouncedTensors::Tensor& tensor) { return "tensor " + Shown(std::string(tensor.name)); }

std::string_view NameOf(CommitMode mode) {
  if (mode == CommitMode::kRewind) return "kRewind";
  return mode == CommitMode::kReplace ? "kReplace" : "kCreate";
}

}  // namespace

Box AnnouncedTensors::BoxOf(const Tensor& tensor, const Entry& entry) const {
  const std::size_t dimensions = tensor.shape.size();
  const std::span<const std::int64_t> numbers(numbers_);
  return {numbers.subspan(entry.box, dimensions), numbers.subspan(entry.box + dimensions, dimensions)};
}

std::string AnnouncedTensors::Rank(std::uint32_t rank) const {
  const std::string& host = rank < hosts_.size() ? hosts_[rank] : std::string();
  return "rank " + std::to_string(rank) + (host.empty() ? "" : " on " + host);
}

Error AnnouncedTensors::Contradiction(std::uint32_t rank, const std::string& why) const {
  return InvalidArgument(Rank(rank) + " " + why);
}

Result<AnnouncedTensors> AnnouncedTensors::Read(std::span<const std::string> announcements) {
  AnnouncedTensors all;
  for (std::size_t rank = 0; rank < announcements.size(); ++rank) {
    if (auto added = all.AddRank(static_cast<std::uint32_t>(rank), announcements[rank]); !added) {
      return added.error();
    }
  }
  for (Tensor& tensor : all.tensors_) {
    if (auto settled = all.Settle(tensor); !settled) return settled.error();
  }
  return all;
}

Result<void> AnnouncedTensors::AddRank(std::uint32_t rank, std::string_view announcement) {
  MessageReader reader(announcement);
  AnnouncementHead head = TakeHead(reader);
  hosts_.push_back(head.save.host);
  if (reader.AtEnd() && head.version == kRefusal) {
    return Error{head.refusal.code, Rank(rank) + " cannot save: " + head.refusal.message};
  }
  if (head.version != kAnnouncementVersion) {
    return Contradiction(rank, "announces a save of version " + std::to_string(head.version) + ", and rank 0 reads " +
                                   std::to_string(kAnnouncementVersion) +
                                   "; all ranks must run the same version of gcsflux");
  }
  if (rank == 0) first_ = head.save;
  if (head.save.uri != first_.uri) {
    return Contradiction(rank, "saves to " + Shown(head.save.uri) + ", and rank 0 to " + Shown(first_.uri));
  }
  if (head.save.step != first_.step) {
    return Contradiction(
        rank, "saves step " + std::to_string(head.save.step) + ", and rank 0 step " + std::to_string(first_.step));
  }
  if (head.save.mode != first_.mode) {
    return Contradiction(rank, "saves with CommitMode::" + std::string(NameOf(head.save.mode)) +
                                   ", and rank 0 with CommitMode::" + std::string(NameOf(first_.mode)));
  }
  const std::size_t parts = reader.Count();
  for (std::size_t part = 0; part < parts; ++part) {
    if (auto added = AddPart(rank, static_cast<std::uint32_t>(part), reader); !added) return added;
  }
  return reader.AtEnd() ? Result<void>() : Contradiction(rank, "announces what cannot be read");
}

// The tensor of this name. The first rank that names it defines its type and shape.
Result<AnnouncedTensors::Tensor*> AnnouncedTensors::FindTensor(std::uint32_t rank, std::uint32_t part,
                                                               MessageReader& reader) {
  const std::string_view name = reader.Text();
  const std::uint64_t type = reader.Number();
  shape_.clear();
  reader.Sizes(shape_);
  const bool is_type = type <= static_cast<std::uint64_t>(DType::kFloat8E8m0fnu);
  if (!reader || !is_type) return Contradiction(rank, "announces what cannot be read");
  const auto dtype = static_cast<DType>(type);
  // Most often all ranks have the same names in the same order.
  std::size_t index = part;
  if (index >= tensors_.size() || tensors_[index].name != name) {
    const auto [found, is_new] = by_name_.try_emplace(name, tensors_.size());
    index = found->second;
    if (is_new) {
      if (!IsUtf8(name) || !HasBytes(dtype, shape_)) {
        return Contradiction(rank, "announces tensor " + Shown(std::string(name)) + " of shape " + ShownShape(shape_) +
                                       ", which makes no sense; names are UTF-8, and sizes not negative");
      }
      tensors_.push_back({.name = name, .dtype = dtype, .shape = shape_});
    }
  }
  Tensor& tensor = tensors_[index];
  if (tensor.dtype == dtype && tensor.shape == shape_) return &tensor;
  return Contradiction(rank, "announces " + Named(tensor) + " as " + std::string(DTypeName(dtype)) + " " +
                                 ShownShape(shape_) + ", and " + Rank(tensor.entries.front().rank) + " as " +
                                 std::string(DTypeName(tensor.dtype)) + " " + ShownShape(tensor.shape));
}

Result<void> AnnouncedTensors::AddPart(std::uint32_t rank, std::uint32_t part, MessageReader& reader) {
  const auto found = FindTensor(rank, part, reader);
  if (!found) return found.error();
  Tensor& tensor = **found;
  const Entry entry{.rank = rank, .part = part, .box = numbers_.size()};
  reader.Sizes(numbers_);
  const std::size_t dimensions = numbers_.size() - entry.box;
  reader.Sizes(numbers_);
  const std::size_t sizes = numbers_.size() - entry.box - dimensions;
  if (dimensions == 0 && sizes == 0) {
    numbers_.resize(entry.box + tensor.shape.size(), 0);
    numbers_.insert(numbers_.end(), tensor.shape.begin(), tensor.shape.end());
  } else if (dimensions != tensor.shape.size() || sizes != dimensions ||
             !IsWithin(BoxOf(tensor, entry), tensor.shape)) {
    const std::span<const std::int64_t> numbers(numbers_);
    return Contradiction(rank, "has a slice of " + Named(tensor) + " that is not within its shape " +
                                   ShownShape(tensor.shape) + ": offsets " +
                                   ShownShape(numbers.subspan(entry.box, dimensions)) + ", sizes " +
                                   ShownShape(numbers.subspan(entry.box + dimensions)));
  }
  if (!tensor.entries.empty() && tensor.entries.back().rank == rank) {
    return Contradiction(rank, "announces " + Named(tensor) + " twice; a rank saves one part of a tensor");
  }
  tensor.entries.push_back(entry);
  return {};
}

// Puts copies beside each other, drops empty slices, and checks that the others hold each element once.
Result<void> AnnouncedTensors::Settle(Tensor& tensor) {
  std::vector<Entry>& entries = tensor.entries;
  const std::size_t numbers = 2 * tensor.shape.size();
  const auto box = [&](const Entry& entry) {
    return std::span<const std::int64_t>(numbers_).subspan(entry.box, numbers);
  };
  const auto is_before = [&](const Entry& a, const Entry& b) {
    return std::ranges::lexicographical_compare(box(a), box(b));
  };
  if (!IsEmpty(tensor.shape)) {
    std::erase_if(entries, [&](const Entry& entry) { return IsEmpty(BoxOf(tensor, entry).sizes); });
  }
  if (!std::is_sorted(entries.begin(), entries.end(), is_before)) {
    std::stable_sort(entries.begin(), entries.end(), is_before);
  }
  if (IsEmpty(tensor.shape)) {
    // A slice that is the whole is stored as one, and nothing beside it.
    const auto is_whole = [&](const Entry& entry) {
      return std::ranges::equal(BoxOf(tensor, entry).sizes, tensor.shape);
    };
    if (std::any_of(entries.begin(), entries.end(), is_whole)) {
      std::erase_if(entries, [&](const Entry& entry) { return !is_whole(entry); });
    }
    return {};
  }
  std::vector<Box> boxes;
  std::vector<std::uint32_t> ranks;
  std::uint64_t elements = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i > 0 && std::ranges::equal(box(entries[i - 1]), box(entries[i]))) continue;
    boxes.push_back(BoxOf(tensor, entries[i]));
    ranks.push_back(entries[i].rank);
    elements += *ElementCount(boxes.back().sizes);
  }
  if (const auto overlap = FindOverlap(boxes)) {
    const auto [a, b] = std::minmax(ranks[overlap->first], ranks[overlap->second]);
    return InvalidArgument(Named(tensor) + ": the slices of " + Rank(a) + " and " + Rank(b) +
                           " overlap; slices are the same or apart");
  }
  const std::uint64_t whole = *ElementCount(tensor.shape);
  if (elements == whole) return {};
  return InvalidArgument(Named(tensor) + " of shape " + ShownShape(tensor.shape) + ": no rank has " +
                         std::to_string(whole - elements) + " of its " + std::to_string(whole) +
                         " elements; each must be in a slice");
}

}  // namespace gcsflux::internal
