#include <algorithm>
#include <array>
#include <string>

#include "formats/pickle/pickle_machine.h"

// The opcodes of Python's pickletools in pickles of protocol 2 to 5, without those of protocols 0 and 1.
namespace gcsflux::internal {
namespace {

enum Opcode : unsigned char {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kPushNone = 'N',
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kLong1 = 0x8A,
  kLong4 = 0x8B,
  kBinFloat = 'G',
  kBinUnicode = 'X',
  kShortBinUnicode = 0x8C,
  kBinUnicode8 = 0x8D,
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kBinBytes8 = 0x8E,
  kByteArray8 = 0x96,
  kEmptyTupleCode = ')',
  kTuple = 't',
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kEmptyList = ']',
  kAppend = 'a',
  kAppends = 'e',
  kEmptyDict = '}',
  kSetItem = 's',
  kSetItems = 'u',
  kEmptySet = 0x8F,
  kAddItems = 0x90,
  kFrozenSet = 0x91,
  kBinPersId = 'Q',
  kGlobal = 'c',
  kStackGlobal = 0x93,
  kReduce = 'R',
  kNewObj = 0x81,
  kNewObjEx = 0x92,
  kBuild = 'b',
  kInst = 'i',
  kObj = 'o',
  kExt1 = 0x82,
  kExt2 = 0x83,
  kExt4 = 0x84,
  kBinPut = 'q',
  kLongBinPut = 'r',
  kMemoize = 0x94,
  kBinGet = 'h',
  kLongBinGet = 'j',
  kProto = 0x80,
  kFrame = 0x95,
};

// The name in pickletools of an opcode that a pickle of protocol 2 to 5 does not have.
std::string NameOfOther(unsigned char opcode) {
  struct Row {
    unsigned char opcode;
    const char* name;
  };
  static constexpr std::array<Row, 16> kRows = {{{'I', "INT"},
                                                 {'L', "LONG"},
                                                 {'F', "FLOAT"},
                                                 {'S', "STRING"},
                                                 {'T', "BINSTRING"},
                                                 {'U', "SHORT_BINSTRING"},
                                                 {'V', "UNICODE"},
                                                 {'P', "PERSID"},
                                                 {'d', "DICT"},
                                                 {'l', "LIST"},
                                                 {'g', "GET"},
                                                 {'p', "PUT"},
                                                 {'2', "DUP"},
                                                 {0x97, "NEXT_BUFFER"},
                                                 {0x98, "READONLY_BUFFER"},
                                                 {0x80, "PROTO (a second one)"}}};
  const auto* const found =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.opcode == opcode; });
  return found == kRows.end() ? std::to_string(opcode) : found->name;
}

}  // namespace

bool PickleMachine::StepProtocol() {
  const auto opcode = TakeNumber<std::uint8_t>();
  const auto version = TakeNumber<std::uint8_t>();
  if (has_failed_ || opcode != kProto) return Fail("this is not a pickle of protocol 2 to 5");
  if (version >= 2 && version <= 5) return true;
  return Fail("the pickle's protocol is " + std::to_string(version) + ", and 2 to 5 are read");
}

bool PickleMachine::Refuse(unsigned char opcode) {
  return Fail("opcode " + NameOfOther(opcode) + " is not one of those that PyTorch writes (protocols 2 to 5)");
}

bool PickleMachine::Step() {
  opcode_place_ = graph_.pickle_.size() - rest_.size();
  if (rest_.empty()) return Fail("the pickle ends without STOP");
  const auto opcode = static_cast<unsigned char>(rest_.front());
  rest_.remove_prefix(1);
  switch (opcode) {
    case kBinInt:
    case kBinInt1:
    case kBinInt2:
    case kLong1:
    case kLong4:
    case kBinFloat: return StepNumber(opcode);
    case kBinUnicode:
    case kShortBinUnicode:
    case kBinUnicode8:
    case kBinBytes:
    case kShortBinBytes:
    case kBinBytes8:
    case kByteArray8: return StepText(opcode);
    case kBinPut:
    case kLongBinPut:
    case kMemoize:
    case kBinGet:
    case kLongBinGet: return StepMemo(opcode);
    case kMark:
    case kPop:
    case kPopMark:
    case kPushNone:
    case kNewTrue:
    case kNewFalse: return StepStack(opcode);
    case kGlobal:
    case kStackGlobal:
    case kExt1:
    case kExt2:
    case kExt4:
    case kBinPersId: return StepGlobal(opcode);
    case kReduce:
    case kNewObj:
    case kNewObjEx:
    case kBuild:
    case kInst:
    case kObj: return StepCall(opcode);
    case kFrame: return StepFrame();
    case kStop: return Stop();
    default: return StepContainer(opcode);
  }
}

bool PickleMachine::StepNumber(unsigned char opcode) {
  switch (opcode) {
    case kBinInt: return PushInteger(TakeNumber<std::int32_t>());
    case kBinInt1: return PushInteger(TakeNumber<std::uint8_t>());
    case kBinInt2: return PushInteger(TakeNumber<std::uint16_t>());
    case kLong1: return PushLong(TakeNumber<std::uint8_t>());
    case kLong4:
      return PushLong(TakeNumber<std::uint32_t>());  // A negative length, as unsigned, is longer than any pickle.
    default: {
      const std::uint64_t bits = __builtin_bswap64(TakeNumber<std::uint64_t>());
      return PushNew({.kind = NodeKind::kFloat,
                      .b = static_cast<std::uint32_t>(bits >> 32),
                      .c = static_cast<std::uint32_t>(bits)});
    }
  }
}

bool PickleMachine::StepText(unsigned char opcode) {
  switch (opcode) {
    case kShortBinUnicode: return PushSlice(NodeKind::kText, TakeNumber<std::uint8_t>());
    case kBinUnicode: return PushSlice(NodeKind::kText, TakeNumber<std::uint32_t>());
    case kBinUnicode8: return PushSlice(NodeKind::kText, TakeNumber<std::uint64_t>());
    case kShortBinBytes: return PushSlice(NodeKind::kBytes, TakeNumber<std::uint8_t>());
    case kBinBytes: return PushSlice(NodeKind::kBytes, TakeNumber<std::uint32_t>());
    case kBinBytes8: return PushSlice(NodeKind::kBytes, TakeNumber<std::uint64_t>());
    default: return PushSlice(NodeKind::kByteArray, TakeNumber<std::uint64_t>());
  }
}

bool PickleMachine::StepContainer(unsigned char opcode) {
  std::size_t begin = 0;
  switch (opcode) {
    case kEmptyTupleCode: return PushTuple(0);
    case kTuple1: return PushTuple(1);
    case kTuple2: return PushTuple(2);
    case kTuple3: return PushTuple(3);
    case kTuple: return PopMark(&begin) && PushTuple(stack_.size() - begin);
    case kEmptyList: return PushNew({.kind = NodeKind::kList});
    case kEmptyDict: return PushNew({.kind = NodeKind::kDict});
    case kEmptySet: return PushNew({.kind = NodeKind::kSet});
    case kAppend:
      return stack_.size() > 1 ? AddItems(stack_.size() - 1, false) : Fail("a list is missing on the stack");
    case kAppends:
    case kAddItems: return PopMark(&begin) && AddItems(begin, false);
    case kSetItem: return stack_.size() > 1 ? AddItems(stack_.size() - 2, true) : Fail("a key or value is missing");
    case kSetItems: return PopMark(&begin) && AddItems(begin, true);
    case kFrozenSet: {
      Node set{.kind = NodeKind::kFrozenSet};
      return PopMark(&begin) && AppendSegment(set, begin) && PushNew(set);
    }
    default: return Refuse(opcode);
  }
}

bool PickleMachine::StepGlobal(unsigned char opcode) {
  NodeId id = 0;
  switch (opcode) {
    case kGlobal: return PushLineGlobal(&id) && Push(id);
    case kExt1: return PushExtension(TakeNumber<std::uint8_t>());
    case kExt2: return PushExtension(TakeNumber<std::uint16_t>());
    case kExt4: return PushExtension(TakeNumber<std::uint32_t>());
    case kBinPersId: {
      const NodeId persistent_id = Pop();
      return PushNew({.kind = NodeKind::kPersistent, .a = persistent_id});
    }
    default: {
      const NodeId name = Pop();
      const NodeId module = Pop();
      return PushNew({.kind = NodeKind::kGlobal, .flag = 1, .a = module, .b = name});
    }
  }
}

bool PickleMachine::StepCall(unsigned char opcode) {
  if (opcode == kBuild) return Build();
  NodeId callable = 0;
  std::size_t begin = 0;
  if (opcode == kInst) {
    if (!PushLineGlobal(&callable) || !PopMark(&begin) || !PushTuple(stack_.size() - begin)) return false;
    return PushCall(callable, Pop(), false);
  }
  if (opcode == kObj) {
    if (!PopMark(&begin)) return false;
    if (stack_.size() <= begin) return Fail("OBJ has no class");
    if (!PushTuple(stack_.size() - begin - 1)) return false;
    const NodeId arguments = Pop();
    callable = Pop();
    return PushCall(callable, arguments, false);
  }
  const bool has_keywords = opcode == kNewObjEx;
  if (has_keywords) Pop();
  const NodeId arguments = Pop();
  callable = Pop();
  return PushCall(callable, arguments, has_keywords);
}

bool PickleMachine::StepMemo(unsigned char opcode) {
  switch (opcode) {
    case kBinPut: return Memoize(TakeNumber<std::uint8_t>());
    case kLongBinPut: return Memoize(TakeNumber<std::uint32_t>());
    case kBinGet: return Recall(TakeNumber<std::uint8_t>());
    case kLongBinGet: return Recall(TakeNumber<std::uint32_t>());
    default: return Memoize(memo_.size());
  }
}

bool PickleMachine::StepStack(unsigned char opcode) {
  std::size_t begin = 0;
  switch (opcode) {
    case kPushNone: return Push(kNone);
    case kNewTrue: return Push(kTrue);
    case kNewFalse: return Push(kFalse);
    case kPop: Pop(); return !has_failed_;
    case kPopMark:
      if (!PopMark(&begin)) return false;
      stack_.Shrink(begin);
      return true;
    default:
      if (!marks_.Push(static_cast<std::uint32_t>(stack_.size()), allowance_)) return OutOfMemory();
      floor_ = stack_.size();
      return true;
  }
}

// A frame only tells how many bytes may be read at once.
bool PickleMachine::StepFrame() {
  const auto bytes = TakeNumber<std::uint64_t>();
  if (has_failed_ || bytes <= rest_.size()) return !has_failed_;
  return Fail("a frame reaches past the pickle's end");
}

bool PickleMachine::Stop() {
  if (stack_.size() != 1 || marks_.size() != 0) return Fail("the pickle stops with a stack that is not one value");
  if (!rest_.empty()) return Fail("there are bytes behind the pickle's end");
  graph_.root_ = stack_.back();
  has_stopped_ = true;
  return true;
}

}  // namespace gcsflux::internal
