#compdef sample
# zsh completion for sample; install into a directory of $fpath as _sample

_sample_keys_new() {
  _arguments \
    '--runtime=[the runtime directory]:DIR:_files -/' \
    '--json[one JSON object a line]' \
    '--help[show help]' \
    ':NAME: '
}

_sample_keys() {
  local -a commands
  commands=(
    'new:Makes a key pair'
  )
  local state
  _arguments -C \
    '--runtime=[the runtime directory]:DIR:_files -/' \
    '--json[one JSON object a line]' \
    '--help[show help]' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
        new) _sample_keys_new ;;
      esac
      ;;
  esac
}

_sample_open() {
  _arguments \
    '--runtime=[the runtime directory]:DIR:_files -/' \
    '--json[one JSON object a line]' \
    '--help[show help]'
}

_sample_run() {
  _arguments \
    '--jobs=[how many at once]:N: ' \
    '--for=[how long]:DURATION: ' \
    '*--host=[a host to start]:EXECUTABLE: ' \
    '--clock=[which clock]:virtual|real:(virtual real)' \
    '--keep-going[do not stop at the first failure]' \
    '--runtime=[the runtime directory]:DIR:_files -/' \
    '--json[one JSON object a line]' \
    '--help[show help]' \
    '*:FILE:_files'
}

_sample() {
  local -a commands
  commands=(
    'run:Runs flow files'
    'open:Opens a module'
    'keys:Makes and allows keys'
  )
  local state
  _arguments -C \
    '--runtime=[the runtime directory]:DIR:_files -/' \
    '--json[one JSON object a line]' \
    '--help[show help]' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
        run) _sample_run ;;
        open) _sample_open ;;
        keys) _sample_keys ;;
      esac
      ;;
  esac
}

_sample "$@"
