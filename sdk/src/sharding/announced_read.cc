#include "sharding/announced_read.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

#include "base/message.h"

namespace gcsflux::internal {

template <SameAs<AnnouncedRead> Self>
auto FieldsOf(Self& read) {
  return std::tie(read.call, read.refusal, read.reads_once_per_host, read.problems);
}

namespace {

constexpr std::size_t kMostProblemsShown = 10;

// Accepts any bytes, because a rank that makes another call may have sent them.
AnnouncedRead ParseRead(std::string_view bytes) {
  MessageReader reader(bytes);
  AnnouncedRead read;
  reader.Take(read);
  return read;
}

// The first rank for which `is_wrong` is true.
template <class IsWrong>
std::optional<std::size_t> FirstRank(std::span<const AnnouncedRead> ranks, const IsWrong& is_wrong) {
  const auto found = std::find_if(ranks.begin(), ranks.end(), is_wrong);
  if (found == ranks.end()) return std::nullopt;
  return static_cast<std::size_t>(found - ranks.begin());
}

Result<void> CheckCalls(const MessageGroup& group, std::span<const AnnouncedRead> ranks) {
  const auto label = [&](std::size_t rank) { return group.Label(static_cast<int>(rank)); };
  const AnnouncedRead& first = ranks.front();
  if (const auto rank = FirstRank(ranks, [&](const AnnouncedRead& read) { return read.call != first.call; })) {
    return Error{ErrorCode::kInvalidArgument, label(*rank) + ": its call is " + ranks[*rank].call +
                                                  ", and that of rank 0 is " + first.call +
                                                  "; all ranks must make the same calls in the same order"};
  }
  if (const auto rank = FirstRank(ranks, [](const AnnouncedRead& read) { return read.refusal.has_value(); })) {
    const Error& why = *ranks[*rank].refusal;
    return Error{why.code, label(*rank) + " cannot load: " + why.message};
  }
  const auto differs = [&](const AnnouncedRead& read) { return read.reads_once_per_host != first.reads_once_per_host; };
  if (const auto rank = FirstRank(ranks, differs)) {
    return Error{ErrorCode::kInvalidArgument,
                 label(*rank) + " has another CheckpointRunOptions::reads_once_per_host than rank 0"};
  }
  return {};
}

Result<void> CheckProblems(std::span<const AnnouncedRead> ranks) {
  std::set<std::string> all;
  for (const AnnouncedRead& read : ranks) all.insert(read.problems.begin(), read.problems.end());
  if (all.empty()) return {};
  std::string text;
  std::size_t shown = 0;
  for (const std::string& problem : all) {
    if (shown++ == kMostProblemsShown) break;
    text += (text.empty() ? "" : "; ") + problem;
  }
  if (all.size() > kMostProblemsShown) text += "; and " + std::to_string(all.size() - kMostProblemsShown) + " more";
  return Error{ErrorCode::kUndecodable, text};
}

}  // namespace

Result<void> AgreeOnRead(MessageGroup& group, const CollectiveLimits& limits, const AnnouncedRead& own) {
  const auto told = group.AllGather(MessageWriter().Put(own).Take(), limits);
  if (!told) return told.error();
  std::vector<AnnouncedRead> ranks;
  for (const std::string& one : *told) ranks.push_back(ParseRead(one));
  if (auto checked = CheckCalls(group, ranks); !checked) return checked;
  return CheckProblems(ranks);
}

}  // namespace gcsflux::internal
