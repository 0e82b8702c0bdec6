#include "http/which_api.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/letter_case.h"

namespace gcsflux::emulator {
namespace {

// In a host name, the part before one of these is a bucket. Any other host is an alias for the emulator, and the path
// names the bucket.
constexpr std::string_view kServiceSuffix = ".storage.googleapis.com";
constexpr std::string_view kLocalSuffix = ".localhost";

// The paths of everything else that the emulator serves.
constexpr std::array<std::string_view, 11> kOtherPaths = {"/storage/v1/",
                                                          "/upload/storage/v1/",
                                                          "/resumable/upload/storage/v1/",
                                                          "/download/storage/v1/",
                                                          "/batch/",
                                                          "/_emulator/",
                                                          "/retry_test/",
                                                          "/retry_tests/",
                                                          "/token/",
                                                          "/computeMetadata/",
                                                          "/v1/"};

bool IsOtherPath(std::string_view target) {
  if (target.starts_with("http://") || target.starts_with("https://")) {  // clients send it so to proxies
    target.remove_prefix(std::min(target.find('/', target.find("//") + 2), target.size()));
  }
  const std::string path = std::string(target.substr(0, target.find('?'))) + '/';
  return std::any_of(kOtherPaths.begin(), kOtherPaths.end(),
                     [&](std::string_view other) { return path.starts_with(other); });
}

std::string HostName(const HttpRequest& request) {
  const std::string* host = request.headers.Find("host");
  return host != nullptr ? LowerCase(host->substr(0, host->find(':'))) : std::string();
}

}  // namespace

std::string BucketOfHost(const HttpRequest& request) {
  const std::string name = HostName(request);
  for (const std::string_view suffix : {kServiceSuffix, kLocalSuffix}) {
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  }
  return {};
}

bool IsXmlRequest(const HttpRequest& request) {
  // The emulator's own name may end in .localhost, so the other paths are checked first in that case.
  return HostName(request).ends_with(kServiceSuffix) || !IsOtherPath(request.target);
}

}  // namespace gcsflux::emulator
