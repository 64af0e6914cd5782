# bash completion for sample; install: sample completions bash > ~/.local/share/bash-completion/completions/sample
_sample_completion() {
  local word previous path= index
  word="${COMP_WORDS[COMP_CWORD]}"
  previous="${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$path/${COMP_WORDS[index]}" in
      /run|/open|/keys|/keys/new) path="$path/${COMP_WORDS[index]}" ;;
    esac
  done
  case "$path:$previous" in
    :--runtime) COMPREPLY=($(compgen -d -- "$word")); return ;;
    /run:-j|/run:--jobs) return ;;
    /run:--for) return ;;
    /run:--host) return ;;
    /run:--clock) COMPREPLY=($(compgen -W "virtual real" -- "$word")); return ;;
    /run:--runtime) COMPREPLY=($(compgen -d -- "$word")); return ;;
    /open:--runtime) COMPREPLY=($(compgen -d -- "$word")); return ;;
    /keys:--runtime) COMPREPLY=($(compgen -d -- "$word")); return ;;
    /keys/new:--runtime) COMPREPLY=($(compgen -d -- "$word")); return ;;
  esac
  case "$path" in
    "") COMPREPLY=($(compgen -W "run open keys --runtime --json --help" -- "$word")) ;;
    "/run") COMPREPLY=($(compgen -W "--jobs --for --host --clock --keep-going --runtime --json --help" -- "$word") $(compgen -f -- "$word")) ;;
    "/open") COMPREPLY=($(compgen -W "--runtime --json --help" -- "$word")) ;;
    "/keys") COMPREPLY=($(compgen -W "new --runtime --json --help" -- "$word")) ;;
    "/keys/new") COMPREPLY=($(compgen -W "--runtime --json --help" -- "$word")) ;;
  esac
}
complete -F _sample_completion sample
