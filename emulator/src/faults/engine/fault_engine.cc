#include "faults/engine/fault_engine.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "faults/actions/action_kinds.h"
#include "faults/engine/fault_key.h"
#include "faults/engine/loaded_plan.h"
#include "faults/plan/check_plan.h"

namespace gcsflux::emulator {
namespace {

// The actions of a rule, or of a replay, on one request.
class CountedFiring final : public Firing {
 public:
  struct Parts {
    FaultKey key = {};
    std::shared_ptr<const NamedAction> action = {};
    std::shared_ptr<RuleCount> count = {};
    std::shared_ptr<FaultHistory> history = {};
    std::shared_ptr<FiredFaults> fired = {};
  };
  explicit CountedFiring(Parts parts) : parts_(std::move(parts)) {}

  bool Fire() override {
    if (fires_) return *fires_;
    fires_ = parts_.count->Claim();
    if (!*fires_) return false;
    parts_.fired->Add(parts_.action->rule);
    parts_.history->Add(std::move(parts_.key), parts_.action);
    return true;
  }

 private:
  Parts parts_;
  std::optional<bool> fires_;
};

// If another action has lost the answer, this one does nothing, because no client would see it.
class ArmedAction final : public Interceptor {
 public:
  explicit ArmedAction(std::unique_ptr<Interceptor> action) : action_(std::move(action)) {}

  std::optional<HttpResponse> Before(const RequestContext& context) override { return action_->Before(context); }
  std::unique_ptr<RequestBody> Wrap(RequestBody& body, const RequestContext& context) override {
    return action_->Wrap(body, context);
  }
  void After(HttpResponse& response, const RequestSubject& subject, const RequestContext& context) override {
    if (response.ending != Ending::kSilence) action_->After(response, subject, context);
  }

 private:
  const std::unique_ptr<Interceptor> action_;
};

void Arm(CountedFiring::Parts parts, Interceptors& interceptors) {
  const FaultAction& action = parts.action->action;
  auto firing = std::make_shared<CountedFiring>(std::move(parts));
  interceptors.push_back(std::make_unique<ArmedAction>(MakeInterceptor(action, std::move(firing))));
}

// Actions that take an answer, or a part of it, act before those that change it: a client sees no change of what is
// taken. Of two that take, the one that leaves less is first.
std::uint64_t TurnOf(const FaultAction& action) {
  if (action.type == "loseAnswer") return 0;
  if (action.type == "cut") return std::min(*action.after_bytes, UINT64_MAX - 2);
  return action.type == "falseLength" ? UINT64_MAX - 1 : UINT64_MAX;
}

void ArmAll(std::vector<CountedFiring::Parts> all, Interceptors& interceptors) {
  std::stable_sort(all.begin(), all.end(), [](const CountedFiring::Parts& a, const CountedFiring::Parts& b) {
    return TurnOf(a.action->action) < TurnOf(b.action->action);
  });
  for (CountedFiring::Parts& parts : all) Arm(std::move(parts), interceptors);
}

void InterceptByRules(const LoadedPlan& plan, const FaultKey& key, const RequestContext& context,
                      Interceptors& interceptors) {
  const MatchedRequest request{.subject = context.preview.subject,
                               .method = context.request.method,
                               .attempt = context.preview.attempt,
                               .covered = CoveredBy(context.request, context.preview),
                               .deleted = context.preview.deleted};
  const Clock::Time now = context.clock.Now();
  std::vector<CountedFiring::Parts> all;
  for (const auto& rule : plan.rules) {
    if (!rule->IsOpen(now) || !rule->match.Concerns(request)) continue;
    const std::uint64_t number = ++rule->count->matched;
    if (!rule->match.Chooses(number, Chance(plan.seed, rule->rule.name, key))) continue;
    if (rule->count->fired >= rule->count->limit) continue;
    all.push_back({key, rule->action, rule->count, plan.history, context.fired});
  }
  ArmAll(std::move(all), interceptors);
}

void InterceptByReplay(const LoadedPlan& plan, const FaultKey& key, const RequestContext& context,
                       Interceptors& interceptors) {
  const auto found = plan.replayed.find(HashKey(key));
  if (found == plan.replayed.end()) return;
  std::vector<CountedFiring::Parts> all;
  for (const ReplayedFault& fault : found->second) {
    if (fault.key != key) continue;
    ++fault.count->matched;
    all.push_back({key, fault.action, fault.count, plan.history, context.fired});
  }
  ArmAll(std::move(all), interceptors);
}

}  // namespace

FaultEngine::FaultEngine(const Clock& clock, FaultPlan plan) : clock_(clock) { Load(std::move(plan)); }
FaultEngine::~FaultEngine() = default;

void FaultEngine::Load(FaultPlan plan) {
  auto loaded = std::make_shared<const LoadedPlan>(CheckPlan(std::move(plan)), clock_.Now());
  const std::scoped_lock lock(mutex_);
  is_active_ = !loaded->rules.empty() || !loaded->schedule.empty();
  plan_.swap(loaded);  // the old plan is freed outside the lock
}

void FaultEngine::Add(FaultRule rule) {
  const std::scoped_lock lock(mutex_);
  const FaultPlan before = plan_->Plan();
  if (!before.replay.empty()) throw std::invalid_argument("fault plan: a replay cannot have rules");
  rule = CheckRule(std::move(rule), before.rules);
  plan_ = std::make_shared<const LoadedPlan>(*plan_, std::move(rule), clock_.Now());
  is_active_ = true;
}

FaultPlan FaultEngine::Plan() const { return plan()->Plan(); }
std::vector<FaultCount> FaultEngine::Counts() const { return plan()->Counts(); }
std::vector<FiredFault> FaultEngine::Schedule() const { return plan()->history->Schedule(); }

std::uint64_t FaultEngine::Fired(std::string_view rule) const {
  const std::vector<FaultCount> counts = Counts();
  const auto found =
      std::find_if(counts.begin(), counts.end(), [&](const FaultCount& one) { return one.rule == rule; });
  return found != counts.end() ? found->fired : 0;
}

void FaultEngine::Intercept(const RequestContext& context, Interceptors& interceptors) {
  const std::shared_ptr<const LoadedPlan> plan = this->plan();
  FaultKey key = KeyOf(context.preview);
  key.arrival = plan->history->Arrive(key);
  InterceptByRules(*plan, key, context, interceptors);
  InterceptByReplay(*plan, key, context, interceptors);
}

std::shared_ptr<const LoadedPlan> FaultEngine::plan() const {
  const std::scoped_lock lock(mutex_);
  return plan_;
}

}  // namespace gcsflux::emulator
