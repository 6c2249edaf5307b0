/// How to reach NATS servers, and how much they keep.
package struct NATSOptions: Sendable {
  /// On how many servers of the cluster each job is kept: 1, 3 or 5.
  package var replicas = 1

  package init() {}
}
