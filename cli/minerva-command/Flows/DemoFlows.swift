/// The scripts that `minerva demo` plays, carried in the program; the files of the same names are compared by a test.
package enum DemoFlows {
  package struct Flow: Sendable {
    package let name: String
    package let title: String
    package let text: String
  }

  package static let all: [Flow] = [
    Flow(name: "workouts", title: "the Workouts app, with a host, a diff worker and the broker killed on the way", text: workouts)
  ]
}
