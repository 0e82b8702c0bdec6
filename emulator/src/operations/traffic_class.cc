#include "operations/traffic_class.h"

#include <algorithm>
#include <array>

namespace gcsflux::emulator {
namespace {

struct Verb {
  std::string_view name;
  TrafficClass traffic_class;
};

// What an operation's name ends with; whatever is not here writes.
constexpr std::array kVerbs = {
    Verb{"get", TrafficClass::kRead},       Verb{"getIamPolicy", TrafficClass::kRead},
    Verb{"list", TrafficClass::kList},      Verb{"testIamPermissions", TrafficClass::kRead},
    Verb{"listParts", TrafficClass::kList}, Verb{"compose", TrafficClass::kCompose},
    Verb{"delete", TrafficClass::kDelete},  Verb{"getStorageLayout", TrafficClass::kRead},
};

constexpr std::array<std::string_view, 9> kMutations = {
    "storage.objects.move",    "storage.objects.insert",  "storage.objects.patch",
    "storage.objects.update",  "storage.objects.delete",  "storage.objects.copy",
    "storage.objects.rewrite", "storage.objects.compose", "storage.objects.restore",
};

}  // namespace

std::optional<TrafficClass> ClassOf(std::string_view operation, std::string_view phase) {
  if (!operation.starts_with("storage.")) return std::nullopt;
  if (phase == "cancel" || phase == "abort") return TrafficClass::kDelete;
  const std::string_view verb = operation.substr(operation.rfind('.') + 1);
  const auto* found = std::find_if(kVerbs.begin(), kVerbs.end(), [&](const Verb& v) { return v.name == verb; });
  return found != kVerbs.end() ? found->traffic_class : TrafficClass::kWrite;
}

bool MutatesObject(std::string_view operation, std::string_view phase) {
  if (operation == "storage.multipartUploads.create") return phase == "complete";
  const bool ends = phase.empty() || phase == "final";
  return ends && std::find(kMutations.begin(), kMutations.end(), operation) != kMutations.end();
}

}  // namespace gcsflux::emulator
