#include "formats/pickle/pickle_machine.h"

#include <limits>
#include <utility>

#include "formats/bytes/format_error.h"

namespace gcsflux::internal {
namespace {

constexpr std::uint64_t kMostPickle = std::numeric_limits<std::uint32_t>::max() / 2;

std::uint64_t AllowanceFor(std::uint64_t bytes) { return 12 * bytes + (6 << 20); }

bool IsContainer(NodeKind kind) {
  return kind == NodeKind::kList || kind == NodeKind::kDict || kind == NodeKind::kSet || kind == NodeKind::kCall;
}

}  // namespace

PickleMachine::PickleMachine(std::string pickle, const std::string& file, const std::string& record)
    : file_(file), record_(record), allowance_(AllowanceFor(pickle.size())) {
  graph_.pickle_ = std::move(pickle);
}

Result<PickleGraph> PickleGraph::Parse(std::string pickle, const std::string& file, const std::string& record) {
  if (pickle.size() > kMostPickle) {
    return Undecodable(file, record, kMostPickle, "the pickle is longer than 2 GiB, which is not read");
  }
  return PickleMachine(std::move(pickle), file, record).Run();
}

Result<PickleGraph> PickleMachine::Run() {
  rest_ = graph_.pickle_;
  for (const NodeKind kind : {NodeKind::kNone, NodeKind::kFalse, NodeKind::kTrue, NodeKind::kTuple}) {
    NodeId id = 0;
    NewNode({.kind = kind}, &id);
  }
  // Place 0 means that there is nothing.
  for (int i = 0; i < 2; ++i) graph_.words_.Push(0, allowance_);
  graph_.states_.Push({}, allowance_);
  bool is_well = StepProtocol();
  while (is_well && !has_stopped_) is_well = Step();
  if (!is_well) return Undecodable(file_, record_, opcode_place_, why_);
  return std::move(graph_);
}

bool PickleMachine::Fail(std::string why) {
  if (!has_failed_) why_ = std::move(why);
  has_failed_ = true;
  return false;
}

bool PickleMachine::OutOfMemory() { return Fail("the pickle makes more values than one of its length should"); }

std::string_view PickleMachine::Take(std::uint64_t bytes) {
  if (bytes > rest_.size()) {
    Fail("the pickle ends within a value: " + std::to_string(bytes) + " bytes are announced, and " +
         std::to_string(rest_.size()) + " are there");
    return {};
  }
  const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(bytes));
  rest_.remove_prefix(taken.size());
  return taken;
}

std::string_view PickleMachine::TakeLine() {
  const std::size_t end = rest_.find('\n');
  if (end == rest_.npos) {
    Fail("the pickle ends within a name");
    return {};
  }
  const std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end + 1);
  return line;
}

// --------------------------------------------------------------------------------------------- values and the stack

bool PickleMachine::NewNode(const Node& node, NodeId* id) {
  *id = static_cast<NodeId>(graph_.nodes_.size());
  return graph_.nodes_.Push(node, allowance_) || OutOfMemory();
}

bool PickleMachine::Push(NodeId id) { return stack_.Push(id, allowance_) || OutOfMemory(); }

bool PickleMachine::PushNew(const Node& node) {
  NodeId id = 0;
  return !has_failed_ && NewNode(node, &id) && Push(id);
}

bool PickleMachine::PushInteger(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return PushNew(
      {.kind = NodeKind::kInteger, .b = static_cast<std::uint32_t>(bits >> 32), .c = static_cast<std::uint32_t>(bits)});
}

bool PickleMachine::PushLong(std::uint64_t bytes) {
  const std::string_view digits = Take(bytes);
  if (has_failed_) return false;
  if (digits.size() > 8) {
    rest_ = std::string_view(graph_.pickle_).substr(static_cast<std::size_t>(digits.data() - graph_.pickle_.data()));
    return PushSlice(NodeKind::kLongInteger, bytes);
  }
  const bool is_negative = !digits.empty() && (static_cast<unsigned char>(digits.back()) & 0x80) != 0;
  std::uint64_t value = is_negative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = digits.size(); i-- > 0;) value = (value << 8) | static_cast<unsigned char>(digits[i]);
  return PushInteger(static_cast<std::int64_t>(value));
}

bool PickleMachine::PushSlice(NodeKind kind, std::uint64_t bytes) {
  const std::string_view taken = Take(bytes);
  if (has_failed_) return false;
  const auto offset = static_cast<std::uint32_t>(taken.data() - graph_.pickle_.data());
  return PushNew({.kind = kind, .b = offset, .c = static_cast<std::uint32_t>(taken.size())});
}

NodeId PickleMachine::Pop() {
  if (stack_.size() <= floor_) {
    Fail("a value is missing on the stack");
    return kNone;
  }
  const NodeId id = stack_.back();
  stack_.Shrink(stack_.size() - 1);
  return id;
}

bool PickleMachine::PopMark(std::size_t* begin) {
  if (marks_.size() == 0) return Fail("a mark is missing on the stack");
  *begin = floor_;
  marks_.Shrink(marks_.size() - 1);
  floor_ = marks_.size() == 0 ? 0 : marks_.back();
  return true;
}

// Removes the values from `from` on from the stack, and appends them as a segment to the container.
bool PickleMachine::AppendSegment(Node& container, std::size_t from) {
  const std::size_t count = stack_.size() - from;
  if (count == 0) return true;
  auto& words = graph_.words_;
  const auto place = static_cast<Word>(words.size());
  bool is_pushed = words.Push(0, allowance_) && words.Push(static_cast<Word>(count), allowance_);
  for (std::size_t i = from; is_pushed && i < stack_.size(); ++i) is_pushed = words.Push(stack_[i], allowance_);
  if (!is_pushed || words.size() > kAbsent - 8) return OutOfMemory();
  if (container.a == 0) {
    container.a = place;
  } else {
    words[container.b] = place;
  }
  container.b = place;
  container.c += static_cast<Word>(count);
  stack_.Shrink(from);
  return true;
}

bool PickleMachine::PushTuple(std::size_t count) {
  if (stack_.size() < floor_ + count) return Fail("a tuple's values are missing on the stack");
  if (count == 0) return Push(kEmptyTuple);
  Node tuple{.kind = NodeKind::kTuple};
  return AppendSegment(tuple, stack_.size() - count) && PushNew(tuple);
}

CallState* PickleMachine::StateOf(Node& call) {
  if (call.c == 0) {
    call.c = static_cast<std::uint32_t>(graph_.states_.size());
    if (!graph_.states_.Push({.state = kNone, .items = {}}, allowance_)) OutOfMemory();
  }
  return has_failed_ ? nullptr : &graph_.states_[call.c];
}

// The values from `from` on become items of the container below them.
bool PickleMachine::AddItems(std::size_t from, bool are_pairs) {
  if (from <= floor_) return Fail("a container is missing on the stack");
  if (are_pairs && (stack_.size() - from) % 2 != 0) return Fail("a key has no value");
  Node& container = graph_.nodes_[stack_[from - 1]];
  const bool is_dict = container.kind == NodeKind::kDict;
  if (!IsContainer(container.kind) || (container.kind != NodeKind::kCall && is_dict != are_pairs)) {
    return Fail("items are added to a value that holds none of that kind");
  }
  if (container.kind != NodeKind::kCall) return AppendSegment(container, from);
  if (stack_.size() == from) return true;
  CallState* const state = StateOf(container);
  if (state == nullptr) return false;
  if (state->items.c > 0 && (state->items.flag != 0) != are_pairs) return Fail("a value is a list and a dictionary");
  state->items.flag = are_pairs ? 1 : 0;
  return AppendSegment(state->items, from);
}

bool PickleMachine::PushCall(NodeId callable, NodeId arguments, bool has_keywords) {
  return PushNew({.kind = NodeKind::kCall,
                  .flag = static_cast<std::uint8_t>(has_keywords ? 1 : 0),
                  .a = callable,
                  .b = arguments});
}

bool PickleMachine::PushExtension(std::uint32_t code) {
  return PushNew({.kind = NodeKind::kGlobal, .flag = 2, .b = code});
}

bool PickleMachine::PushLineGlobal(NodeId* id) {
  const std::string_view module = TakeLine();
  const std::string_view name = TakeLine();
  if (has_failed_) return false;
  return NewNode({.kind = NodeKind::kGlobal,
                  .a = static_cast<std::uint32_t>(name.size()),
                  .b = static_cast<std::uint32_t>(module.data() - graph_.pickle_.data()),
                  .c = static_cast<std::uint32_t>(module.size())},
                 id);
}

bool PickleMachine::Build() {
  const NodeId state = Pop();
  if (has_failed_ || stack_.size() <= floor_) return Fail("BUILD has no value to work on");
  Node& node = graph_.nodes_[stack_.back()];
  if (node.kind != NodeKind::kCall) return Fail("BUILD on a value that was not made by a call");
  CallState* const call = StateOf(node);
  if (call == nullptr) return false;
  if (call->state != kNone) return Fail("BUILD twice on one value");
  call->state = state;
  return true;
}

// --------------------------------------------------------------------------------------------------------- the memo

// Picklers number memo entries from 0 on: a number above the count of bytes read is invalid.
bool PickleMachine::Memoize(std::uint64_t index) {
  if (has_failed_) return false;
  if (stack_.size() <= floor_) return Fail("there is nothing to remember on the stack");
  if (index > opcode_place_) return Fail("the memo's number " + std::to_string(index) + " is too high");
  while (memo_.size() <= index) {
    if (!memo_.Push(kAbsent, allowance_)) return OutOfMemory();
  }
  memo_[static_cast<std::size_t>(index)] = stack_.back();
  return true;
}

bool PickleMachine::Recall(std::uint64_t index) {
  if (has_failed_) return false;
  if (index >= memo_.size() || memo_[static_cast<std::size_t>(index)] == kAbsent) {
    return Fail("the memo has no number " + std::to_string(index));
  }
  return Push(memo_[static_cast<std::size_t>(index)]);
}

}  // namespace gcsflux::internal
