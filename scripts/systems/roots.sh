# Bare Debian roots for scripts/check-fresh and scripts/check-systems, which source this file: made by debootstrap, entered with
# chroot. As root.

# make_root SUITE FOLDER MIRROR: a root with only git, with the network access of this machine.
make_root() {
  debootstrap --variant=minbase --include=git "$1" "$2" "$3" |
    scripts/progress '^I: (Retrieving|Validating|Extracting|Unpacking|Configuring)'
  cp -L /etc/resolv.conf /etc/hosts "$2/etc/"
  # Certificate authorities that this machine trusts besides Debian's, perhaps those of its proxy: the package ca-certificates
  # picks them up.
  mkdir -p "$2/usr/local/share/ca-certificates"
  find /usr/local/share/ca-certificates -name '*.crt' -exec cp -L {} "$2/usr/local/share/ca-certificates/" \; 2>/dev/null || true
}

# inside ROOT DIRECTORY COMMAND [USER]: runs a command in a root as a login on that machine would. Mounts live in namespaces
# that end with the command, so that only files are left to remove.
inside() {
  local user=${4:-root} home=/root
  [ "$user" = root ] || home=/home/$user
  unshare --mount --pid --fork bash -c '
    mount -t proc proc "$0/proc"
    mount --rbind /dev "$0/dev"
    mount -t tmpfs tmpfs "$0/dev/shm"
    exec chroot --userspec="$3" "$0" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      HOME="$4" USER="${3%%:*}" LANG=C.UTF-8 TERM="${TERM:-dumb}" DEBIAN_FRONTEND=noninteractive bash -c "cd $1 && $2
        exit \$?" # so that this bash stays as the first process: it reaps processes whose parent has ended
  ' "$1" "$2" "$3" "$user:$user" "$home"
}

# add_user ROOT USER: adds an ordinary user who cannot become root.
add_user() {
  inside "$1" / "useradd --create-home --shell /bin/bash $2"
}

# allow_sudo ROOT USER: lets the user become root without a password.
allow_sudo() {
  inside "$1" / 'apt-get -qq update && apt-get -qq install -y --no-install-recommends sudo >/dev/null'
  echo "$2 ALL=(ALL) NOPASSWD: ALL" >"$1/etc/sudoers.d/$2"
  chmod 440 "$1/etc/sudoers.d/$2"
}

# clone_into ROOT DIRECTORY [USER]: clones the last commit of this tree.
clone_into() {
  git bundle create -q "$1/tmp/smsim.bundle" HEAD
  inside "$1" / "git -c advice.detachedHead=false -c init.defaultBranch=main clone -q /tmp/smsim.bundle $2" "${3:-root}"
  rm "$1/tmp/smsim.bundle"
}

# update_clone ROOT DIRECTORY: updates a clone in the root to the last commit of this tree.
update_clone() {
  git bundle create -q "$1/tmp/smsim.bundle" HEAD
  inside "$1" "$2" "git fetch -q /tmp/smsim.bundle HEAD && git reset -q --hard FETCH_HEAD"
  rm "$1/tmp/smsim.bundle"
}
