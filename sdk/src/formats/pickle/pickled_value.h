#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "gcsflux/formats.h"

// The values that a Python program stored in a checkpoint beside its tensors, as plain C++ values.
namespace gcsflux::pickled {

struct Value;
using Entries = std::vector<std::pair<Value, Value>>;

/// An int that does not fit into 64 bits.
struct LongInteger {
  std::string bytes = {};  ///< Two's complement, little-endian, more than 8 bytes.
};

/// bytes, or bytearray.
struct Bytes {
  std::string data = {};
  bool is_mutable = false;
};

// Templates of V, which is always Value, because clang 14 accepts no default member initialisers for vectors of an
// incomplete type.
template <class V>
struct BasicList {
  std::vector<V> items = {};
};
using List = BasicList<Value>;

template <class V>
struct BasicTuple {
  std::vector<V> items = {};
};
using Tuple = BasicTuple<Value>;

template <class V>
struct BasicSet {
  std::vector<V> items = {};
  bool is_frozen = false;
};
using Set = BasicSet<Value>;

enum class DictKind : std::uint8_t {
  kDict,
  kOrderedDict,
  kDefaultDict,  ///< Without its factory.
  kCounter,
  kObject,  ///< A module or an archive of libtorch; its entries are the attributes.
};

template <class V>
struct BasicDict {
  DictKind kind = DictKind::kDict;
  std::string class_name = {};                   ///< Of kObject.
  std::vector<std::pair<V, V>> entries = {};     ///< In insertion order.
  std::vector<std::pair<V, V>> attributes = {};  ///< For kOrderedDict: a state_dict's `_metadata`.
};
using Dict = BasicDict<Value>;

/// torch.Size
struct Size {
  std::vector<std::int64_t> sizes = {};
};

/// torch.device
struct Device {
  std::string type = {};
  std::optional<std::int64_t> index = {};
};

/// A storage without a tensor.
struct Storage {
  std::size_t storage = 0;  ///< Index among the file's storages.
  DType dtype = DType::kUint8;
};

/// A numeric array of NumPy.
struct NumericArray {
  DType dtype = DType::kFloat64;
  std::vector<std::int64_t> shape = {};
  bool is_fortran = false;  ///< The first dimension's elements follow each other.
  std::string data = {};    ///< Little-endian.
};

/// A value that gcsflux does not read, and the reason. It was neither executed nor resolved.
struct Refused {
  std::string why = {};
};

/// One value; std::monostate is None.
struct Value {
  using Any =
      std::variant<std::monostate, bool, std::int64_t, LongInteger, double, std::complex<double>, std::string, Bytes,
                   List, Tuple, Set, Dict, Size, DType, Device, Storage, TensorLayout, NumericArray, Refused>;
  Any any = {};

  /// The value as one of these types. Null if it has another type.
  template <class T>
  [[nodiscard]] const T* As() const {
    return std::get_if<T>(&any);
  }
};

/// The value of the last entry with this key, as in Python. Null if there is none.
const Value* Find(const Dict& dict, std::string_view key);

/// True if type and value are equal, with the same order of entries. A refused value equals no value.
bool operator==(const Value& a, const Value& b);

}  // namespace gcsflux::pickled
