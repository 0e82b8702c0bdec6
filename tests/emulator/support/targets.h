#pragma once

// Targets in the bucket "bucket"; an object's name follows.
namespace gcsflux::emulator {

inline constexpr auto kUpload = "/upload/storage/v1/b/bucket/o?uploadType=media&name=";
inline constexpr auto kObject = "/storage/v1/b/bucket/o/";

}  // namespace gcsflux::emulator
