extension ShellHelp {
  /// What `help catalog` says: the form of a catalogue file.
  static let catalogue: [String] = [
    "A catalogue is an app in a JSON file: modules, and coordinators that follow a script.",
    "",
    "  minerva up --catalog shop.json",
    "  catalog shop.json                      in the head of a flow; a set of its own with two hosts",
    "",
    "{\"app\": NAME, \"start\": MODULE, \"links\": {\"schemes\": [..], \"hosts\": [..], \"root\": MODULE}, \"modules\": {MODULE: {..}}}",
    "",
    "of a module, all may be left out:",
    "  summary      one line for people",
    "  input        a schema: {\"id\": \"integer\", \"why\": \"string?\", \"as\": \"a|b\", \"pin\": \"secret string\", \"tags\": [\"string\"]}",
    "  output       the schema of what it tells",
    "  container    {\"tabs\": {NAME: MODULE}, \"selected\": NAME} or {\"primary\": MODULE, \"detail\": MODULE}",
    "  slots        [NAME]",
    "  routes       {PATH: MODULE} or {PATH: {\"to\": MODULE, \"via\": KIND, \"query\": [..]}} or {PATH: {\"redirect\": PATH}}",
    "  transitions  {NAME: MODULE} or {NAME: {\"to\": MODULE, \"input\": {..}, \"via\": KIND}}, for go NAME",
    "  state        {KEY: VALUE}, kept when another host resumes the screen",
    "  title, rows  what it shows: [{\"id\": .., \"text\": .., \"detail\": .., \"kind\": label|button|field|switch, \"swipe\": [..]}]",
    "  on           {EVENT: [STEP]}, each event one turn",
    "events: load, input, tap ROW, swipe ROW, enter FIELD, output MODULE, result MODULE, end MODULE, timer NAME; * for any row",
    "steps: {\"open\": MODULE, \"input\": {..}, \"via\": KIND}, {\"output\": ..}, {\"finish\": ..}, {\"cancel\": true},",
    "       {\"set\": {KEY: VALUE}}, {\"fail\": TEXT}, {\"veto\": [back, dismiss]}, {\"wake\": MILLISECONDS, \"as\": NAME}",
    "In texts and values {KEY} is a member of the state, else of the input; {value} and {value.KEY} are the event's.",
  ]
}
