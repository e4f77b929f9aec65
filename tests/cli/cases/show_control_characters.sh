# Labels, notes and header values come from a file that anybody may have written: no terminal acts upon them.
"$HELPERS/write_trace" controls run.h5
"$HELPERS/write_trace" controls other.h5
label=$(printf 'lay\033[31mer\n0')
shown() { "$@" > out 2> err; echo "exit $?"; cat out err; LC_ALL=C grep -c "$(printf '[\001-\010\013-\037\177]')" out err; }
shown gtrace show run.h5
shown gtrace show run.h5 --stats
shown gtrace show run.h5 --layer "$label"
shown gtrace show run.h5 --tape "$label"
shown gtrace show run.h5 --record "0:0:0/forward/$label#0/output.0"
shown gtrace show run.h5 --layer "$label"x
shown gtrace diff run.h5 other.h5
shown gtrace verify run.h5
