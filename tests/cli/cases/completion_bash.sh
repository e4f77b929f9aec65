gtrace completion bash > script.bash
complete_line() {
  bash -c '
    source script.bash
    COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
    _gtrace; echo "${COMPREPLY[*]}"' _ "$@"
}
complete_line gtrace ''
complete_line gtrace sh
complete_line gtrace show --s
complete_line gtrace record ''
complete_line gtrace record gpt --optimizer ''
complete_line gtrace record mlp --variant ''
complete_line gtrace replay run.h5 --pass ''
complete_line gtrace completion ''
