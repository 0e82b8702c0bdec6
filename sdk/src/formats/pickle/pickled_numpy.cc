#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "formats/bytes/little_endian.h"
#include "formats/pickle/pickle_reader.h"

// NumPy's scalars and arrays of numbers. Structures, objects and big-endian numbers are not supported.
namespace gcsflux::internal {
namespace {

using pickled::Value;

template <class Number>
std::int64_t IntegerFrom(std::string_view data) {
  return FromLittleEndian<Number>(data);
}

// Half floats, and numbers that do not fit, stay arrays of one number.
std::optional<Value> ScalarOf(DType dtype, const std::string& data) {
  switch (dtype) {
    case DType::kBool: return Value{.any = data[0] != 0};
    case DType::kInt8: return Value{.any = IntegerFrom<std::int8_t>(data)};
    case DType::kInt16: return Value{.any = IntegerFrom<std::int16_t>(data)};
    case DType::kInt32: return Value{.any = IntegerFrom<std::int32_t>(data)};
    case DType::kInt64: return Value{.any = IntegerFrom<std::int64_t>(data)};
    case DType::kUint8: return Value{.any = IntegerFrom<std::uint8_t>(data)};
    case DType::kUint16: return Value{.any = IntegerFrom<std::uint16_t>(data)};
    case DType::kUint32: return Value{.any = IntegerFrom<std::uint32_t>(data)};
    case DType::kFloat32:
      return Value{.any = static_cast<double>(std::bit_cast<float>(FromLittleEndian<std::uint32_t>(data)))};
    case DType::kFloat64: return Value{.any = std::bit_cast<double>(FromLittleEndian<std::uint64_t>(data))};
    default: return Value{.any = pickled::NumericArray{.dtype = dtype, .data = data}};
  }
}

// Nothing if the number of bytes does not match the shape.
std::optional<Value> ArrayOf(pickled::NumericArray array) {
  const auto count = ElementCount(array.shape);
  const std::size_t element = ElementBytes(array.dtype);
  if (!count || array.data.size() % element != 0 || array.data.size() / element != *count) return std::nullopt;
  return Value{.any = std::move(array)};
}

}  // namespace

// numpy.dtype('f4', align, copy) with the state (3, '<', None, None, None, -1, -1, 0)
std::optional<DType> PickleReader::NumpyDType(NodeId id) const {
  struct Row {
    std::string_view code;
    DType dtype;
  };
  static constexpr auto kRows = std::to_array<Row>({{"b1", DType::kBool},
                                                    {"i1", DType::kInt8},
                                                    {"i2", DType::kInt16},
                                                    {"i4", DType::kInt32},
                                                    {"i8", DType::kInt64},
                                                    {"u1", DType::kUint8},
                                                    {"u2", DType::kUint16},
                                                    {"u4", DType::kUint32},
                                                    {"u8", DType::kUint64},
                                                    {"f2", DType::kFloat16},
                                                    {"f4", DType::kFloat32},
                                                    {"f8", DType::kFloat64},
                                                    {"c8", DType::kComplex64},
                                                    {"c16", DType::kComplex128}});
  if (MeaningOfCall(id) != Meaning::kNumpyDtype) return std::nullopt;
  const auto arguments = SmallTuple(graph_.Arguments(id), 1, 3);
  const auto state = SmallTuple(graph_.State(id), 3, 9);
  const auto code = arguments ? TextOf(arguments->front()) : std::nullopt;
  const auto order = state ? TextOf((*state)[1]) : std::nullopt;
  if (!code || !order || (*order != "<" && *order != "|")) return std::nullopt;
  const auto* const row =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& known) { return known.code == *code; });
  return row == kRows.end() ? std::nullopt : std::optional(row->dtype);
}

std::optional<Value> PickleReader::ReadNumpyScalar(NodeId id) const {
  const auto arguments = SmallTuple(graph_.Arguments(id), 2, 2);
  const auto dtype = arguments ? NumpyDType(arguments->front()) : std::nullopt;
  const auto data = dtype ? BytesOf(arguments->back()) : std::nullopt;
  if (!data || data->size() != ElementBytes(*dtype)) return std::nullopt;
  return ScalarOf(*dtype, *data);
}

// _reconstruct(ndarray, (0,), b'b') with the state (version, shape, dtype, is_fortran, bytes)
std::optional<Value> PickleReader::ReadNumpyArray(NodeId id) const {
  const auto arguments = SmallTuple(graph_.Arguments(id), 3, 3);
  const auto state = SmallTuple(graph_.State(id), 5, 5);
  if (!arguments || !state || MeaningOfNode(arguments->front()).meaning != Meaning::kNumpyArray) return std::nullopt;
  auto shape = SizesOf((*state)[1]);
  const auto dtype = NumpyDType((*state)[2]);
  const auto is_fortran = FlagOf((*state)[3]);
  auto data = BytesOf((*state)[4]);
  if (!shape || !dtype || !is_fortran || !data) return std::nullopt;
  return ArrayOf({*dtype, *std::move(shape), *is_fortran, *std::move(data)});
}

// _frombuffer(bytes, dtype, shape, order), which protocol 5 uses instead
std::optional<Value> PickleReader::ReadNumpyBuffer(NodeId id) const {
  const auto arguments = SmallTuple(graph_.Arguments(id), 4, 4);
  if (!arguments) return std::nullopt;
  const bool is_mutable = graph_.kind(arguments->front()) == NodeKind::kByteArray;
  auto data = is_mutable ? std::string(graph_.Bytes(arguments->front())) : BytesOf(arguments->front());
  const auto dtype = NumpyDType((*arguments)[1]);
  auto shape = SizesOf((*arguments)[2]);
  const auto order = TextOf((*arguments)[3]);
  if (!data || !dtype || !shape || (order != "C" && order != "F")) return std::nullopt;
  return ArrayOf({*dtype, *std::move(shape), order == "F", *std::move(data)});
}

}  // namespace gcsflux::internal
