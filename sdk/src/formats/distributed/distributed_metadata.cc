#include "formats/distributed/distributed_metadata.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "formats/bytes/boxes.h"
#include "formats/bytes/format_error.h"
#include "formats/bytes/relative_path.h"
#include "formats/distributed/pickled_objects.h"
#include "formats/pickle/arena.h"

namespace gcsflux::internal {
namespace {

using Why = std::optional<std::string>;  // What is wrong; nothing if all is well.

// An entry of storage_data: where a tensor's slice, or a value, lies. Borrows the pickle.
struct Stored {
  std::string_view name = {};
  bool is_tensor = false;
  std::vector<std::int64_t> offsets = {};  // Of the slice.
  std::string_view path = {};
  FileRange range = {};
  bool is_transformed = false;
  bool is_found = false;

  [[nodiscard]] auto Key() const { return std::tie(name, is_tensor, offsets); }
};

constexpr std::string_view kTransformed =
    "an extension of PyTorch transformed its bytes (compressed or encrypted them); load it with that extension in "
    "Python, and save it without";

class MetadataParser {
 public:
  MetadataParser(const PickleGraph& graph, std::uint64_t bytes)
      : graph_(graph), objects_(graph), allowance_(8 * bytes + (8 << 20)) {}

  Why Parse() {
    const NodeId root = graph_.root();
    if (!objects_.IsObject(root, "Metadata")) return "it is not the metadata of torch.distributed.checkpoint";
    if (auto why = ReadStored(root)) return why;
    if (auto why = ReadEntries(root)) return why;
    return ReadPaths(root);
  }

  DistributedMetadata Take() && { return std::move(metadata_); }

 private:
  [[nodiscard]] std::optional<ItemReader> PairsOf(NodeId root, std::string_view name) const {
    const auto dict = objects_.Attribute(root, name);
    return dict ? objects_.Pairs(*dict) : std::nullopt;
  }

  Why TooMuch() { return "its values are shared so often that they make more than a file of its length should"; }

  // ----------------------------------------------------------------------------------------- storage_data, the places

  Why ReadStored(NodeId root) {
    auto pairs = PairsOf(root, "storage_data");
    if (!pairs) {
      return "it has no storage_data; an own StorageWriter wrote it, whose reader in Python is needed";
    }
    while (const auto key = pairs->Next()) {
      auto stored = StoredAt(*key, *pairs->Next());
      if (!stored) return "an entry of its storage_data is not what PyTorch writes";
      // While a vector grows, there are two copies.
      if (!allowance_.Take(2 * sizeof(Stored) + 8 * stored->offsets.size())) return TooMuch();
      stored_.push_back(*std::move(stored));
    }
    return IndexFiles();
  }

  [[nodiscard]] std::optional<Stored> StoredAt(NodeId index, NodeId info) const {
    if (!objects_.IsObject(index, "MetadataIndex") || !objects_.IsObject(info, "_StorageInfo")) return std::nullopt;
    const auto name = TextOf(index, "fqn");
    const auto path = TextOf(info, "relative_path");
    const auto begin = CountOf(info, "offset");
    const auto length = CountOf(info, "length");
    if (!name || !path || !begin || !length) return std::nullopt;
    Stored stored{.name = *name, .path = *path, .range = {*begin, *begin + *length}};
    const auto offset = objects_.Attribute(index, "offset");
    if (offset && !objects_.IsNone(*offset)) {
      auto sizes = objects_.Sizes(*offset);
      if (!sizes) return std::nullopt;
      stored.is_tensor = true;
      stored.offsets = *std::move(sizes);
    }
    const auto transforms = objects_.Attribute(info, "transform_descriptors");
    stored.is_transformed = transforms && !objects_.IsNone(*transforms);
    return stored;
  }

  [[nodiscard]] std::optional<std::string_view> TextOf(NodeId object, std::string_view name) const {
    const auto value = objects_.Attribute(object, name);
    return value ? objects_.Text(*value) : std::nullopt;
  }
  [[nodiscard]] std::optional<std::uint64_t> CountOf(NodeId object, std::string_view name) const {
    const auto value = objects_.Attribute(object, name);
    return value ? objects_.Count(*value) : std::nullopt;
  }

  // Lists the files, and checks that no two items share bytes of one.
  Why IndexFiles() {
    const auto by_place = [](const Stored& a, const Stored& b) {
      return std::tie(a.path, a.range.begin, a.range.end) < std::tie(b.path, b.range.begin, b.range.end);
    };
    std::sort(stored_.begin(), stored_.end(), by_place);
    const Stored* before = nullptr;
    for (const Stored& one : stored_) {
      if (before == nullptr || before->path != one.path) {
        if (!IsBelowFolder(one.path))
          return "the file " + Quoted(one.path) + " lies outside of the checkpoint's folder";
        if (!allowance_.Take(2 * sizeof(std::string) + one.path.size())) return TooMuch();
        metadata_.files.emplace_back(one.path);
      } else if (one.range.begin < before->range.end) {
        return Quoted(before->name) + " and " + Quoted(one.name) + " share bytes of the file " + Quoted(one.path);
      }
      before = &one;
    }
    std::sort(stored_.begin(), stored_.end(), [](const Stored& a, const Stored& b) { return a.Key() < b.Key(); });
    const auto twice = std::adjacent_find(stored_.begin(), stored_.end(),
                                          [](const Stored& a, const Stored& b) { return a.Key() == b.Key(); });
    if (twice == stored_.end()) return {};
    return Quoted(twice->name) + " has two places in the files";
  }

  static std::string Quoted(std::string_view name) { return Shown(std::string(name)); }

  // A place that belongs to no tensor or value yet. So what is made of shared values is not more than the places.
  Stored* FindStored(const Stored& wanted) {
    const auto found = std::lower_bound(stored_.begin(), stored_.end(), wanted,
                                        [](const Stored& a, const Stored& b) { return a.Key() < b.Key(); });
    const bool is_it = found != stored_.end() && found->Key() == wanted.Key() && !found->is_found;
    if (!is_it) return nullptr;
    found->is_found = true;
    return &*found;
  }

  [[nodiscard]] DistributedItem ItemOf(const Stored& stored) const {
    const auto file = std::lower_bound(metadata_.files.begin(), metadata_.files.end(), stored.path);
    return {static_cast<std::size_t>(file - metadata_.files.begin()), stored.range};
  }

  // ------------------------------------------------------------------------------ state_dict_metadata, what there is

  Why ReadEntries(NodeId root) {
    auto pairs = PairsOf(root, "state_dict_metadata");
    if (!pairs) return "it has no state_dict_metadata";
    while (const auto key = pairs->Next()) {
      const NodeId value = *pairs->Next();
      const auto name = objects_.Text(*key);
      if (!name) return "the name of an entry is not a text";
      if (!allowance_.Take(2 * sizeof(DistributedTensor) + name->size())) return TooMuch();
      if (auto why = ReadEntry(std::string(*name), value)) return Quoted(*name) + ": " + *why;
    }
    return CheckNames();
  }

  Why ReadEntry(std::string name, NodeId value) {
    if (objects_.IsObject(value, "TensorStorageMetadata")) return ReadTensor(std::move(name), value);
    if (!objects_.IsObject(value, "BytesStorageMetadata")) return "it is neither a tensor nor bytes";
    const Stored* const stored = FindStored({.name = name});
    if (stored == nullptr) return "no file has it";
    if (stored->is_transformed) {
      metadata_.refused.push_back({std::move(name), std::string(kTransformed)});
    } else {
      metadata_.values.push_back({std::move(name), ItemOf(*stored)});
    }
    return {};
  }

  // The type's name is that of a global: "torch.float32".
  [[nodiscard]] std::optional<std::string> TypeOf(NodeId tensor) const {
    const auto properties = objects_.Attribute(tensor, "properties");
    if (!properties || !objects_.IsObject(*properties, "TensorProperties")) return std::nullopt;
    auto state = objects_.Items(objects_.State(*properties));
    const auto type = state ? state->Next() : std::nullopt;
    if (!type || graph_.kind(*type) != NodeKind::kGlobal) return std::nullopt;
    std::string name = graph_.GlobalName(*type);
    constexpr std::string_view kTorch = "torch.";
    if (!name.starts_with(kTorch) || !objects_.Take(name.size())) return std::nullopt;
    return name.substr(kTorch.size());
  }

  Why ReadTensor(std::string name, NodeId value) {
    const auto type = TypeOf(value);
    const auto size = objects_.Attribute(value, "size");
    const auto list = objects_.Attribute(value, "chunks");
    auto shape = size ? objects_.Sizes(*size) : std::nullopt;
    auto chunks = list ? objects_.Items(*list) : std::nullopt;
    if (!type || !shape || !chunks) return "its type, size or chunks are not what PyTorch writes";
    DistributedTensor tensor{.name = std::move(name), .shape = *std::move(shape)};
    if (!allowance_.Take(8 * tensor.shape.size())) return TooMuch();
    const auto dtype = DTypeFromName(*type);
    tensor.dtype = dtype.value_or(DType::kUint8);
    bool is_transformed = false;
    while (const auto chunk = chunks->Next()) {
      if (auto why = ReadChunk(tensor, *chunk, dtype.has_value(), is_transformed)) return why;
    }
    if (!dtype) {
      metadata_.refused.push_back({std::move(tensor.name), "its type " + Shown(*type) + " is not read"});
      return {};
    }
    if (is_transformed) {
      metadata_.refused.push_back({std::move(tensor.name), std::string(kTransformed)});
      return {};
    }
    if (auto why = CheckChunks(tensor)) return why;
    metadata_.tensors.push_back(std::move(tensor));
    return {};
  }

  Why ReadChunk(DistributedTensor& tensor, NodeId id, bool is_type_known, bool& is_transformed) {
    const bool is_chunk = objects_.IsObject(id, "ChunkStorageMetadata");
    const auto begin = is_chunk ? objects_.Attribute(id, "offsets") : std::nullopt;
    const auto length = is_chunk ? objects_.Attribute(id, "sizes") : std::nullopt;
    auto offsets = begin ? objects_.Sizes(*begin) : std::nullopt;
    auto sizes = length ? objects_.Sizes(*length) : std::nullopt;
    if (!offsets || !sizes) return "a chunk is not what PyTorch writes";
    const auto count = ElementCount(*sizes);
    if (count == 0) return {};  // Ranks without elements; several may name the same place.
    const Stored* const stored = FindStored({.name = tensor.name, .is_tensor = true, .offsets = *offsets});
    if (stored == nullptr)
      return "no file has its slice from " + ShownShape(*offsets) + " on, or two slices begin there";
    is_transformed = is_transformed || stored->is_transformed;
    const std::uint64_t element = is_type_known ? ElementBytes(tensor.dtype) : 0;
    const bool is_long_enough = count && (element == 0 || *count <= stored->range.size() / element);
    if (!is_long_enough && !stored->is_transformed) {
      return "its slice of the sizes " + ShownShape(*sizes) + " should be in " + std::to_string(stored->range.size()) +
             " bytes of the file " + Quoted(stored->path);
    }
    const std::uint64_t numbers = 8 * (offsets->size() + sizes->size());
    if (!allowance_.Take(2 * sizeof(DistributedChunk) + numbers)) return TooMuch();
    tensor.chunks.push_back({*std::move(offsets), *std::move(sizes), ItemOf(*stored)});
    return {};
  }

  static Why CheckChunks(const DistributedTensor& tensor) {
    const auto count = ElementCount(tensor.shape);
    if (count == 0 && tensor.chunks.empty()) return {};
    std::vector<Box> boxes;
    for (const DistributedChunk& chunk : tensor.chunks) boxes.push_back({chunk.offsets, chunk.sizes});
    if (DoTile(boxes, tensor.shape)) return {};
    return "its slices do not make a whole of " + ShownShape(tensor.shape) + ": one is missing, or they overlap";
  }

  Why CheckNames() {
    std::vector<std::string_view> names;
    for (const auto& tensor : metadata_.tensors) names.push_back(tensor.name);
    for (const auto& value : metadata_.values) names.push_back(value.name);
    for (const auto& value : metadata_.refused) names.push_back(value.name);
    if (!allowance_.Take(names.size() * sizeof(std::string_view))) return TooMuch();
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return {};
    return "the name " + Quoted(*twice) + " is there twice";
  }

  // -------------------------------------------------------------------------- planner_data, the nested dictionary

  // Other planners have other data. What is not of the usual form is left out.
  Why ReadPaths(NodeId root) {
    auto pairs = PairsOf(root, "planner_data");
    if (!pairs) return {};
    while (const auto key = pairs->Next()) {
      const auto name = objects_.Text(*key);
      auto items = objects_.Items(*pairs->Next());
      if (!name || !items) continue;
      DistributedPath path{.name = std::string(*name)};
      std::uint64_t bytes = 2 * sizeof(path) + name->size();
      bool is_path = true;
      while (const auto item = items->Next()) {
        const auto text = objects_.Text(*item);
        const auto number = objects_.Count(*item);
        is_path = is_path && (text || number);
        bytes += 2 * sizeof(PathStep) + (text ? text->size() : 0);
        if (bytes > (1 << 20)) return TooMuch();
        if (text) path.steps.emplace_back(std::string(*text));
        if (number) path.steps.emplace_back(static_cast<std::int64_t>(*number));
      }
      if (!allowance_.Take(bytes)) return TooMuch();
      if (is_path && !path.steps.empty()) metadata_.paths.push_back(std::move(path));
    }
    return {};
  }

  const PickleGraph& graph_;
  PickledObjects objects_;
  MemoryAllowance allowance_;
  std::vector<Stored> stored_;
  DistributedMetadata metadata_;
};

}  // namespace

bool IsDistributedMetadata(std::string_view first_bytes) {
  constexpr std::string_view kProtocol = "\x80";
  return first_bytes.starts_with(kProtocol) && first_bytes.find("torch.distributed.checkpoint.metadata") <= 16;
}

Result<DistributedMetadata> ParseDistributedMetadata(std::string pickle, const std::string& file) {
  const std::uint64_t bytes = pickle.size();
  const auto graph = PickleGraph::Parse(std::move(pickle), file, "");
  if (!graph) return graph.error();
  MetadataParser parser(*graph, bytes);
  if (const auto why = parser.Parse()) return Undecodable(file, "", 0, *why);
  return std::move(parser).Take();
}

}  // namespace gcsflux::internal
