#include "http/curl_error.h"

#include <gtest/gtest.h>

#include <memory>

namespace gcsflux::internal {
namespace {

// An answer with too long a header, which libcurl reports by the same code: failures_test.cc.
TEST(CurlError, ReportsMissingMemoryAsALocalError) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy(curl_easy_init(), &curl_easy_cleanup);
  const Error error = CurlError(easy.get(), CURLE_OUT_OF_MEMORY, "");
  EXPECT_EQ(error.code, ErrorCode::kLocalIo);
  EXPECT_EQ(error.message, "out of memory");
}

}  // namespace
}  // namespace gcsflux::internal
