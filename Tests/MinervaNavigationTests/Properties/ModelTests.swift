import SceneModels
import Testing

@Suite("The core against a naive model")
struct ModelTests {
  /// 400 seeds of 400 commands.
  @Test("N7, N8: tree, answer and removals of random commands are those of the model", arguments: Seeds.parts(of: 400))
  func equalsModel(seeds: ClosedRange<UInt64>) {
    for seed in seeds {
      let throwsOfDice = Dice.throwsOfDice(400, seed: seed)
      guard ModelProperty.difference(throwsOfDice) != nil else { continue }
      let short = shrink(throwsOfDice) { ModelProperty.difference($0) != nil }
      Issue.record("seed \(seed), \(short.count) steps: \(ModelProperty.difference(short) ?? "")")
    }
  }
}
