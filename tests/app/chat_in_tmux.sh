#!/usr/bin/env bash
# Drives `bolide run` through a real terminal (tmux), as a person would, checks what is on the screen, and writes what it
# saw to docs/chat.md: tests/app/chat_in_tmux.sh [BOLIDE]. By hand, because it takes a minute and needs tmux.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
bolide="$(realpath "${1:-build/release/bolide}")"
model="$PWD/models/nano"
home="$(mktemp -d)"
page="$home/chat.md"
columns=76
chat=0
server() { tmux -L "bolide-test-$$-$chat" -f /dev/null "$@"; }
trap 'server kill-server 2>/dev/null || true; rm -rf "$home"' EXIT

# Starts a chat on a fresh screen: start [VARIABLE=VALUE...] -- [ARGUMENT...]
start() {
  local variables=()
  while [[ $1 != -- ]]; do variables+=("$1") && shift; done
  shift
  local command
  command="$(printf '%q ' env -u NO_COLOR "HOME=$home" "XDG_STATE_HOME=$home/state" "${variables[@]}" "$bolide" run --model "$model" --temp 0 "$@")"
  server kill-server 2>/dev/null || true
  chat=$((chat + 1))  # a server that ends refuses sessions for a moment
  server new-session -d -x "$columns" -y 24 "cd '$home'; PS1='$ ' bash --norc --noprofile"
  server set-option -g history-limit 5000
  server resize-window -x "$columns" -y 24
  until_screen '[$] $'
  server send-keys -l "clear; $command; echo exit code \$?"
  server send-keys Enter
  until_screen 'Ctrl.D leaves'
}
screen() { server capture-pane -p -J -S -200 "$@"; }
type_line() { server send-keys -l -- "$1" && server send-keys Enter; }
press() { server send-keys "$@"; }

# Waits until the last lines of the screen match.
until_screen() {
  for ((i = 0; i < 600; ++i)); do
    if screen | sed '/^$/d' | tail -n "${2:-6}" | grep -qE -- "$1"; then return; fi
    sleep 0.1
  done
  fail "never came: $1"
}
# Waits until an answer is complete: the prompt is the last line.
until_prompt() { until_screen '^> ?$' 1; }
expect() { screen "${@:2}" | grep -qE -- "$1" || fail "not on the screen: $1"; }
expect_not() { if screen "${@:2}" | grep -qE -- "$1"; then fail "on the screen: $1"; fi; }
fail() {
  printf 'FAILED: %s\n' "$1" >&2
  screen >&2 || true
  exit 1
}
# Adds a section with what the screen shows, from the greeting on.
section() {
  printf '\n## %s\n\n%s\n\n```text\n' "$1" "$2" >>"$page"
  server capture-pane -p -S -200 | sed -n '/^Bolide with/,$p' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >>"$page"
  printf '```\n' >>"$page"
}

cat >"$page" <<TEXT
# What a chat looks like

Written by \`tests/app/chat_in_tmux.sh\`, which types into a real terminal (tmux, $columns columns) and copies its screen; the model
is nano, on $(date -u +%Y-%m-%d). Thinking is dimmed there, and the answers' Markdown is in colours. What the commands do is in
[the guide](guide.md).
TEXT

# A question, a second one that needs the first, statistics.
start --
type_line 'My name is Alice.'
until_prompt
type_line 'What is my name?'
until_prompt
expect 'Your name is Alice'
expect 'tokens/s; prompt [0-9]+ tokens, [1-9][0-9]* reused'
expect $'\e\\[2m' -e
type_line '/stats'
until_screen 'settings'
until_prompt
section 'Questions and answers' 'Below an answer: its tokens, the speed, and how much of the prompt was still known.'

# Saving, forgetting, loading.
type_line '/save alice.chat'
until_screen 'Saved in'
type_line '/save alice.chat'
until_screen 'once more replaces it'
type_line '/save alice.chat'
until_screen 'Saved in'
[[ $(stat -c %a "$home/alice.chat") == 600 ]] || fail 'a saved conversation is private'
type_line '/quit'
until_screen 'exit code 0'
start --
type_line '/load alice.chat'
until_screen '2 questions'
type_line 'What is my name?'
until_prompt
expect 'Your name is Alice'
type_line '/rewind 2'
until_screen '2 questions forgotten, 1 left'
printf 'not a chat' >"$home/other.txt"
type_line '/load other.txt'
until_screen 'not a conversation that /save wrote'
type_line '/save other.txt'
until_screen 'there is such a file already'
[[ $(<"$home/other.txt") == 'not a chat' ]] || fail 'a file was overwritten'
type_line '/system'
until_screen 'There is no system text'
type_line '/temp 101'
until_screen 'from 0 to 100'
section 'Conversations in files' 'A file that is no conversation is neither read nor replaced.'
press C-d
until_screen 'exit code 0'

# The history of both chats, also after a third one began.
start --
press Up
until_screen '> /temp 101'
press Up Up Up Up
until_screen '> /rewind 2'
press C-c
[[ $(stat -c %a "$home/state/bolide/history") == 600 ]] || fail 'the history is private'

# A paste of several lines, wide characters, and a narrower window while it is edited.
server set-buffer -- $'What is the capital\nof Norway? 漢字 e\u0301 🙂 and a line that is longer than the window will soon be'
server paste-buffer -p
until_screen 'will soon'
server resize-window -x 40 -y 24
sleep 0.5
expect_not '> What is the capital.*> What'
[[ $(screen | grep -c '> What is the capital') == 1 ]] || fail 'the text is painted twice after a resize'
section 'A paste of several lines' 'Nothing is sent before Enter; here the window has just become narrower.'
server resize-window -x "$columns" -y 24
sleep 0.5
[[ $(screen | grep -c '> What is the capital') == 1 ]] || fail 'the text is painted twice after a resize'
press C-c
until_prompt

# A file, and a long prompt with its bar; Ctrl+C stops it.
for i in {1..400}; do echo "Line $i of a file that is long enough."; done >"$home/long.txt"
type_line '/read long.txt'
until_screen 'go with your next question'
type_line 'What is in it?'
until_screen 'reading the prompt \[=* *\] [0-9,]+ of [0-9,]+ tokens, [0-9]+ s left'
section 'A long prompt' 'The bar goes away when the answer begins.'
press C-c
until_screen 'what was read goes with the next one'
type_line '/new'
until_screen 'A new conversation'
until_prompt

# Ctrl+C stops an answer; what was typed meanwhile is not lost; Ctrl+C twice leaves.
type_line '/think 0'
until_screen 'without thinking'
type_line 'Count from 1 to 1000.'
until_screen '1, 2, 3'
server send-keys -l 'What is the capital of Norway?'
press C-c
until_screen '> What is the capital of Norway\?'
expect '; stopped'
press Enter
until_screen 'Oslo'
until_prompt
section 'Stopping an answer' 'The second question was typed while the first was answered; Ctrl+C stopped that.'
press C-c
until_screen 'Ctrl.C again'
press C-c
until_screen 'exit code 0'

# Without colours no byte of style.
start NO_COLOR=1 --
type_line 'My name is Alice.'
until_prompt
expect '\[thinking: '
expect_not $'\e\\[[0-9;]*m' -e
section 'Without colours' '`NO_COLOR` is set: the thinking stands in brackets.'
press C-d
until_screen 'exit code 0'

mv "$page" docs/chat.md
printf 'all as expected; docs/chat.md is written\n'
