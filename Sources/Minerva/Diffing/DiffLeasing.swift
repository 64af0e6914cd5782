package import MinervaInterfaces

/// Where leases of diff workers come from.
package protocol DiffLeasing: Sendable {
  /// Waits for a worker to be free for the job.
  func lease(_ request: DiffLeaseRequest, within time: Duration) async throws -> DiffLease

  /// Gives a job's lease back, or gives the job up.
  func endLease(job: String) async throws
}

extension Client: DiffLeasing {}
