#include "campaign/case.h"

#include <sstream>
#include <stdexcept>

namespace gcsflux::campaign {
namespace {

// The rest of the line behind one blank.
std::string Rest(std::istringstream& line) {
  std::string rest;
  line.get();
  std::getline(line, rest);
  return rest;
}

bool ReadLine(const std::string& text, Case& c) {
  std::istringstream line(text);
  std::string key;
  line >> key;
  if (key.empty() || key.front() == '#') return true;
  if (key == "seed") return static_cast<bool>(line >> c.seed);
  if (key == "threads") return line >> c.threads && c.threads > 0 && c.threads <= 1'000;
  if (key == "quotas") return static_cast<bool>(line >> c.has_quotas);
  if (key == "plan") return !(c.plan = Rest(line)).empty();
  if (key == "rule") return !c.rules.emplace_back(Rest(line)).empty();
  if (key != "step") return false;
  Step step;
  if (!(line >> step.worker >> step.seed)) return false;
  step.operation = Rest(line);
  c.steps.push_back(step);
  return !step.operation.empty();
}

}  // namespace

std::string FormatStep(const Step& step) {
  return "step " + std::to_string(step.worker) + " " + std::to_string(step.seed) + " " + step.operation + "\n";
}

std::string FormatCase(const Case& c) {
  std::ostringstream text;
  text << "seed " << c.seed << "\nthreads " << c.threads << "\nquotas " << c.has_quotas << "\n";
  if (!c.plan.empty()) text << "plan " << c.plan << "\n";
  for (const std::string& rule : c.rules) text << "rule " << rule << "\n";
  for (const Step& step : c.steps) text << FormatStep(step);
  return text.str();
}

Case ParseCase(std::string_view text) {
  Case c;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!ReadLine(line, c)) throw std::invalid_argument("line " + std::to_string(number) + ": '" + line + "'");
  }
  if (c.threads == 0) throw std::invalid_argument("the line 'threads N' is missing");
  for (const Step& step : c.steps) {
    if (step.worker < 0 || step.worker >= c.threads) {
      throw std::invalid_argument("step " + std::to_string(step.worker) + ": there is no such worker");
    }
  }
  return c;
}

}  // namespace gcsflux::campaign
