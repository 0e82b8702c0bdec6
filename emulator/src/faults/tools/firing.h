#pragma once

namespace gcsflux::emulator {

/// Whether an action may act on one request, and the record that it did. One request, one thread.
class Firing {
 public:
  virtual ~Firing() = default;

  /// Ask it when it is certain that the action can act: a fault that cannot happen to a request does not use up a
  /// limit. The first call decides; later ones return the same.
  virtual bool Fire() = 0;
};

}  // namespace gcsflux::emulator
