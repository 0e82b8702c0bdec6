#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "images/job.h"

namespace examples {

/// Whether an image file is for the job.
using AcceptImage = std::function<bool(const std::string& path, std::span<const std::byte> bytes)>;

/// Stores what --data_dir and --drawn_images say as train/<class>/<name> and test/<class>/<name>, on rank 0; all ranks
/// wait for it. Drawn images are discs, squares and crosses on transparent ground, a class each. Throws
/// gcsflux::StorageError, and std::runtime_error if the folder has no such files.
void StoreImages(const Job& job, const AcceptImage& accept);

/// The directories of test/ in the bucket, or in --local_dir: in their order, the classes. Throws std::runtime_error if
/// there is none.
std::vector<std::string> ImageClasses(const Job& job);

/// True for names of PNG and JPEG files.
bool IsImageName(const std::string& name);

}  // namespace examples
