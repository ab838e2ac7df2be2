#!/bin/sh
# What somebody does who has never seen dd, as a user without rights, in a root file system that has git and nothing of dd.
# Called by scripts/stranger.ts with DD_RELEASE_URL set, and with a public repository at /repository.
set -eu

step() { printf '\n== %s\n' "$*"; }
stop() { printf 'stranger.sh: %s\n' "$*" >&2; exit 1; }
ends_with() {
  wanted=$1
  shift
  code=0
  "$@" || code=$?
  [ "$code" = "$wanted" ] || stop "$* ended with $code instead of $wanted"
}
# Not every git creates the directory.
hooks() { find .git/hooks -type f -exec cksum {} + 2>/dev/null | sort; }

cd "$HOME"
export PATH="$HOME/.local/bin:$PATH"

step 'install from the archive'
if command -v curl >/dev/null; then curl -fsS -O "$DD_RELEASE_URL/latest/download/install.sh"; else wget -q "$DD_RELEASE_URL/latest/download/install.sh"; fi
sh install.sh --with-dd
dd --version

step 'review a public repository'
git config --global user.name Stranger
git config --global user.email stranger@example.invalid
git config --global safe.directory /repository
git clone --quiet /repository work
cd work
git switch --quiet --create topic
# Its own findings do not matter here; that the review is complete does.
dd review --commit HEAD~1 --fail-on none --format json >../review.json
grep -q '"status": *"complete"' ../review.json || stop 'the review is not complete'
dd review --commit HEAD --fail-on none

step 'install the hook'
git init --quiet --bare ../remote.git
git remote set-url origin "$HOME/remote.git"
git push --quiet origin HEAD:main
git fetch --quiet
before=$(hooks)
dd hook install --pre-push
dd hook status

step 'push a bad commit'
printf 'import yaml\n\n\ndef read(text):\n    return yaml.load(text)\n' >stranger.py
git add stranger.py
git commit --quiet --message 'Read settings'
ends_with 1 git push origin topic
[ -z "$(git ls-remote origin topic)" ] || stop 'the bad commit was pushed'

step 'push a good commit'
printf 'import yaml\n\n\ndef read(text):\n    return yaml.safe_load(text)\n' >stranger.py
git commit --quiet --all --amend --message 'Read settings safely'
git push origin topic
[ -n "$(git ls-remote origin topic)" ] || stop 'the good commit was not pushed'

step 'uninstall'
dd hook uninstall --pre-push
[ "$(hooks)" = "$before" ] || stop 'the hooks are not as they were'
cd "$HOME"
sh install.sh uninstall
# The stranger's own files, and what the uninstaller has named.
rm -rf .daydream .gitconfig install.sh remote.git review.json work
