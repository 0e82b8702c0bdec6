#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/pickle/arena.h"
#include "formats/pickle/item_reader.h"
#include "formats/pickle/pickle_globals.h"
#include "formats/pickle/pickle_graph.h"
#include "formats/pickle/pickled_value.h"

namespace gcsflux::internal {

/// A storage, as a persistent id describes it.
struct PickledStorage {
  std::string key = {};
  DType dtype = DType::kUint8;
  std::uint64_t bytes = 0;
  bool has_two_lengths = false;
};

/// Interprets a pickle's nodes as PyTorch does. Names are searched only in the allow list; other names are refused when
/// their value is requested. Errors are kUndecodable and tell why, without the file. Thread-safe after the storages are
/// indexed.
class PickleReader {
 public:
  enum class Objects : std::uint8_t { kRefuse, kReadScriptObjects };

  PickleReader(PickleGraph graph, Objects objects) : graph_(std::move(graph)), objects_(objects) {}

  [[nodiscard]] const PickleGraph& graph() const { return graph_; }
  /// Finds the storages of all persistent ids. False if the allowance is used up.
  bool IndexStorages(MemoryAllowance& allowance);
  [[nodiscard]] const std::vector<PickledStorage>& storages() const { return storages_; }

  /// The items of a value that contains others by name or in order.
  struct Container {
    ItemReader items;
    bool are_pairs = false;
  };
  /// Nothing if the value is not a container. A script's list or tagged value counts as its content.
  [[nodiscard]] std::optional<Container> ContainerOf(NodeId id) const;
  [[nodiscard]] bool IsTensor(NodeId id) const;
  /// Why a value that is neither container nor tensor is not read. Nothing if it is readable.
  [[nodiscard]] std::optional<std::string> WhyRefused(NodeId id) const;

  [[nodiscard]] Result<TensorLayout> Tensor(NodeId id) const;

  /// The value with all that it contains, at most 256 levels deep. Returns kUndecodable if it contains more values than
  /// the pickle can have.
  [[nodiscard]] Result<pickled::Value> Read(NodeId id) const;

  /// A dictionary's key as a name: text, or a number's digits. Nothing if it is neither.
  [[nodiscard]] std::optional<std::string> NameOfKey(NodeId key) const;

 private:
  struct Budget;

  [[nodiscard]] bool IsModule(NodeId id) const;
  [[nodiscard]] GlobalMeaning MeaningOfNode(NodeId id) const;
  [[nodiscard]] Meaning MeaningOfCall(NodeId id) const;
  /// A tuple's items, if there are between `least` and `most`.
  [[nodiscard]] std::optional<std::vector<NodeId>> SmallTuple(NodeId id, std::uint32_t least, std::uint32_t most) const;
  [[nodiscard]] std::optional<std::int64_t> IntegerOf(NodeId id) const;
  [[nodiscard]] std::optional<bool> FlagOf(NodeId id) const;
  [[nodiscard]] std::optional<std::string> TextOf(NodeId id) const;
  [[nodiscard]] std::optional<std::vector<std::int64_t>> SizesOf(NodeId id) const;
  /// Bytes in the form of any protocol.
  [[nodiscard]] std::optional<std::string> BytesOf(NodeId id) const;
  [[nodiscard]] NodeId Resolve(NodeId id) const;
  [[nodiscard]] bool IsNothing(NodeId id) const;

  [[nodiscard]] Result<TensorLayout> Rebuild(NodeId callable, NodeId arguments, int depth) const;
  [[nodiscard]] Result<TensorLayout> RebuildPlain(Meaning meaning, NodeId arguments) const;
  [[nodiscard]] Result<TensorLayout> RebuildFromType(NodeId arguments, int depth) const;
  struct TypedStorage {
    std::size_t storage = 0;
    DType dtype = DType::kUint8;
  };
  [[nodiscard]] Result<TypedStorage> StorageOf(NodeId persistent) const;
  [[nodiscard]] Result<PickledStorage> ParseStorage(NodeId persistent) const;

  pickled::Value ReadAt(NodeId id, int depth, Budget& budget) const;
  pickled::Value ReadCall(NodeId id, int depth, Budget& budget) const;
  pickled::Value ReadDict(pickled::DictKind kind, NodeId id, int depth, Budget& budget) const;
  pickled::Value ReadScriptObject(NodeId id, int depth, Budget& budget) const;
  pickled::Value ReadPlainCall(Meaning meaning, NodeId id) const;
  std::optional<pickled::Value> ReadNumpyScalar(NodeId id) const;
  std::optional<pickled::Value> ReadNumpyArray(NodeId id) const;
  std::optional<pickled::Value> ReadNumpyBuffer(NodeId id) const;
  [[nodiscard]] std::optional<DType> NumpyDType(NodeId id) const;
  std::vector<pickled::Value> ReadItems(ItemReader items, int depth, Budget& budget) const;
  pickled::Entries ReadEntries(ItemReader items, int depth, Budget& budget) const;

  PickleGraph graph_;
  Objects objects_;
  std::vector<PickledStorage> storages_;
  std::unordered_map<std::string, std::size_t> storage_by_key_;
};

}  // namespace gcsflux::internal
