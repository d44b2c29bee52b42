# complete.zsh COMPLETION FOLDER: types each line of standard input into an interactive zsh, TAB for the key, and prints the arguments that the
# command receives.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "autoload -U compinit; compinit -u -D; source ${(q)1}; cd ${(q)2}"
zpty -w shell 'restwright() { print -r -- "<RECEIVED"" $*>" }; PROMPT="<PROM""PT>"'
zpty -r shell output '*<PROMPT>*'
while IFS= read -r line; do
  zpty -w shell "${line//TAB/	}"
  zpty -r shell output '*<RECEIVED *<PROMPT>*'
  print -r -- "$output" | tr -d '\r' | sed -n 's/.*<RECEIVED \(.*\)>.*/\1/p'
done
zpty -d shell
