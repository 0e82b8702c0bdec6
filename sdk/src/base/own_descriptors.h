#pragma once

/// Descriptors that belong to this process alone, though fork() copies them: a connection, whose other end would hear
/// two; a locked file, whose lock would live as long as the copy. They are closed in the child before fork() returns.
namespace gcsflux::internal {

/// From now on it is one of them. Call it together with what opens the descriptor, under one NoFork.
void AddOwnDescriptor(int descriptor);

/// It is closed by someone else.
void ForgetOwnDescriptor(int descriptor);

/// Closes it, and does nothing where it was the parent's: its number may be another's by now.
void CloseOwnDescriptor(int descriptor);

/// While a thread uses such descriptors, a child that it forks gets dead ones in their place: their numbers are known
/// to what goes on when the caller's sink, which has forked, returns.
class UsesOwnDescriptors {
 public:
  UsesOwnDescriptors();
  ~UsesOwnDescriptors();
  UsesOwnDescriptors(const UsesOwnDescriptors&) = delete;
  UsesOwnDescriptors& operator=(const UsesOwnDescriptors&) = delete;
};

/// For fork.cc. Async-signal-safe.
void CloseOwnDescriptorsInChild();

}  // namespace gcsflux::internal
