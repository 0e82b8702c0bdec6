#pragma once

// Targets in the bucket "bucket"; an object's name follows.
namespace gcsflux::emulator {

inline constexpr auto kUploadTarget = "/upload/storage/v1/b/bucket/o?uploadType=media&name=";
inline constexpr auto kObjectTarget = "/storage/v1/b/bucket/o/";

}  // namespace gcsflux::emulator
