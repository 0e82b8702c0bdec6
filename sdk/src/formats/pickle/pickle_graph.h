#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/pickle/arena.h"
#include "gcsflux/result.h"

namespace gcsflux::internal {

enum class NodeKind : std::uint8_t {
  kNone,
  kFalse,
  kTrue,
  kInteger,      ///< Fits into 64 bits.
  kLongInteger,  ///< Any length: two's complement, little-endian.
  kFloat,
  kText,  ///< Meant as UTF-8; not checked.
  kBytes,
  kByteArray,
  kTuple,
  kList,
  kDict,  ///< Keys and values, one after the other.
  kSet,
  kFrozenSet,
  kGlobal,      ///< A name, never resolved.
  kPersistent,  ///< The meaning of a persistent id: a storage.
  kCall,        ///< A call that is never made: callable and arguments.
};

using NodeId = std::uint32_t;

/// One value of a pickle. The meaning of `a`, `b` and `c` depends on the kind; PickleGraph reads them.
struct Node {
  NodeKind kind = NodeKind::kNone;
  std::uint8_t flag = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};
static_assert(sizeof(Node) == 16);

/// What the pickle does with a call's result.
struct CallState {
  NodeId state = 0;  ///< BUILD's argument; None if there is none.
  Node items;        ///< Like a list's node: the items of APPENDS, or the keys and values of SETITEMS.
};

/// The values of a pickle of protocol 2 to 5. Reading executes nothing and resolves no name.
///
/// Calls (REDUCE, NEWOBJ, INST, OBJ), names and extension codes become nodes; the reader decides what they mean
/// (pickle_values.h). Values may be shared, and may contain themselves. Memory for n bytes is at most 12 n + 6 MiB, and
/// the pickle itself. There is no recursion. Immutable after parsing, and then thread-safe.
class PickleGraph {
 public:
  /// Returns kUndecodable with the byte's offset if it is not such a pickle. `file` and `record` are for messages.
  static Result<PickleGraph> Parse(std::string pickle, const std::string& file, const std::string& record);

  [[nodiscard]] NodeId root() const { return root_; }
  [[nodiscard]] NodeKind kind(NodeId id) const { return nodes_[id].kind; }
  [[nodiscard]] std::size_t pickle_bytes() const { return pickle_.size(); }

  [[nodiscard]] std::int64_t Integer(NodeId id) const;
  [[nodiscard]] double Float(NodeId id) const;
  /// The bytes of kText, kBytes, kByteArray and kLongInteger. Valid as long as the graph.
  [[nodiscard]] std::string_view Bytes(NodeId id) const;
  /// "module.name" of a global, also of INST; "extension registry code 5" for such a code. Empty if it is not a global,
  /// or its parts are not text.
  [[nodiscard]] std::string GlobalName(NodeId id) const;
  /// For kTuple, kList, kDict, kSet and kFrozenSet. item_reader.h visits the items.
  [[nodiscard]] std::uint32_t ItemCount(NodeId id) const { return nodes_[id].c; }
  [[nodiscard]] std::uint32_t FirstSegment(NodeId id) const { return nodes_[id].a; }
  /// For kPersistent: its id.
  [[nodiscard]] NodeId PersistentId(NodeId id) const { return nodes_[id].a; }

  /// For kCall.
  [[nodiscard]] NodeId Callable(NodeId id) const { return nodes_[id].a; }
  [[nodiscard]] NodeId Arguments(NodeId id) const { return nodes_[id].b; }
  [[nodiscard]] bool HasKeywords(NodeId id) const { return nodes_[id].flag != 0; }
  /// None's node if there was no BUILD.
  [[nodiscard]] NodeId State(NodeId id) const;
  [[nodiscard]] std::uint32_t CallItemCount(NodeId id) const { return states_[nodes_[id].c].items.c; }
  [[nodiscard]] std::uint32_t FirstCallSegment(NodeId id) const { return states_[nodes_[id].c].items.a; }
  /// The call's items are keys and values.
  [[nodiscard]] bool HasPairs(NodeId id) const { return states_[nodes_[id].c].items.flag != 0; }

  /// For segments: the next segment's place or 0, the count, the items.
  [[nodiscard]] std::uint32_t Word(std::uint32_t place) const { return words_[place]; }
  [[nodiscard]] std::size_t node_count() const { return nodes_.size(); }

 private:
  friend class PickleMachine;
  PickleGraph() = default;

  std::string pickle_;
  NodeId root_ = 0;
  Arena<Node> nodes_;
  Arena<std::uint32_t> words_;
  Arena<CallState> states_;
};

}  // namespace gcsflux::internal
