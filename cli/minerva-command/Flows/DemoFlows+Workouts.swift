extension DemoFlows {
  static let workouts = #"""
    # The Workouts app from its first screen to its last, with three processes killed on the way.
    flow "Workouts: a day in the diary, with a host, a diff worker and the broker killed on the way"
    app workouts

    note "begin as a@a.com, who was signed in, and log out"
    expect stack main == [User {"userID":22}]
    tab Settings
    expect tab Settings
    expect row @settings name a@a.com
    tap @settings logout
    expect stack main == [Welcome]
    expect removed @user reason=replaced once
    expect removed @settings reason=parentRemoved once
    screen

    note "a link to somebody's workouts: it waits until somebody is signed in"
    deeplink app://workouts/users/3
    expect event plan.waiting module=SignIn
    expect stack main == [Welcome, SignIn {"mode":"login"}]
    tap @signin submit
    expect modal Alert
    expect screen @alert ~ "email address is missing"
    tap @alert ok
    expect modal none
    enter @signin email a@a.com
    enter @signin password a
    tap @signin submit
    expect stack main == [User@workouts-1 {"userID":22}]
    expect removed @signin reason=finished once
    expect removed @welcome reason=replaced once
    expect stack main/Workouts == [Workouts]
    expect event plan.followed
    expect modal WorkoutSplit
    expect rows modal[1]/primary count==51
    tap @workoutsplit close
    expect modal none

    note "the list of people"
    tab Users
    expect tab Users
    expect stack main/Users == [UserList@workouts-1 {"asking":22}]
    expect rows @userlist count==22
    tab Users
    expect event request.settled changed=no

    note "a form is half filled in, and its host dies"
    tap @userlist add
    expect stack modal[1] == [CreateUser@workouts-2 {"asking":22}]
    enter @createuser email x@x.com
    enter @createuser calories 1800
    screen
    fault kill workouts-2
    expect event screen.suspended module=CreateUser
    expect event screen.resumed module=CreateUser
    expect row @createuser email x@x.com
    expect row @createuser calories 1800
    enter @createuser password secret
    tap @createuser save
    expect modal none
    expect removed @createuser reason=dismissed once
    expect changes @userlist insert=1
    expect rows @userlist count==23

    note "a second form is swiped away: nothing is made"
    tap @userlist add
    enter @createuser email y@y.com
    gesture dismiss begin
    gesture dismiss commit
    expect removed @createuser reason=gesture once
    expect modal none
    expect rows @userlist count==23

    note "somebody's workouts beside the one that is chosen"
    tap @userlist 3
    expect modal WorkoutSplit
    expect stack modal[1]/detail == [NothingSelected]
    expect rows modal[1]/primary count==51
    tap modal[1]/primary 5
    expect stack modal[1]/detail == [WorkoutDetails]
    expect removed @nothingselected reason=replaced once
    tap @workoutdetails edit
    expect stack modal[1]/detail == [WorkoutDetails@workouts-1, EditWorkout@workouts-2]
    enter @editworkout calories 1
    tap @editworkout save
    expect stack modal[1]/detail == [WorkoutDetails]
    expect removed @editworkout reason=popped once
    expect row @workoutdetails calories "1 kcal"
    expect changes @workoutdetails update=1
    # The day falls below the daily calories: its other two rows lose their mark.
    expect changes modal[1]/primary update=3
    expect screen modal[1]/primary ~ "Sat 28 Feb 2026"
    screen
    collapse
    expect stack modal[1]/primary == [Workouts, WorkoutDetails]
    expand
    expect stack modal[1]/detail == [WorkoutDetails]
    expect stack modal[1]/primary == [Workouts]
    tap @workoutsplit close
    expect modal none
    expect removed @workoutdetails reason=parentRemoved once
    expect removed @workoutsplit reason=dismissed once
    expect stack main/Users == [UserList]

    note "a list of 200,000 rows, and the worker that compares it dies"
    open History {"rows":200000} via modal:full as @h
    tap @h load
    expect rows @h count==200000 --timeout 30s
    tap @h stir &
    fault kill diff-*
    wait job 1 --timeout 20s
    expect changes @h move=2000 update=4000 --timeout 20s
    expect rows @h count==200000 --timeout 30s
    dismiss @h
    expect removed @h reason=dismissed once

    note "the filter of the own workouts, and the broker dies while a date is typed"
    tab Workouts
    expect rows main/Workouts count==51
    tap main/Workouts filter
    expect modal Filter
    tap @filter startDate
    enter @updatefilter value 2026-02-25
    fault kill broker
    expect stack modal[1] == [Filter, UpdateFilter]
    expect row @updatefilter value 2026-02-25
    tap @updatefilter update
    expect modal none
    expect removed @updatefilter reason=dismissed once
    expect removed @filter reason=dismissed once
    # Twelve of eighteen days are before it.
    expect changes main/Workouts update=1 sectionDelete=12
    expect row main/Workouts filter "start date 2026-02-25"
    expect rows main/Workouts count==17
    tap main/Workouts filter
    tap @filter startDate
    tap @updatefilter remove
    expect modal none
    expect removed @updatefilter reason=dismissed once
    expect removed @filter reason=dismissed once
    expect changes main/Workouts update=1 sectionInsert=12
    expect row main/Workouts filter none
    expect rows main/Workouts count==51

    note "log out"
    tab Settings
    tap @settings logout
    expect stack main == [Welcome]
    expect modal none
    expect removed @user reason=replaced once
    expect removed @userlist reason=parentRemoved once
    expect removed @settings reason=parentRemoved once
    screen
    """#
}
