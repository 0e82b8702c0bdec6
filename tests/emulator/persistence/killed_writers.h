#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "emulator/support/raw_connection.h"

namespace gcsflux::emulator {

/// What one name may hold: the content that was acknowledged last, or that of the one request without an answer.
/// Content is the bytes; nothing if there is no object.
struct ExpectedObject {
  std::optional<std::string> acknowledged = {};
  std::optional<std::optional<std::string>> unanswered = {};

  [[nodiscard]] bool Allows(const std::optional<std::string>& found) const {
    return found == acknowledged || (unanswered && found == *unanswered);
  }
};

/// A client that inserts, overwrites and deletes objects of its own names until its connection breaks. One thread.
class KilledWriter {
 public:
  KilledWriter(int number, std::uint64_t seed) : prefix_("w" + std::to_string(number) + "-"), random_(seed) {}

  /// Counts each acknowledged request in `acknowledged`. Returns when the server is gone.
  void Run(const std::string& endpoint, std::atomic<int>& acknowledged) {
    try {
      RawConnection connection(endpoint);
      while (true) {
        const std::string name = prefix_ + std::to_string(random_() % 20);
        ExpectedObject& expected = objects_[name];
        std::optional<std::string> content;
        if (random_() % 5 != 0) content = NewContent();
        expected.unanswered = content;
        const RawResponse response =
            content ? connection.Call("POST", "/upload/storage/v1/b/bkt/o?uploadType=media&name=" + name, "", *content)
                    : connection.Call("DELETE", "/storage/v1/b/bkt/o/" + name);
        expected.unanswered.reset();
        const bool is_done = response.status == (content ? 200 : 204);
        if (is_done) expected.acknowledged = content;
        if (is_done || response.status == 404) ++acknowledged;
        if (!is_done && response.status != 404) ++refused_;
      }
    } catch (const std::system_error&) {
      return;
    }
  }

  /// Compares with what the server has now, and goes on from there. Returns the names that differ.
  std::vector<std::string> Compare(RawConnection& connection) {
    std::vector<std::string> wrong;
    for (auto& [name, expected] : objects_) {
      const RawResponse response = connection.Call("GET", "/storage/v1/b/bkt/o/" + name + "?alt=media");
      const auto found = response.status == 200 ? std::optional(response.body) : std::nullopt;
      if (!expected.Allows(found) || (response.status != 200 && response.status != 404)) wrong.push_back(name);
      expected = {.acknowledged = found};
    }
    return wrong;
  }

  /// Requests that were refused for lack of space.
  [[nodiscard]] int refused() const { return refused_; }

 private:
  // Small, medium, and now and then large.
  std::string NewContent() {
    constexpr std::array kSizes = {0, 1, 100, 5000, 16'384, 100'000, 300'000};
    const auto size = static_cast<std::size_t>(kSizes.at(random_() % kSizes.size()));
    return std::to_string(random_()) + std::string(size, static_cast<char>('a' + random_() % 26));
  }

  const std::string prefix_;
  std::mt19937_64 random_;
  std::map<std::string, ExpectedObject> objects_;
  int refused_ = 0;
};

}  // namespace gcsflux::emulator
