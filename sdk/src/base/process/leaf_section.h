#pragma once

/// What fork() does to a process with threads: the child has the memory of that moment, but only the thread that called
/// fork(). A lock that another thread held is never released there.
namespace gcsflux::internal {

/// A short piece of work that waits for nothing and calls no user code, and that fork() never cuts in two: while a
/// thread is in one, fork() waits. So in a child no data is half written and no lock is held: those of libcurl, of
/// OpenSSL and of this library. A nested one costs nothing.
class LeafSection {
 public:
  LeafSection() { Enter(); }
  ~LeafSection() { Leave(); }
  LeafSection(const LeafSection&) = delete;
  LeafSection& operator=(const LeafSection&) = delete;

  static void Enter();
  static void Leave();
};

/// User code inside a LeafSection: it may wait for a process that another thread makes, or may call fork() itself.
class UserCodeSection {
 public:
  UserCodeSection();
  ~UserCodeSection();
  UserCodeSection(const UserCodeSection&) = delete;
  UserCodeSection& operator=(const UserCodeSection&) = delete;

 private:
  const int depth_;
};

}  // namespace gcsflux::internal
