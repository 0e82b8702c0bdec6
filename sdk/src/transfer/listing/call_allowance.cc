#include "transfer/listing/call_allowance.h"

#include <algorithm>

namespace gcsflux::internal::listing {
namespace {

constexpr double kRoundSeconds = 0.06;  // about the time to the first byte of a page

}  // namespace

std::size_t CallAllowance::At(double seconds, std::size_t calls, std::size_t names) {
  const double pages = static_cast<double>(names) / static_cast<double>(page_size_);
  const double left = static_cast<double>(max_concurrency_) + factor_ * pages - static_cast<double>(calls);
  if (left < 1) return 0;
  const auto whole = static_cast<std::size_t>(left);
  if (round_begin_ < 0 || seconds - round_begin_ >= kRoundSeconds) {
    round_begin_ = seconds;
    spent_ = 0;
  }
  if (whole >= max_concurrency_) return whole;
  // `left` does not include what was spent in this round.
  const std::size_t half = (whole + spent_ + 1) / 2;
  return half > spent_ ? std::min(whole, half - spent_) : 0;
}

}  // namespace gcsflux::internal::listing
