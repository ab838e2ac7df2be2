#!/bin/sh
# Installs dd from the archives of a release, for the user who runs this, and verifies them by SHA256SUMS.
#
#   sh install.sh [--with-dd] [--modify-path]
#   sh install.sh uninstall
#
#   DD_INSTALL_DIR  where the program goes; default: ~/.local/bin
#   DD_VERSION      default: the newest
#   DD_RELEASE_URL  where the releases are: its download/VERSION and latest/download have the files
#   --with-dd       also the name dd, which is coreutils' dd otherwise (dd passes its calls on)
#   --modify-path   adds the directory to PATH in the file that your shell reads
#
# Until the new program has run, nothing outside of a temporary directory changes.
set -eu

# The release script writes the address of the project here, once it has one.
default_url=''

: "${HOME=}"
directory=${DD_INSTALL_DIR:-$HOME/.local/bin}
url=${DD_RELEASE_URL:-$default_url}
mark='# added by the installer of dd'

stop() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}

main() {
  with_dd=no
  modify_path=no
  action=install
  for argument in "$@"; do
    case $argument in
      --with-dd) with_dd=yes ;;
      --modify-path) modify_path=yes ;;
      install | uninstall) action=$argument ;;
      *) stop "unknown argument $argument; known: --with-dd, --modify-path, uninstall" ;;
    esac
  done
  case $directory in
    /.local/bin) stop 'HOME is not set; set DD_INSTALL_DIR' ;;
    # In quotes, and in the settings of a CI service, no shell has replaced it.
    "~" | "~/"*)
      [ -n "$HOME" ] || stop 'HOME is not set'
      directory=$HOME${directory#"~"}
      ;;
    /*) ;;
    *) directory=$PWD/$directory ;;
  esac
  # As a word of the shell.
  quoted="'$(printf '%s' "$directory" | sed "s/'/'\\\\''/g")'"
  "$action"
}

install() {
  [ -n "$url" ] || stop 'this version has no address for its releases; set DD_RELEASE_URL'
  target=$(target)
  for program in tar mktemp; do
    command -v "$program" >/dev/null || stop "$program is needed and was not found"
  done
  is_dd || stop "$directory/daydream is another program; nothing was installed"
  create "$directory"
  [ -w "$directory" ] || stop "$directory is not writable; set DD_INSTALL_DIR to a directory that is"
  # In the directory, so that the last step is a rename on one file system.
  work=$(mktemp -d "$directory/.daydream.XXXXXX") || stop "$directory is not writable; set DD_INSTALL_DIR to a directory that is"
  trap 'rm -rf "$work"; [ "$installed" = yes ] || undo' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP

  from=$url/latest/download
  [ -z "${DD_VERSION:-}" ] || from=$url/download/${DD_VERSION#v}
  fetch "$from/SHA256SUMS" "$work/SHA256SUMS"
  # A line of the file: the checksum and the name of the archive.
  found=$(sed -n "s/^\([0-9a-f]\{64\}\) [ *]\(daydream-[0-9][0-9A-Za-z.+-]*-$target\.tar\.xz\)\$/\1 \2/p" "$work/SHA256SUMS" | head -n 1)
  [ -n "$found" ] || stop "the release has no archive for $target"
  archive=${found#* }
  fetch "$from/$archive" "$work/archive"
  actual=$(checksum "$work/archive")
  [ "$actual" = "${found%% *}" ] || stop "$archive has the checksum $actual instead of ${found%% *}; nothing was installed"
  tar -xJf "$work/archive" -C "$work" || {
    command -v xz >/dev/null || stop "$archive cannot be unpacked; tar needs xz for it (Debian: xz-utils)"
    stop "$archive is damaged in the release itself; nothing was installed"
  }
  new=$work/${archive%.tar.xz}/daydream
  needs=
  case $target in *-musl) needs=' (it needs libstdc++; Alpine: apk add libstdc++ git)' ;; esac
  version=$("$new" --version) || stop "the program for $target does not run here$needs; nothing was installed"

  link_dd=no
  if [ "$with_dd" = yes ]; then
    is_ours "$directory/dd" || stop "$directory/dd is another program; nothing was installed"
    link_dd=yes
  elif ! command -v dd >/dev/null; then
    link_dd=yes
  fi
  mv -f "$new" "$directory/daydream"
  installed=yes
  printf 'installed %s as %s\n' "$version" "$directory/daydream"
  if [ "$link_dd" = yes ]; then
    ln -s daydream "$work/dd"
    mv -f "$work/dd" "$directory/dd"
    printf 'and as %s\n' "$directory/dd"
  elif ! { [ -L "$directory/dd" ] && is_ours "$directory/dd"; }; then
    printf 'the name dd is that of coreutils here; --with-dd installs it too\n'
  fi
  case :$PATH: in
    *":$directory:"*) ;;
    *) path ;;
  esac
}

installed=no
created=

# Creates a directory, and remembers the highest one that was missing.
create() {
  missing=$1
  while [ ! -d "$missing" ]; do
    created=$missing
    missing=$(dirname "$missing")
  done
  mkdir -p "$1" 2>/dev/null || stop "$1 cannot be created; set DD_INSTALL_DIR to a directory that can"
}

# Removes the directories that were created, as long as they are empty.
undo() {
  empty=$directory
  while [ -n "$created" ] && rmdir "$empty" 2>/dev/null && [ "$empty" != "$created" ]; do
    empty=$(dirname "$empty")
  done
}

target() {
  system=$(uname -s)
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) stop "there is no program for the processor $machine" ;;
  esac
  case $system in
    Linux)
      # 32-bit programs on a 64-bit kernel cannot load the program.
      [ "$(getconf LONG_BIT 2>/dev/null || echo 64)" = 64 ] || stop 'there is no program for 32 bits'
      libc=-musl
      for loader in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1 /nix/store; do
        [ ! -e "$loader" ] || libc=
      done
      echo "linux-$machine$libc"
      ;;
    Darwin)
      # A shell for Intel on Apple's processors.
      [ "$(sysctl -n sysctl.proc_translated 2>/dev/null || echo 0)" != 1 ] || machine=arm64
      echo "darwin-$machine"
      ;;
    *) stop "there is no program for $system; on Windows use install.ps1" ;;
  esac
}

fetch() {
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --output "$2" "$1" || stop "$1 could not be downloaded; nothing was installed"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$1" || stop "$1 could not be downloaded; nothing was installed"
  else
    stop 'curl or wget is needed and was not found'
  fi
}

checksum() {
  if command -v sha256sum >/dev/null; then
    sha256sum "$1"
  elif command -v shasum >/dev/null; then
    shasum -a 256 "$1"
  else
    stop 'sha256sum or shasum is needed and was not found'
  fi | cut -d ' ' -f 1
}

# Whether this may be replaced or removed: nothing, or a link to daydream.
is_ours() {
  [ ! -e "$1" ] && [ ! -L "$1" ] && return
  [ -L "$1" ] && [ "$(readlink "$1")" = daydream ]
}

# Whether daydream may be replaced or removed: nothing, or a dd.
is_dd() {
  [ ! -e "$directory/daydream" ] && [ ! -L "$directory/daydream" ] && return
  [ -f "$directory/daydream" ] && case $("$directory/daydream" --version 2>/dev/null || :) in 'dd '*) ;; *) false ;; esac
}

# The file that the user's shell reads, and the line in it.
path() {
  line="export PATH=$quoted:\"\$PATH\" $mark"
  case ${SHELL:-} in
    */fish) file=${XDG_CONFIG_HOME:-$HOME/.config}/fish/conf.d/daydream.fish line="fish_add_path $quoted $mark" ;;
    */zsh) file=${ZDOTDIR:-$HOME}/.zshrc ;;
    */bash) file=$HOME/.bashrc ;;
    *) file=$HOME/.profile ;;
  esac
  if [ "$modify_path" = no ]; then
    printf '%s is not on your PATH; add it, or use --modify-path, which changes %s\n' "$directory" "$file"
  elif ! grep -qxF "$line" "$file" 2>/dev/null; then
    mkdir -p "$(dirname "$file")"
    # The last line of the file may have no end.
    [ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] || echo >>"$file"
    printf '%s\n' "$line" >>"$file"
    printf 'changed PATH in %s; open a new terminal\n' "$file"
  fi
}

uninstall() {
  removed=no
  is_dd || stop "$directory/daydream is another program; nothing was removed"
  if [ -f "$directory/daydream" ]; then
    rm -f "$directory/daydream" || stop "$directory/daydream cannot be removed"
    printf 'removed %s\n' "$directory/daydream"
    removed=yes
  fi
  if [ -L "$directory/dd" ] && is_ours "$directory/dd"; then
    rm -f "$directory/dd"
    printf 'removed %s\n' "$directory/dd"
    removed=yes
  fi
  for file in "${XDG_CONFIG_HOME:-$HOME/.config}/fish/conf.d/daydream.fish" "${ZDOTDIR:-$HOME}/.zshrc" "$HOME/.bashrc" "$HOME/.profile"; do
    grep -F "$mark" "$file" 2>/dev/null | grep -qF "$quoted" || continue
    kept=$(mktemp) || stop 'there is no temporary directory'
    # Only the lines for this directory: dd may be in another one too.
    mark=$mark quoted=$quoted awk '!(index($0, ENVIRON["mark"]) && index($0, ENVIRON["quoted"]))' "$file" >"$kept"
    # Not a rename: the file may be a link, and has rights of its own.
    cat "$kept" >"$file"
    rm -f "$kept"
    [ -s "$file" ] || [ "${file##*/}" != daydream.fish ] || rm -f "$file"
    printf 'removed the line for PATH from %s\n' "$file"
    removed=yes
  done
  [ "$removed" = yes ] || stop "dd is not installed in $directory"
  # Only the default: any other directory was chosen by the user, and may have been there before.
  [ "$directory" != "$HOME/.local/bin" ] || rmdir "$directory" "$HOME/.local" 2>/dev/null || :
  data=${DD_HOME:-$HOME/.daydream}
  [ ! -d "$data" ] || printf 'your archive and settings are still in %s\n' "$data"
}

# At the end, so that a part of this file does nothing.
main "$@"
