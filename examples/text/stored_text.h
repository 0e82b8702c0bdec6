#pragma once

#include <torch/types.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "gcsflux/client.h"
#include "gcsflux/listing.h"

/// A piece of a text: the characters that the network sees, and the one behind them.
struct TextPiece {
  std::string object;        ///< Its name in the bucket.
  torch::Tensor characters;  ///< int64, kContext + 1 of them.
};

/// Stores the files of a directory in pieces, `<folder><file>/<number>.txt`, as far as they are not there yet. Returns
/// how many it stored. Symbolic links are left out. Throws gcsflux::StorageError, and std::runtime_error where a file
/// cannot be read or no file has a whole piece.
std::size_t StoreText(const gcsflux::Client& client, const gcsflux::ObjectName& folder,
                      const std::filesystem::path& directory);

/// Throws std::runtime_error where the object has another length.
TextPiece DecodePiece(const gcsflux::ListedObject& object, std::span<const std::byte> bytes);
