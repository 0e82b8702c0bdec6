#include "transfer/listing/key_line.h"

#include <algorithm>

#include "transfer/listing/code_points.h"

namespace gcsflux::internal::listing {
namespace {

constexpr double kFinest = 1e-15;

}  // namespace

KeyLine::KeyLine(const Alphabets& alphabets, std::string_view lo, std::string_view hi)
    : alphabets_(alphabets), common_(lo.substr(0, hi.empty() ? 0 : CommonPrefix(lo, hi))) {
  std::string_view rest = common_;
  while (!rest.empty()) begin_ = begin_.Next(TakeCodePoint(rest));
}

double KeyLine::At(std::string_view key) const {
  // A key without the common prefix is below all or above all.
  if (!key.starts_with(common_)) return key < common_ ? 0 : 1;
  key.remove_prefix(common_.size());
  Place place = begin_;
  double position = 0;
  double width = 1;
  while (!key.empty() && width > kFinest) {
    const char32_t code = TakeCodePoint(key);
    const Shares& shares = alphabets_.At(place);
    const auto share =
        std::lower_bound(shares.begin(), shares.end(), code, [](const Share& a, char32_t b) { return a.code < b; });
    if (share == shares.end()) return shares.empty() ? position : position + width;
    position += width * share->begin;
    if (share->code != code) break;  // between two that are known
    width *= share->width;
    place = place.Next(code);
  }
  return position;
}

std::string KeyLine::KeyAt(double position, double grain) const {
  std::string key = common_;
  Place place = begin_;
  double width = 1;
  while (width > std::max(grain, kFinest) && key.size() < kMaxNameBytes - 4) {
    const Shares& shares = alphabets_.At(place);
    if (shares.empty()) break;
    auto share =
        std::upper_bound(shares.begin(), shares.end(), position, [](double a, const Share& b) { return a < b.begin; });
    if (share != shares.begin()) --share;
    if (share->code == kEndOfName) break;
    AppendCodePoint(key, share->code);
    position = share->width > 0 ? std::clamp((position - share->begin) / share->width, 0.0, 1.0) : 0;
    width *= share->width;
    place = place.Next(share->code);
  }
  return key;
}

}  // namespace gcsflux::internal::listing
