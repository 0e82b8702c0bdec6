#pragma once

/// Clang's thread-safety analysis (https://clang.llvm.org/docs/ThreadSafetyAnalysis.html): which mutex guards a member,
/// and which one a function needs. scripts/lint checks it; other compilers see nothing.
#ifdef __clang__
#define GCSFLUX_THREAD_ANNOTATION(annotation) __attribute__((annotation))
#else
#define GCSFLUX_THREAD_ANNOTATION(annotation)
#endif

/// A class that is a lock, or holds one in a scope.
#define CAPABILITY(name) GCSFLUX_THREAD_ANNOTATION(capability(name))
#define SCOPED_CAPABILITY GCSFLUX_THREAD_ANNOTATION(scoped_lockable)
/// A member that is used only while the mutex is held; PT_GUARDED_BY: what the member points to.
#define GUARDED_BY(mutex) GCSFLUX_THREAD_ANNOTATION(guarded_by(mutex))
#define PT_GUARDED_BY(mutex) GCSFLUX_THREAD_ANNOTATION(pt_guarded_by(mutex))
/// The caller holds the mutex; it does not hold it.
#define REQUIRES(...) GCSFLUX_THREAD_ANNOTATION(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) GCSFLUX_THREAD_ANNOTATION(locks_excluded(__VA_ARGS__))
/// The function locks or unlocks.
#define ACQUIRE(...) GCSFLUX_THREAD_ANNOTATION(acquire_capability(__VA_ARGS__))
#define RELEASE(...) GCSFLUX_THREAD_ANNOTATION(release_capability(__VA_ARGS__))
#define TRY_ACQUIRE(...) GCSFLUX_THREAD_ANNOTATION(try_acquire_capability(__VA_ARGS__))
/// Not checked; the reason stands beside it.
#define NO_THREAD_SAFETY_ANALYSIS GCSFLUX_THREAD_ANNOTATION(no_thread_safety_analysis)
