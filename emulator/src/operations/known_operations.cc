#include "operations/known_operations.h"

#include <algorithm>
#include <tuple>

#include "operations/operation.h"

namespace gcsflux::emulator {
namespace {

using Rows = std::vector<const Operation*>;

bool IsBefore(const Operation* a, const Operation* b) {
  return std::tie(a->name, a->phase) < std::tie(b->name, b->phase);
}

// All rows, by name and phase. A test checks that rows of one name and phase agree in what is read here.
const Rows& RowsInOrder() {
  static const Rows kRows = [] {
    Rows rows;
    for (const Operation& operation : JsonOperations()) rows.push_back(&operation);
    for (const Operation& operation : XmlOperations()) rows.push_back(&operation);
    for (const Operation& operation : UnservedOperations()) rows.push_back(&operation);
    std::sort(rows.begin(), rows.end(), IsBefore);
    return rows;
  }();
  return kRows;
}

// The row of the name and the phase. If no row has the phase, the first one of the name. Null if none has the name.
const Operation* FindRow(std::string_view name, std::string_view phase) {
  const Rows& rows = RowsInOrder();
  const auto find = [&](std::string_view of_phase) -> const Operation* {
    const Operation wanted{.name = name, .phase = of_phase, .needs = {}};
    const auto row = std::lower_bound(rows.begin(), rows.end(), &wanted, IsBefore);
    return row != rows.end() && (*row)->name == name ? *row : nullptr;
  };
  const Operation* exact = find(phase);
  return exact != nullptr && exact->phase == phase ? exact : find("");
}

}  // namespace

std::optional<TrafficClass> ClassOf(std::string_view operation, std::string_view phase) {
  const Operation* row = FindRow(operation, phase);
  return row != nullptr ? std::optional(row->traffic_class) : std::nullopt;
}

bool MutatesObject(std::string_view operation, std::string_view phase) {
  const Operation* row = FindRow(operation, phase);
  if (row == nullptr || !row->mutates_object) return false;
  // A resumable session has phases that no row has. Its last request makes the object.
  return phase == row->phase || (row->phase.empty() && phase == "final");
}

const std::vector<std::string_view>& OperationNames() {
  static const std::vector<std::string_view> kNames = [] {
    std::vector<std::string_view> names;
    for (const Operation* operation : RowsInOrder()) names.push_back(operation->name);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
  }();
  return kNames;
}

bool IsRetryMethod(std::string_view method) {
  const Operation* row = FindRow(method, "");
  return row != nullptr && row->is_retry_method;
}

std::string_view RetryMethodOf(std::string_view operation) {
  const Operation* row = FindRow(operation, "");
  return row != nullptr && !row->counts_as.empty() ? row->counts_as : operation;
}

}  // namespace gcsflux::emulator
