#include "images/codecs/split_pixels.h"

#ifdef __SSE2__
#include <emmintrin.h>

#include <cstring>
#endif

namespace gcsflux::internal {
namespace {

#ifdef __SSE2__
// The byte `Channel` of 16 pixels of four bytes.
template <int Channel>
__m128i Bytes(const __m128i (&pixels)[4]) {
  const __m128i low = _mm_set1_epi32(0xff);
  __m128i byte[4];
  for (int i = 0; i < 4; ++i) byte[i] = _mm_and_si128(_mm_srli_epi32(pixels[i], 8 * Channel), low);
  return _mm_packus_epi16(_mm_packs_epi32(byte[0], byte[1]), _mm_packs_epi32(byte[2], byte[3]));
}

// Four pixels, each at the beginning of four bytes. Of pixels of three bytes it reads one byte more.
template <std::size_t kStride>
__m128i FourPixels(const std::uint8_t* pixels) {
  if constexpr (kStride == 4) return _mm_loadu_si128(reinterpret_cast<const __m128i*>(pixels));
  std::int32_t pixel[4];
  for (int i = 0; i < 4; ++i) std::memcpy(&pixel[i], pixels + i * kStride, 4);
  return _mm_setr_epi32(pixel[0], pixel[1], pixel[2], pixel[3]);
}

// Returns how many pixels it has split: a compiler does not find this by itself, and it is a tenth of the time.
template <std::size_t kStride>
std::size_t SplitBySixteen(const PixelRow& row, std::size_t channels, std::uint8_t* planes, std::size_t plane) {
  std::size_t i = 0;
  for (; i + 16 < row.count; i += 16) {
    const std::uint8_t* const from = row.pixels + kStride * i;
    const __m128i pixels[4] = {FourPixels<kStride>(from), FourPixels<kStride>(from + 4 * kStride),
                               FourPixels<kStride>(from + 8 * kStride), FourPixels<kStride>(from + 12 * kStride)};
    const auto store = [&](std::size_t channel, __m128i bytes) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(planes + channel * plane + i), bytes);
    };
    store(0, Bytes<0>(pixels));
    store(1, Bytes<1>(pixels));
    store(2, Bytes<2>(pixels));
    if (channels == 4) store(3, Bytes<3>(pixels));
  }
  return i;
}
#endif

// With numbers that the compiler knows, in a third of the time.
template <std::size_t kStride, std::size_t kChannels>
void SplitFrom(std::size_t i, const PixelRow& row, std::uint8_t* planes, std::size_t plane) {
  for (; i < row.count; ++i) {
    const std::uint8_t* const pixel = row.pixels + i * kStride;
    for (std::size_t channel = 0; channel < kChannels; ++channel) planes[channel * plane + i] = pixel[channel];
  }
}

}  // namespace

void SplitPixels(const PixelRow& row, std::size_t channels, std::uint8_t* planes, std::size_t plane) {
  if (row.stride == 1) return SplitFrom<1, 1>(0, row, planes, plane);
  std::size_t i = 0;
#ifdef __SSE2__
  i = row.stride == 3 ? SplitBySixteen<3>(row, channels, planes, plane)
                      : SplitBySixteen<4>(row, channels, planes, plane);
#endif
  if (row.stride == 3) return SplitFrom<3, 3>(i, row, planes, plane);
  if (channels == 4) return SplitFrom<4, 4>(i, row, planes, plane);
  SplitFrom<4, 3>(i, row, planes, plane);
}

}  // namespace gcsflux::internal
