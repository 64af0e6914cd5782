extension DemoFlows {
  static let workouts = #"""
    # The Workouts app from its first screen to its last, with three processes killed on the way.
    flow "Workouts, with a host, a diff worker and the broker killed on the way"
    app workouts

    note "sign in"
    expect stack main == [Welcome]
    tap @welcome login
    expect stack main == [Welcome, SignIn {"mode":"login"}]
    tap @signin submit
    expect modal Alert
    expect screen @alert ~ "email address is missing"
    tap @alert ok
    expect modal none
    enter @signin email a@a.com
    enter @signin password a
    tap @signin submit
    expect stack main == [User]
    expect removed @signin reason=finished
    expect stack main/Workouts == [Workouts]

    note "the list of users"
    tab Users
    expect tab Users
    expect rows @userlist count==22
    tab Users
    screen
    """#
}
