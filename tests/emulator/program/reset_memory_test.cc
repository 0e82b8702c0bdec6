// The memory that the emulator, a separate process, keeps after all objects are removed. Not for sanitizers, whose heap
// keeps freed memory.

#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "support/emulator_process.h"
#include "support/process_memory.h"

namespace gcsflux::emulator {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr auto kUpload = "/upload/storage/v1/b/bucket/o?uploadType=media&fields=name&name=";

class ResetMemoryTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::uint64_t Resident() const { return gcsflux::testing::MemoryFigure(emulator_.pid(), "VmRSS"); }

  // Sixteen clients store so many objects each, and half of them again.
  void Fill(int objects, std::size_t size) {
    ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
    std::vector<std::thread> clients;
    clients.reserve(16);
    for (int i = 0; i < 16; ++i) {
      clients.emplace_back([this, i, objects, size] {
        RawConnection connection(emulator_.endpoint());
        const std::string prefix = kUpload + std::to_string(i) + "/";
        for (int k = 0; k < objects + objects / 2; ++k) {
          const std::string target = prefix + std::to_string(k % objects);
          EXPECT_EQ(connection.Call("POST", target, "", std::string(size + static_cast<std::size_t>(k), 'x')).status,
                    200);
        }
      });
    }
    for (std::thread& client : clients) client.join();
  }
  void ExpectGivenBack(std::uint64_t before) {
    const std::uint64_t full = Resident();
    ASSERT_EQ(client_.Call("POST", "/_emulator/reset").status, 204);
    const std::uint64_t after = Resident();
    std::cout << before / kMiB << " MiB at first, " << full / kMiB << " full, " << after / kMiB << " after a reset\n";
    ASSERT_GT(full, before + 32 * kMiB);
    EXPECT_LT(after, before + 16 * kMiB);
  }

  gcsflux::testing::EmulatorProcess emulator_;
  RawConnection client_{emulator_.endpoint()};
};

TEST_F(ResetMemoryTest, IsReturnedForSmallObjects) {
  ASSERT_EQ(client_.Call("GET", "/storage/v1/b").status, 200);
  const std::uint64_t before = Resident();
  Fill(4000, 1000);
  ExpectGivenBack(before);
}

TEST_F(ResetMemoryTest, IsReturnedForMediumObjects) {
  const std::uint64_t before = Resident();
  Fill(100, 60'000);
  ExpectGivenBack(before);
}

}  // namespace
}  // namespace gcsflux::emulator
