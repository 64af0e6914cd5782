# fish completion for sample; install: sample completions fish > ~/.config/fish/completions/sample.fish
complete -c sample -f
complete -c sample -n 'not __fish_seen_subcommand_from run open keys' -a run -d 'Runs flow files'
complete -c sample -n 'not __fish_seen_subcommand_from run open keys' -a open -d 'Opens a module'
complete -c sample -n 'not __fish_seen_subcommand_from run open keys' -a keys -d 'Makes and allows keys'
complete -c sample -l runtime -d 'the runtime directory' -r -F
complete -c sample -l json -d 'one JSON object a line'
complete -c sample -n '__fish_seen_subcommand_from run' -s j -l jobs -d 'how many at once' -x
complete -c sample -n '__fish_seen_subcommand_from run' -l for -d 'how long' -x
complete -c sample -n '__fish_seen_subcommand_from run' -l host -d 'a host to start' -x
complete -c sample -n '__fish_seen_subcommand_from run' -l clock -d 'which clock' -x -a 'virtual real'
complete -c sample -n '__fish_seen_subcommand_from run' -l keep-going -d 'do not stop at the first failure'
complete -c sample -n '__fish_seen_subcommand_from run' -F
complete -c sample -n '__fish_seen_subcommand_from keys; and not __fish_seen_subcommand_from new' -a new -d 'Makes a key pair'
