#include "dataset/held_method.h"

#include <cstring>
#include <memory>
#include <utility>

namespace gcsflux::internal {
namespace {

class HeldFetch : public GroupFetch {
 public:
  HeldFetch(HeldSample held, Destination& destination) : held_(std::move(held)), destination_(destination) {}

  Result<void> FetchRange(std::size_t, const std::stop_token&) override {
    if (!held_.memory) return Error{ErrorCode::kCancelled, "not needed any more"};
    const std::span<std::byte> bytes(held_.memory.get(), held_.bytes);
    if (destination_.take) {
      destination_ = {.bytes = bytes, .memory = std::move(held_.memory)};
    } else {  // The caller's own allocator has given memory.
      std::memcpy(destination_.bytes.data(), bytes.data(), bytes.size());
    }
    return {};
  }
  GroupOutcome Finish(const std::stop_token&) override { return {}; }

 private:
  HeldSample held_;
  Destination& destination_;
};

}  // namespace

FetchMethod HeldMethod(SourceWindow& sources, std::function<HeldSample(std::size_t index)> take) {
  return {.plan = [&sources](std::size_t first) -> std::optional<GroupPlan> {
            const SourceWindow::Rest rest = sources.From(first);
            if (rest.is_over) return GroupPlan{.first = first, .count = 0};
            if (rest.sources.empty()) return std::nullopt;
            return GroupPlan{.first = first};
          },
          .begin = [take = std::move(take)](const GroupPlan& group,
                                            std::span<Destination> destinations) -> std::unique_ptr<GroupFetch> {
            return std::make_unique<HeldFetch>(take(group.first), destinations.front());
          }};
}

}  // namespace gcsflux::internal
