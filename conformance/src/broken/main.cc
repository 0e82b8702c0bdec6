// gcsflux-conformance-broken: shows that the cases notice what an endpoint does wrong.
//
//     gcsflux-conformance-broken DEFECTS TABLE [GLOB]
//
// Runs the built-in cases through a proxy with each defect of the directory DEFECTS, whose name matches GLOB, in front
// of an emulator in this process, and writes the table of what was noticed to the file TABLE. Exit status: 0 if each
// defect was noticed, and without a defect each case passes; else 1. 2 for wrong usage.

#include <curl/curl.h>
#include <fnmatch.h>

#include <fstream>
#include <iostream>
#include <mutex>
#include <thread>

#include "broken/find_defect.h"
#include "gcsflux/emulator/emulator.h"
#include "read_cases/load_cases.h"

namespace gcsflux::conformance {
namespace {

std::string Joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& each : texts) joined += (joined.empty() ? "" : ", ") + each;
  return joined;
}

/// What is wrong with the suite; empty if nothing is.
std::string WhyBad(const DefectFound& found) {
  if (found.has_hung) return "the run did not end in time";
  if (found.fired == 0) return "no case sends a request that it changes";
  return found.seen_by.empty() ? "no case noticed it" : "";
}

/// The defects, shared out to threads.
class Search {
 public:
  Search(const std::vector<Defect>& defects, const std::vector<Check>& checks, const std::string& endpoint)
      : defects_(defects), checks_(checks), endpoint_(endpoint), found_(defects.size()) {}

  void Work() {
    for (std::size_t index = Next(); index < defects_.size(); index = Next()) {
      DefectFound found = FindDefect(&defects_[index], checks_, endpoint_);
      const std::string bad = WhyBad(found);
      const std::scoped_lock lock(mutex_);
      std::cout << (bad.empty() ? "ok   " : "FAIL ") + defects_[index].name + ": " +
                       (bad.empty() ? Joined(found.seen_by) : bad + ": " + defects_[index].about)
                << std::endl;
      has_failed_ |= !bad.empty();
      found_[index] = std::move(found);
    }
  }

  [[nodiscard]] bool has_failed() const { return has_failed_; }

  [[nodiscard]] std::string Table() const {
    std::string table = "| defect | | noticed by (the first " + std::to_string(kEnough) + ") |\n|---|---|---|\n";
    for (std::size_t i = 0; i < defects_.size(); ++i) {
      const bool is_form = found_[i].is_form_only && !found_[i].seen_by.empty();
      table += "| `" + defects_[i].name + "` | " + defects_[i].about + " | " + Joined(found_[i].seen_by) +
               (is_form ? " (form)" : "") + " |\n";
    }
    return table;
  }

 private:
  std::size_t Next() {
    const std::scoped_lock lock(mutex_);
    return next_++;
  }

  const std::vector<Defect>& defects_;
  const std::vector<Check>& checks_;
  const std::string& endpoint_;
  std::mutex mutex_;  // guards what follows
  std::size_t next_ = 0;
  bool has_failed_ = false;
  std::vector<DefectFound> found_;
};

int Main(const std::string& directory, const std::string& table_file, const std::string& glob) {
  auto defects = LoadDefects(directory);
  const auto cases = LoadEmbeddedCases();
  std::ofstream table(table_file);
  if (!defects || !cases || !table) {
    std::cerr << (!defects ? defects.error() : !cases ? cases.error() : table_file + " cannot be written") + "\n";
    return 2;
  }
  std::erase_if(*defects, [&](const Defect& each) { return fnmatch(glob.c_str(), each.name.c_str(), 0) != 0; });
  const std::vector<Check> checks = ChecksOf(*cases);
  const emulator::Emulator emulator;
  const DefectFound right = FindDefect(nullptr, checks, emulator.endpoint());
  if (!right.seen_by.empty() || right.has_hung) {
    std::cout << "FAIL without a defect: " + Joined(right.seen_by) + (right.has_hung ? " (it did not end)" : "") + "\n";
    return 1;
  }
  Search search(*defects, checks, emulator.endpoint());
  {
    std::jthread other([&] { search.Work(); });
    search.Work();
  }
  table << search.Table();
  std::cout << std::to_string(defects->size()) + " defects\n";
  return search.has_failed() || !table.flush() ? 1 : 0;
}

}  // namespace
}  // namespace gcsflux::conformance

int main(int argc, char** argv) {
  if (argc < 3 || argc > 4) {
    std::cerr << "usage: gcsflux-conformance-broken DEFECTS TABLE [GLOB]\n";
    return 2;
  }
  curl_global_init(CURL_GLOBAL_DEFAULT);
  return gcsflux::conformance::Main(argv[1], argv[2], argc == 4 ? argv[3] : "*");
}
