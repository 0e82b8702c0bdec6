#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/support/raw_connection.h"
#include "gcsflux/emulator/gtest.h"

namespace gcsflux::emulator {

constexpr std::size_t k256Kib = std::size_t{256} << 10;

/// An emulator with some objects, a retry test, and raw requests that take part in it.
class RetryTestApiTest : public EmulatorTest {
 protected:
  void SetUp() override { SetUpStore(); }

  void SetUpStore() {
    ASSERT_EQ(Call("POST", "/storage/v1/b?project=p", R"({"name":"bucket"})").status, 200);
    ASSERT_EQ(Call("POST", "/storage/v1/b?project=p", R"({"name":"empty-bucket"})").status, 200);
    Store("o", std::string(100, 'o'));
    Store("p", std::string(100, 'p'));
  }
  void Store(const std::string& name, const std::string& bytes) {
    ASSERT_EQ(Call("POST", "/upload/storage/v1/b/bucket/o?uploadType=media&name=" + name, bytes).status, 200);
  }

  // A client of its own that takes part in no test.
  RawResponse Call(std::string_view method, std::string_view target, std::string_view body = "",
                   std::string_view headers = "") {
    return RawConnection(endpoint()).Call(method, target, headers, body);
  }

  nlohmann::json Make(const std::string& method, const std::vector<std::string>& instructions) {
    const RawResponse made =
        Call("POST", "/retry_test", nlohmann::json{{"instructions", {{method, instructions}}}}.dump());
    EXPECT_EQ(made.status, 200) << made.body;
    id_ = nlohmann::json::parse(made.body).at("id");
    return nlohmann::json::parse(made.body);
  }
  nlohmann::json State() { return nlohmann::json::parse(Call("GET", "/retry_test/" + id_).body); }
  bool IsCompleted() { return State().at("completed"); }

  // One request of the test, on its own connection.
  std::optional<RawResponse> Send(std::string_view method, std::string_view target, std::string_view body = "",
                                  std::string_view headers = "") {
    RawConnection connection(endpoint());
    connection.Send(std::string(method) + " " + std::string(target) +
                    " HTTP/1.1\r\nHost: localhost\r\nx-retry-test-id: " + id_ + "\r\nContent-Length: " +
                    std::to_string(body.size()) + "\r\n" + std::string(headers) + "\r\n" + std::string(body));
    return connection.Receive();
  }

  std::string id_;
};

}  // namespace gcsflux::emulator
