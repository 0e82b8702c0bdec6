#include "program/estimate.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "case/operation_of.h"
#include "case/placeholders.h"

namespace gcsflux::conformance {
namespace {

using Counts = std::map<std::string, std::uint64_t>;

void Count(const Step& step, Counts& counts) {
  const std::uint64_t times = step.concurrently ? step.concurrently->times : 1;
  if (step.for_each.empty()) counts[OperationOf(step.method, step.target)] += times;
  for (const std::string& each : step.for_each) {
    counts[OperationOf(step.method, Substitute(step.target, {{"each", each}}))] += times;
  }
}

Counts CountAll(const std::vector<Case>& cases) {
  Counts counts;
  for (const Case& each : cases) {
    if (each.bucket_exists) ++counts["storage.buckets.insert"];
    for (const Step& step : each.steps) Count(step, counts);
    ++counts["storage.objects.list"];
    counts["storage.buckets.delete"] += 2;
  }
  return counts;
}

std::string Line(const char* format, const std::string& name, std::uint64_t count, char billing_class) {
  char line[160];
  const double price = static_cast<double>(count) / 1000 * PricePerThousand(billing_class);
  const int size = std::snprintf(line, sizeof(line), format, name.c_str(), static_cast<unsigned long long>(count),
                                 billing_class == '0' ? "free" : std::string(1, billing_class).c_str(), price);
  return {line, static_cast<std::size_t>(std::clamp(size, 0, static_cast<int>(sizeof(line)) - 1))};
}

}  // namespace

std::string EstimateOf(const std::vector<Case>& cases) {
  std::string text = std::to_string(cases.size()) + " cases\n";
  std::map<char, std::uint64_t> by_class;
  for (const auto& [operation, count] : CountAll(cases)) {
    const char billing_class = BillingClassOf(operation);
    by_class[billing_class] += count;
    text += Line("%-44s %8llu  %-4s\n", operation, count, billing_class);
  }
  double price = 0;
  for (const auto& [billing_class, count] : by_class) {
    price += static_cast<double>(count) / 1000 * PricePerThousand(billing_class);
    text += Line("%-44s %8llu  %-4s %.4f USD\n", "total", count, billing_class);
  }
  char total[80];
  std::snprintf(total, sizeof(total), "about %.2f USD for operations, without egress and storage\n", price);
  return text + total;
}

}  // namespace gcsflux::conformance
