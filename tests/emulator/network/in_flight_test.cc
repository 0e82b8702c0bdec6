// How many requests are in flight, by the journal and by the test.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "emulator/support/targets.h"
#include "gcsflux/emulator/emulator.h"
#include "support/gzip.h"

namespace gcsflux::emulator {
namespace {

class InFlightTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(client_.Call("POST", "/storage/v1/b", "", R"({"name":"bucket"})").status, 200);
    for (const std::size_t size : {10U, 20'000U, 100'000U, 1'000'000U}) {
      const std::string target = kUploadTarget + std::to_string(size);
      ASSERT_EQ(client_.Call("POST", target, "", std::string(size, 'x')).status, 200);
    }
    const std::string gzipped = gcsflux::testing::Gzip(std::string(100'000, 'x'));
    ASSERT_EQ(client_.Call("POST", kUploadTarget + std::string("zipped&contentEncoding=gzip"), "", gzipped).status,
              200);
  }

  // Answers without a body, gathered ones, those of one piece and of several, and of unknown length.
  static std::vector<std::string> Reads() {
    const std::string object = kObjectTarget;
    return {object + "10?alt=media",
            object + "20000?alt=media",
            object + "100000?alt=media",
            object + "1000000?alt=media",
            object + "zipped?alt=media",
            object + "none",
            object + "10"};
  }
  [[nodiscard]] std::size_t MostInFlight() const {
    std::size_t most = 0;
    for (const RequestRecord& record : emulator_.journal()) most = std::max(most, record.in_flight);
    return most;
  }

  Emulator emulator_;
  RawConnection client_{emulator_.endpoint()};
};

TEST_F(InFlightTest, CountsASequentialClientOnce) {
  RawConnection other(emulator_.endpoint());
  for (int round = 0; round < 300; ++round) {
    for (const std::string& target : Reads()) {
      ASSERT_TRUE((round % 2 == 0 ? client_ : other).Call("GET", target).status != 0);
      ASSERT_EQ(other.Call("DELETE", kObjectTarget + std::string("none")).status, 404);
    }
  }
  EXPECT_EQ(MostInFlight(), 1U);
}

TEST_F(InFlightTest, CountsAnUnreadAnswer) {
  RawConnection stuck(emulator_.endpoint());
  ASSERT_EQ(client_.Call("POST", kUploadTarget + std::string("big"), "", std::string(64 << 20, 'x')).status, 200);
  stuck.Send("GET " + std::string(kObjectTarget) + "big?alt=media HTTP/1.1\r\nHost: h\r\n\r\n");
  while (emulator_.journal().back().target.find("big?alt") == std::string::npos) std::this_thread::yield();
  ASSERT_EQ(client_.Call("GET", kObjectTarget + std::string("10")).status, 200);
  EXPECT_EQ(emulator_.journal().back().in_flight, 2U);
  EXPECT_FALSE(stuck.Receive()->body.empty());
  ASSERT_EQ(client_.Call("GET", kObjectTarget + std::string("10")).status, 200);
  EXPECT_EQ(emulator_.journal().back().in_flight, 1U);
}

TEST_F(InFlightTest, DropsADisconnectedClient) {
  ASSERT_EQ(client_.Call("POST", kUploadTarget + std::string("big"), "", std::string(64 << 20, 'x')).status, 200);
  {
    RawConnection gone(emulator_.endpoint());
    gone.Send("GET " + std::string(kObjectTarget) + "big?alt=media HTTP/1.1\r\nHost: h\r\n\r\n");
    while (emulator_.journal().back().target.find("big?alt") == std::string::npos) std::this_thread::yield();
  }
  std::size_t in_flight = 0;
  do {
    ASSERT_EQ(client_.Call("GET", kObjectTarget + std::string("10")).status, 200);
    in_flight = emulator_.journal().back().in_flight;
  } while (in_flight == 2);  // until the emulator sees it
  EXPECT_EQ(in_flight, 1U);
}

}  // namespace
}  // namespace gcsflux::emulator
