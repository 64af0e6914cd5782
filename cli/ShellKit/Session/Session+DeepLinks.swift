import MinervaInterfaces
import MinervaWire

/// Following deep links.
extension Session {
  /// Follows a link, or tells its plan.
  func follow(_ link: DeepLink, _ statement: Statement, _ emit: @escaping Emit) async throws {
    try requirePresent()
    if let forgotten = await unasserted() { throw MinervaError(.expectFailed, forgotten) }
    mark = await log.end
    asserted = []
    let (target, conditions, isJSON) = (target, named(try await conditions(statement.call)), statement.isJSON)
    if statement.call.isBackground {
      return await background(emit, conditions.txn, isJSON: isJSON) { standing throws(MinervaError) in
        await self.answered(try await target.follow(link, conditions, standing: standing), isJSON: isJSON)
      }
    }
    let reply = try await driving(conditions.txn) { () throws(MinervaError) in
      try await telling(emit, isJSON: isJSON) { standing throws(MinervaError) in
        try await target.follow(link, conditions, standing: standing)
      }
    }
    await emit(await answered(reply, isJSON: isJSON))
  }

  private func answered(_ reply: DeepLinkReply, isJSON: Bool) async -> [String] {
    guard let answer = reply.answer else {
      return isJSON ? [ReplyJSON.done("deeplink", DeepLinkText.plan(reply))] : DeepLinkText.plan(reply)
    }
    let (reply, tree) = (SceneReply(record: answer.seq, outcome: answer.outcome), await refresh()?.tree)
    return isJSON ? [ReplyJSON.reply(reply)] : ReplyText.lines(reply, tree: tree)
  }
}
