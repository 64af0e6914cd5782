/// The scripts that `minerva demo` plays, carried in the program.
enum DemoFlows {
  struct Flow: Sendable {
    let name: String
    let title: String
    let text: String
  }

  static let all: [Flow] = [
    Flow(
      name: "workouts", title: "the Workouts app, with a host, a diff worker and the broker killed on the way",
      text: String(decoding: PackageResources.workouts_flow, as: UTF8.self))
  ]
}
