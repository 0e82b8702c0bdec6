// An emulator whose memory runs out at any allocation: it answers 503 or loses the connection, and keeps its objects.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>

#include "emulator/support/raw_connection.h"
#include "emulator/support/targets.h"
#include "gcsflux/emulator/emulator.h"

namespace {

std::atomic<std::int64_t> allocations_left = INT64_MAX;  // of all threads but the test's
thread_local bool is_test_thread = false;

void* Allocate(std::size_t size) {
  if (!is_test_thread && allocations_left.fetch_sub(1) == 0) throw std::bad_alloc();
  void* memory = std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace gcsflux::emulator {
namespace {

class OutOfMemory : public ::testing::Test {
 protected:
  void SetUp() override {
    is_test_thread = true;
    ASSERT_EQ(Ask("POST", "/storage/v1/b", R"({"name":"bucket"})"), 200);
    ASSERT_EQ(Ask("POST", std::string(kUploadTarget) + "kept", "bytes"), 200);
  }
  void TearDown() override { allocations_left = INT64_MAX; }

  /// The status; 0 if the connection was lost.
  int Ask(const std::string& method, const std::string& target, const std::string& body = "") {
    RawConnection connection(emulator_.endpoint());
    connection.Send(method + " " + target + " HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) +
                    "\r\n\r\n" + body);
    const std::optional<RawResponse> response = connection.Receive();
    return response ? response->status : 0;
  }

  /// Lets each allocation of this request fail, one at a time. Returns how many requests were answered 503.
  int FailEachAllocation(const std::string& method, const std::string& target, const std::string& body = "") {
    int refused = 0;
    for (int allocation = 0; allocation < 10'000; ++allocation) {
      allocations_left = allocation;
      const int status = Ask(method, target, body);
      const bool has_fired = allocations_left.exchange(INT64_MAX) < 0;
      EXPECT_TRUE(status == 0 || status == 503 || status / 100 == 2) << target << " " << allocation << ": " << status;
      EXPECT_EQ(RawConnection(emulator_.endpoint()).Call("GET", std::string(kObjectTarget) + "kept?alt=media").body,
                "bytes");
      if (!has_fired) return refused;
      refused += status == 503 ? 1 : 0;
    }
    ADD_FAILURE() << target << " does not end";
    return refused;
  }

  Emulator emulator_;
};

TEST_F(OutOfMemory, FailsTheRequestWith503AndKeepsTheObjects) {
  EXPECT_GT(FailEachAllocation("GET", std::string(kObjectTarget) + "kept?alt=media"), 10);
  EXPECT_GT(FailEachAllocation("GET", "/storage/v1/b/bucket/o"), 10);
  EXPECT_GT(FailEachAllocation("GET", "/bucket?list-type=2"), 10);
  EXPECT_GT(FailEachAllocation("POST", std::string(kUploadTarget) + "new", "new bytes"), 10);
  EXPECT_GT(FailEachAllocation("GET", "/_emulator/counters"), 10);
}

}  // namespace
}  // namespace gcsflux::emulator
