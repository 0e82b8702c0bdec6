#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// A grey image as a PNG file.
std::vector<std::byte> EncodePng(std::span<const std::uint8_t> pixels, std::size_t rows, std::size_t columns);

/// Reads a PNG file of exactly `rows` x `columns` into `pixels`, as grey.
/// Throws std::runtime_error where the bytes are no PNG, a damaged one, or one of another size.
void DecodePng(std::span<const std::byte> file, std::span<std::uint8_t> pixels, std::size_t rows, std::size_t columns);
