#pragma once

#include <torch/data/example.h>

#include <cstddef>
#include <span>

#include "fashion_mnist/idx_file.h"
#include "gcsflux/client.h"
#include "gcsflux/listing.h"

/// Stores the images that are not there yet as `<folder>/<label>/<index>.png` and returns how many those were.
/// Throws gcsflux::StorageError.
std::size_t StoreImages(const gcsflux::Client& client, const gcsflux::ObjectName& folder, const LabelledImages& images);

/// A stored image's pixels (uint8, 1 x 28 x 28) and its label, which is the name of the directory it is in.
/// Throws std::runtime_error where it is something else.
torch::data::Example<> DecodeImage(const gcsflux::ListedObject& object, std::span<const std::byte> bytes);
