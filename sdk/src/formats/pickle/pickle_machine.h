#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formats/bytes/little_endian.h"
#include "formats/pickle/arena.h"
#include "formats/pickle/pickle_graph.h"

namespace gcsflux::internal {

/// The stack machine that runs a pickle, without the operations that would execute code: it fills a PickleGraph.
class PickleMachine {
 public:
  PickleMachine(std::string pickle, const std::string& file, const std::string& record);

  Result<PickleGraph> Run();

 private:
  using Word = std::uint32_t;
  static constexpr Word kAbsent = 0xFFFFFFFF;
  // Ids of the values that every pickle shares.
  static constexpr NodeId kNone = 0;
  static constexpr NodeId kFalse = 1;
  static constexpr NodeId kTrue = 2;
  static constexpr NodeId kEmptyTuple = 3;

  // After the first failure all reads are empty, and nothing changes any more.
  bool Fail(std::string why);
  std::string_view Take(std::uint64_t bytes);
  template <class Number>
  Number TakeNumber() {
    const std::string_view bytes = Take(sizeof(Number));
    return bytes.empty() ? Number{0} : FromLittleEndian<Number>(bytes);
  }
  std::string_view TakeLine();

  bool Step();
  bool StepProtocol();
  bool StepNumber(unsigned char opcode);
  bool StepText(unsigned char opcode);
  bool StepContainer(unsigned char opcode);
  bool StepGlobal(unsigned char opcode);
  bool StepCall(unsigned char opcode);
  bool StepMemo(unsigned char opcode);
  bool StepStack(unsigned char opcode);
  bool StepFrame();
  bool Stop();
  bool Refuse(unsigned char opcode);

  bool Push(NodeId id);
  bool PushNew(const Node& node);
  bool PushInteger(std::int64_t value);
  bool PushLong(std::uint64_t bytes);
  bool PushSlice(NodeKind kind, std::uint64_t bytes);
  bool PushTuple(std::size_t count);
  bool PushCall(NodeId callable, NodeId arguments, bool has_keywords);
  bool PushExtension(std::uint32_t code);
  bool PushLineGlobal(NodeId* id);
  NodeId Pop();
  bool PopMark(std::size_t* begin);
  bool NewNode(const Node& node, NodeId* id);
  bool AddItems(std::size_t from, bool are_pairs);
  bool AppendSegment(Node& container, std::size_t from);
  bool TakeSegment(std::size_t from, Node& container);
  CallState* StateOf(Node& call);
  bool Build();
  bool Memoize(std::uint64_t index);
  bool Recall(std::uint64_t index);
  bool OutOfMemory();

  PickleGraph graph_;
  const std::string& file_;
  const std::string& record_;
  MemoryAllowance allowance_;
  std::string_view rest_;
  std::uint64_t opcode_place_ = 0;
  std::string why_;
  bool has_failed_ = false;
  bool has_stopped_ = false;
  Arena<NodeId> stack_;
  Arena<std::uint32_t> marks_;
  Arena<NodeId> memo_;
  std::size_t floor_ = 0;  // The stack's height at the last mark: values below it must not be popped.
};

}  // namespace gcsflux::internal
