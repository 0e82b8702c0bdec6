#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "sharding/ranks/message_group.h"

namespace gcsflux::testing {

/// Runs `body` as each rank of a group, on a thread for each, and returns their results by rank. A rank ends when its
/// body returns, as a process would.
template <class T>
std::vector<T> OnRanks(int world_size, const std::function<T(internal::MessageGroup& group)>& body) {
  auto groups = MakeThreadRanks(world_size);
  std::vector<std::unique_ptr<T>> results(groups.size());
  std::vector<std::jthread> threads;
  threads.reserve(groups.size());
  for (std::size_t rank = 0; rank < results.size(); ++rank) {
    threads.emplace_back([&, rank] {
      const std::unique_ptr<Collective> group = std::move(groups[rank]);
      results[rank] = std::make_unique<T>(body(internal::MessagesOf(*group)));
    });
  }
  threads.clear();
  std::vector<T> values;
  for (auto& result : results) values.push_back(std::move(*result));
  return values;
}

}  // namespace gcsflux::testing
