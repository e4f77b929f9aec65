# Colour and aligned columns on a terminal only; NO_COLOR is honoured.
on_terminal() { TERM=xterm script -qec "$*" /dev/null < /dev/null | tr -d '\r'; }
on_terminal "gtrace show absent.h5" | cat -v
on_terminal "NO_COLOR=1 gtrace show absent.h5" | cat -v
gtrace show absent.h5 2>&1 | cat -v
on_terminal "gtrace show $GOLDEN" | grep -A1 '^loss of'
