#include "loop/fiber.h"

#include <gtest/gtest.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

namespace gcsflux::internal {
namespace {

FiberStack MakeStack() { return *FiberStack::Make(); }

TEST(Fiber, ResumesWhereItSuspended) {
  std::vector<int> steps;
  Fiber fiber(MakeStack(), [&] {
    steps.push_back(1);
    Fiber::Suspend();
    steps.push_back(3);
  });
  fiber.Resume();
  steps.push_back(2);
  EXPECT_FALSE(fiber.is_over());
  fiber.Resume();
  EXPECT_TRUE(fiber.is_over());
  EXPECT_EQ(steps, (std::vector{1, 2, 3}));
}

TEST(Fiber, IsCurrentWhileItRuns) {
  const Fiber* inside = nullptr;
  Fiber fiber(MakeStack(), [&] { inside = Fiber::Current(); });
  fiber.Resume();
  EXPECT_EQ(inside, &fiber);
  EXPECT_EQ(Fiber::Current(), nullptr);
}

TEST(Fiber, ReusesStacks) {
  std::vector<std::byte*> stacks;
  FiberStack stack = MakeStack();
  for (int i = 0; i < 2; ++i) {
    stacks.push_back(stack.bytes().data());
    Fiber fiber(std::move(stack), [] {});
    fiber.Resume();
    stack = fiber.TakeStack();
  }
  EXPECT_EQ(stacks[0], stacks[1]);
}

std::string Message(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& thrown) {
    return thrown.what();
  }
}

// Two fibers that suspend while they handle an exception of their own, and end it in another order.
TEST(Fiber, HandlesItsOwnExceptions) {
  std::vector<std::string> handled;
  const auto body = [&handled](const std::string& name) {
    return [&handled, name] {
      try {
        throw std::runtime_error(name);
      } catch (const std::runtime_error&) {
        Fiber::Suspend();
        handled.push_back(Message(std::current_exception()));
        try {
          throw;
        } catch (const std::runtime_error& again) {
          handled.emplace_back(again.what());
        }
      }
      EXPECT_EQ(std::current_exception(), nullptr);
    };
  };
  Fiber first(MakeStack(), body("first"));
  Fiber second(MakeStack(), body("second"));
  first.Resume();
  second.Resume();
  EXPECT_EQ(std::current_exception(), nullptr);
  first.Resume();
  second.Resume();
  EXPECT_EQ(handled, (std::vector<std::string>{"first", "first", "second", "second"}));
}

void TouchStack(int depth) {
  volatile char page[4096];
  page[0] = static_cast<char>(depth);
  if (depth < 100'000) TouchStack(depth + 1);
  page[1] = page[0];
}

TEST(FiberDeathTest, OverflowEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        Fiber fiber(MakeStack(), [] { TouchStack(0); });
        fiber.Resume();
      },
      "");
}

}  // namespace
}  // namespace gcsflux::internal
