gtrace completion zsh | head -2
gtrace completion fish | grep -- '-l optimizer'
gtrace completion tcsh
