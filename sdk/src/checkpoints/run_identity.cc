#include "checkpoints/run_identity.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <random>

#include "base/text/printable.h"
#include "base/text/rfc3339.h"
#include "base/text/utf8.h"

namespace gcsflux::internal {
namespace {

constexpr const char* kId = "run-id";
constexpr const char* kHost = "run-host";
constexpr const char* kProcess = "run-process";

std::string HostName() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return IsUtf8(name.data()) ? name.data() : "unknown";
}

std::string ValueOf(const ObjectMetadata& object, const char* key) {
  const auto found = object.metadata.find(key);
  return found == object.metadata.end() ? "" : found->second;
}

}  // namespace

std::string RandomName() {
  std::random_device random;
  std::string name;
  while (name.size() < 32) name += "0123456789abcdef"[random() & 15];
  return name;
}

RunIdentity MakeRunIdentity() { return {.id = RandomName(), .host = HostName(), .process = ::getpid()}; }

ObjectAttributes AttributesOf(const RunIdentity& identity) {
  return {.content_type = "text/plain",
          .metadata = {{kId, identity.id}, {kHost, identity.host}, {kProcess, std::to_string(identity.process)}}};
}

RunIdentity IdentityOf(const ObjectMetadata& object) {
  RunIdentity identity{.id = ValueOf(object, kId), .host = ValueOf(object, kHost), .started = object.time_created};
  const std::string process = ValueOf(object, kProcess);
  std::from_chars(process.data(), process.data() + process.size(), identity.process);
  return identity;
}

std::string Describe(const RunIdentity& identity) {
  return Printable("run " + (identity.id.empty() ? "(unknown)" : identity.id) + " on " + identity.host + ", process " +
                       std::to_string(identity.process) + ", since " + FormatRfc3339(identity.started),
                   '?');
}

}  // namespace gcsflux::internal
