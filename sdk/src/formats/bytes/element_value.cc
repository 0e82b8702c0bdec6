#include "formats/bytes/element_value.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace gcsflux::internal {
namespace {

constexpr long double kNoNumber = std::numeric_limits<long double>::quiet_NaN();

template <class Number>
Number Load(const std::byte* bytes) {
  Number number{};
  std::memcpy(&number, bytes, sizeof(number));
  return number;
}

// A floating-point number of a sign, exponent bits and mantissa bits.
struct SmallFloat {
  int exponent_bits = 0;
  int mantissa_bits = 0;
  int bias = 0;
  enum class Special : std::uint8_t {
    kIeee,          // The highest exponent: infinities and NaNs.
    kOneNan,        // All bits but the sign: NaN.
    kNegativeZero,  // The negative zero is the NaN.
  } special = Special::kIeee;
};

long double ValueOf(const SmallFloat& format, unsigned bits) {
  const unsigned mantissa = bits & ((1U << format.mantissa_bits) - 1);
  const unsigned highest = (1U << format.exponent_bits) - 1;
  const unsigned exponent = (bits >> format.mantissa_bits) & highest;
  const bool is_negative = (bits >> (format.mantissa_bits + format.exponent_bits)) != 0;
  using Special = SmallFloat::Special;
  if (format.special == Special::kNegativeZero && is_negative && mantissa == 0 && exponent == 0) return kNoNumber;
  if (format.special == Special::kOneNan && exponent == highest && mantissa == (1U << format.mantissa_bits) - 1) {
    return kNoNumber;
  }
  long double value = 0;
  if (format.special == Special::kIeee && exponent == highest) {
    value = mantissa == 0 ? std::numeric_limits<long double>::infinity() : kNoNumber;
  } else {
    const unsigned whole = exponent == 0 ? mantissa : mantissa + (1U << format.mantissa_bits);
    const int power = static_cast<int>(exponent == 0 ? 1 : exponent) - format.bias - format.mantissa_bits;
    value = std::ldexp(static_cast<long double>(whole), power);
  }
  return is_negative ? -value : value;
}

using Special = SmallFloat::Special;
constexpr SmallFloat kHalf{5, 10, 15, Special::kIeee};
constexpr SmallFloat kBrain{8, 7, 127, Special::kIeee};

// Of a real element, or of one part of a complex one.
long double RealValue(DType dtype, const std::byte* bytes) {
  switch (dtype) {
    case DType::kBool:
    case DType::kUint8: return Load<std::uint8_t>(bytes);
    case DType::kInt8: return Load<std::int8_t>(bytes);
    case DType::kInt16: return Load<std::int16_t>(bytes);
    case DType::kInt32: return Load<std::int32_t>(bytes);
    case DType::kInt64: return static_cast<long double>(Load<std::int64_t>(bytes));
    case DType::kUint16: return Load<std::uint16_t>(bytes);
    case DType::kUint32: return Load<std::uint32_t>(bytes);
    case DType::kUint64: return static_cast<long double>(Load<std::uint64_t>(bytes));
    case DType::kComplex32:
    case DType::kFloat16: return ValueOf(kHalf, Load<std::uint16_t>(bytes));
    case DType::kBfloat16: return ValueOf(kBrain, Load<std::uint16_t>(bytes));
    case DType::kComplex64:
    case DType::kFloat32: return Load<float>(bytes);
    case DType::kComplex128:
    case DType::kFloat64: return Load<double>(bytes);
    case DType::kFloat8E4m3fn: return ValueOf({4, 3, 7, Special::kOneNan}, Load<std::uint8_t>(bytes));
    case DType::kFloat8E4m3fnuz: return ValueOf({4, 3, 8, Special::kNegativeZero}, Load<std::uint8_t>(bytes));
    case DType::kFloat8E5m2: return ValueOf({5, 2, 15, Special::kIeee}, Load<std::uint8_t>(bytes));
    case DType::kFloat8E5m2fnuz: return ValueOf({5, 2, 16, Special::kNegativeZero}, Load<std::uint8_t>(bytes));
    case DType::kFloat8E8m0fnu: {
      const auto exponent = Load<std::uint8_t>(bytes);
      return exponent == 0xFF ? kNoNumber : std::ldexp(1.0L, exponent - 127);
    }
  }
  return kNoNumber;
}

bool IsComplex(DType dtype) {
  return dtype == DType::kComplex32 || dtype == DType::kComplex64 || dtype == DType::kComplex128;
}

long double RealDifference(DType dtype, const std::byte* a, const std::byte* b) {
  const long double first = RealValue(dtype, a);
  const long double second = RealValue(dtype, b);
  return first == second ? 0 : std::fabs(first - second);  // Of equal infinities too.
}

}  // namespace

long double ElementDifference(DType dtype, const std::byte* a, const std::byte* b) {
  const long double real = RealDifference(dtype, a, b);
  if (!IsComplex(dtype) || std::isnan(real)) return real;
  const std::size_t half = ElementBytes(dtype) / 2;
  const long double imaginary = RealDifference(dtype, a + half, b + half);
  return imaginary > real || std::isnan(imaginary) ? imaginary : real;
}

}  // namespace gcsflux::internal
