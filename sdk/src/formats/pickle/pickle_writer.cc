#include "formats/pickle/pickle_writer.h"

#include <bit>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text/utf8.h"
#include "formats/bytes/format_error.h"
#include "formats/bytes/little_endian.h"
#include "formats/bytes/tensor_layout.h"
#include "formats/pickle/most_levels.h"
#include "formats/pickle/pickle_globals.h"
#include "formats/pickle/pickle_output.h"

namespace gcsflux::internal {
namespace {

using pickled::DictKind;
using pickled::Value;

class Writer : private PickleOutput {
 public:
  explicit Writer(std::span<const std::uint64_t> storage_bytes)
      : storage_bytes_(storage_bytes), storage_dtypes_(storage_bytes.size()) {}

  Result<std::string> Write(const Value& root) && {
    pickle_ = "\x80\x02";
    Put(root, 0);
    pickle_ += '.';
    if (why_) return Error{ErrorCode::kInvalidArgument, "this value cannot be written for torch.load(): " + *why_};
    return std::move(pickle_);
  }

 private:
  void Put(const Value& value, int depth) {
    if (depth > kMostLevels) return Fail("it is nested deeper than 256 levels");
    if (why_) return;
    std::visit([&](const auto& held) { PutHeld(held, depth); }, value.any);
  }

  // ------------------------------------------------------------------------------------------------- plain values

  void PutHeld(std::monostate, int) { pickle_ += 'N'; }
  void PutHeld(bool value, int) { pickle_ += value ? '\x88' : '\x89'; }

  void PutHeld(std::int64_t value, int) { PutInteger(value); }
  void PutHeld(const pickled::LongInteger& value, int) { PutLong(value.bytes); }

  void PutHeld(double value, int) {
    pickle_ += 'G';
    AppendLittleEndian(pickle_, __builtin_bswap64(std::bit_cast<std::uint64_t>(value)));
  }

  void PutHeld(const std::complex<double>& value, int depth) {
    PutGlobal("builtins", "complex");
    PutHeld(value.real(), depth);
    PutHeld(value.imag(), depth);
    pickle_ += "\x86R";
  }

  void PutHeld(const std::string& text, int) {
    if (!IsUtf8(text)) return Fail("the text " + Shown(text) + " is not UTF-8");
    PutText(text);
  }

  // Protocol 2 has no opcode for bytes: they are text that is encoded when it is read.
  void PutHeld(const pickled::Bytes& bytes, int) {
    if (bytes.is_mutable) PutGlobal("builtins", "bytearray");
    PutGlobal("_codecs", "encode");
    std::string utf8;
    for (const char byte : bytes.data) {
      const auto code = static_cast<unsigned char>(byte);
      if (code < 0x80) {
        utf8 += byte;
      } else {
        utf8 += static_cast<char>(static_cast<unsigned char>(0xC0 | (code >> 6)));
        utf8 += static_cast<char>(static_cast<unsigned char>(0x80 | (code & 0x3F)));
      }
    }
    PutText(utf8);
    PutFixedText("latin1");
    pickle_ += "\x86R";
    if (bytes.is_mutable) pickle_ += "\x85R";
  }

  void PutHeld(const DType& dtype, int) { PutGlobal("torch", DTypeName(dtype)); }

  void PutHeld(const pickled::Device& device, int depth) {
    PutGlobal("torch", "device");
    PutHeld(device.type, depth);
    if (device.index) PutHeld(*device.index, depth);
    pickle_ += device.index ? "\x86R" : "\x85R";
  }

  void PutHeld(const pickled::Size& size, int) {
    PutGlobal("torch", "Size");
    PutNumbers(size.sizes);
    pickle_ += "\x85R";
  }

  void PutHeld(const pickled::NumericArray&, int) { Fail("NumPy's arrays are not among what weights_only=True reads"); }
  void PutHeld(const pickled::Refused& refused, int) { Fail("it was refused when it was read: " + refused.why); }

  // --------------------------------------------------------------------------------------------------- containers

  void PutItems(const std::vector<Value>& items, int depth) {
    for (const Value& item : items) Put(item, depth + 1);
  }

  void PutHeld(const pickled::List& list, int depth) { PutList(list.items, depth); }

  void PutList(const std::vector<Value>& items, int depth) {
    pickle_ += ']';
    if (items.empty()) return;
    pickle_ += '(';
    PutItems(items, depth);
    pickle_ += 'e';
  }

  void PutHeld(const pickled::Tuple& tuple, int depth) {
    BeginTuple(tuple.items.size());
    PutItems(tuple.items, depth);
    EndTuple(tuple.items.size());
  }

  void PutHeld(const pickled::Set& set, int depth) {
    if (set.is_frozen) return Fail("a frozenset is not among what weights_only=True reads; use a set");
    PutGlobal("builtins", "set");
    PutList(set.items, depth);
    pickle_ += "\x85R";
  }

  void PutEntries(const pickled::Entries& entries, int depth) {
    if (entries.empty()) return;
    pickle_ += '(';
    for (const auto& [key, value] : entries) {
      Put(key, depth + 1);
      Put(value, depth + 1);
    }
    pickle_ += 'u';
  }

  void PutHeld(const pickled::Dict& dict, int depth) {
    switch (dict.kind) {
      case DictKind::kDict: pickle_ += '}'; break;
      case DictKind::kOrderedDict: PutEmptyOrderedDict(); break;
      case DictKind::kDefaultDict: return Fail("a defaultdict is not among what weights_only=True reads; use a dict");
      case DictKind::kCounter: return Fail("a Counter is not among what weights_only=True reads; use a dict");
      case DictKind::kObject: return Fail("an object of class " + Shown(dict.class_name) + " has no place there");
    }
    PutEntries(dict.entries, depth);
    if (dict.attributes.empty()) return;
    if (dict.kind != DictKind::kOrderedDict) return Fail("only an OrderedDict has attributes");
    pickle_ += '}';
    PutEntries(dict.attributes, depth);
    pickle_ += 'b';
  }

  void PutEmptyOrderedDict() {
    PutGlobal("collections", "OrderedDict");
    pickle_ += ")R";
  }

  // ------------------------------------------------------------------------------------------------------ tensors

  void PutHeld(const pickled::Storage& storage, int) { PutStorage(storage.storage, storage.dtype); }

  void PutStorage(std::size_t storage, DType dtype) {
    const std::string_view name = StorageClassOf(dtype);
    if (name.empty()) return Fail("PyTorch 1.13 has no tensors of type " + std::string(DTypeName(dtype)));
    if (storage >= storage_bytes_.size()) return Fail("there is no storage " + std::to_string(storage));
    if (storage_dtypes_[storage].value_or(dtype) != dtype) {
      return Fail("storage " + std::to_string(storage) + " has tensors of two types");
    }
    storage_dtypes_[storage] = dtype;
    if (storage_bytes_[storage] % ElementBytes(dtype) != 0) {
      return Fail("storage " + std::to_string(storage) + " does not hold whole elements");
    }
    pickle_ += '(';
    PutFixedText("storage");
    PutGlobal("torch", name);
    PutText(std::to_string(storage));
    PutFixedText("cpu");
    PutInteger(static_cast<std::int64_t>(storage_bytes_[storage] / ElementBytes(dtype)));
    pickle_ += "tQ";
  }

  void PutHeld(const TensorLayout& tensor, int) {
    if (tensor.is_parameter) PutGlobal("torch._utils", "_rebuild_parameter");
    PutGlobal("torch._utils", "_rebuild_tensor_v2");
    pickle_ += '(';
    PutStorage(tensor.storage, tensor.dtype);
    if (!why_ && !TouchedBytes(tensor, storage_bytes_[tensor.storage])) Fail("a tensor leaves its storage");
    PutHeld(static_cast<std::int64_t>(tensor.offset), 0);
    PutNumbers(tensor.shape);
    PutNumbers(tensor.strides);
    PutHeld(tensor.requires_grad && !tensor.is_parameter, 0);
    PutEmptyOrderedDict();
    pickle_ += "tR";
    if (!tensor.is_parameter) return;
    PutHeld(tensor.requires_grad, 0);
    PutEmptyOrderedDict();
    pickle_ += "\x87R";
  }

  std::span<const std::uint64_t> storage_bytes_;
  std::vector<std::optional<DType>> storage_dtypes_;
};

}  // namespace

Result<std::string> WritePickle(const Value& root, std::span<const std::uint64_t> storage_bytes) {
  return Writer(storage_bytes).Write(root);
}

}  // namespace gcsflux::internal
