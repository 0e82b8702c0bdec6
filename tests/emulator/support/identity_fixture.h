#pragma once

#include <string>

namespace gcsflux::emulator {

// The identities of the tests.
inline constexpr auto kAdminEmail = "admin@test-project.iam.gserviceaccount.com";
inline constexpr auto kViewerEmail = "viewer@test-project.iam.gserviceaccount.com";
inline constexpr auto kCreatorEmail = "creator@test-project.iam.gserviceaccount.com";
inline constexpr auto kUserEmail = "user@test-project.iam.gserviceaccount.com";
inline constexpr auto kPersonEmail = "person@example.com";
inline constexpr auto kWorkload =
    "principal://iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/subject/s";
inline constexpr auto kAudience =
    "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x";
inline constexpr auto kRefreshToken = "1//refresh-token-of-a-person";
inline constexpr auto kClientSecret = "client-secret-of-a-program";
inline constexpr auto kSubjectToken = "subject-token-of-a-workload";

// Reads and adds, but may not delete or replace.
inline constexpr auto kCollectorEmail = "collector@test-project.iam.gserviceaccount.com";

inline constexpr auto kReadOnly = "https://www.googleapis.com/auth/devstorage.read_only";
inline constexpr auto kCloudPlatform = "https://www.googleapis.com/auth/cloud-platform";

/// The identities above. Each service account signs with TestKey(1) as "key-1". Each but the admin has its role in the
/// bucket named "bucket" only. The workload may impersonate the viewer, and the viewer the user. The machine is the
/// viewer. Tokens are valid for 1000 seconds.
std::string IdentityConfigText();

}  // namespace gcsflux::emulator
