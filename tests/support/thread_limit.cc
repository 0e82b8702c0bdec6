#include "support/thread_limit.h"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <limits>

namespace {

constexpr int kNoLimit = std::numeric_limits<int>::max();
std::atomic<int> left = kNoLimit;
std::atomic<int> refused_threads = 0;

bool IsRefused() {
  if (left == kNoLimit) return false;
  if (left.fetch_sub(1) > 0) return false;
  ++refused_threads;
  return true;
}

}  // namespace

// Precedes the function of the C library, or of a sanitizer, in every process.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto kCreate = reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
  return IsRefused() ? EAGAIN : kCreate(thread, attributes, start, argument);
}

namespace gcsflux::testing {

ThreadLimit::ThreadLimit(int threads) {
  refused_threads = 0;
  left = threads;
}

ThreadLimit::~ThreadLimit() { left = kNoLimit; }

int ThreadLimit::refused() const { return refused_threads; }

}  // namespace gcsflux::testing
