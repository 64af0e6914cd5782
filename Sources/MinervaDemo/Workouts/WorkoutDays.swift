import Minerva

/// The sections of a list of workouts: one a day, newest first.
enum WorkoutDays {
  /// Makes the sections.
  /// - Parameters:
  ///   - workouts: All workouts of a person, newest first.
  ///   - dailyCalories: The total from which on a day's rows are marked; the workouts that the filter hides count too.
  static func sections(of workouts: [Workout], dailyCalories: Int, filter: WorkoutFilter) -> [ListSection] {
    var totals: [Int: Int] = [:]
    for workout in workouts { totals[workout.date.day, default: 0] += workout.calories }
    var sections: [ListSection] = []
    for workout in workouts where filter.admits(workout.date) {
      let isEnough = totals[workout.date.day, default: 0] >= dailyCalories
      let row = Swipeable(
        Label("\(workout.id)", workout.text, detail: "\(workout.date.isoTime)  \(workout.calories) kcal", marked: isEnough),
        actions: ["delete"])
      let day = workout.date.isoDate
      if sections.last?.identifier != day {
        sections.append(ListSection(day, header: workout.date.spoken, cells: []))
      }
      sections[sections.count - 1].cells.append(row)
    }
    return sections
  }
}
