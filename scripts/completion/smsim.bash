# Completion of smsim, smsim-sweep and smsim-explore in bash. Commands and options come from the program's own --help and
# configuration keys from `smsim config --schema`, so that nothing here needs an update.

# Reads a help text and prints a line per name of an option: the name, and its value ("FILE", "{text,json}").
_smsim_options() {
    awk '
    /^  -/ {
        line = $0
        sub(/^ +/, "", line)
        head = line
        sub(/  .*/, "", head)
        count = split(head, words, " ")
        names = 0
        value = ""
        for (i = 1; i <= count; i++) {
            word = words[i]
            sub(/,$/, "", word)
            if (word ~ /^-/) {
                parts = split(word, part, ",")
                for (j = 1; j <= parts; j++) {
                    name[++names] = part[j]
                }
                continue
            }
            sub(/=[a-z0-9.]+$/, "", word) # its default
            if (value == "" && (word ~ /[{]/ || word ~ /^[A-Z][^a-z]*$/)) {
                value = word
            } else {
                break
            }
        }
        if ((value == "FORM" || value == "LIST") && match(line, /[a-z]+(, [a-z]+)* or [a-z]+$/)) {
            list = value == "LIST"
            value = substr(line, RSTART)
            gsub(/(, )|( or )/, ",", value)
            value = (list ? "LIST" : "") "{" value "}"
        }
        for (i = 1; i <= names; i++) {
            print name[i], value
        }
    }'
}

# The values of a configuration key, if they are names.
_smsim_values() {
    "$1" config --schema 2>/dev/null | awk -v key="$2" '
    $1 == key && match($0, /\[[^\]]*\]$/) {
        values = substr($0, RSTART + 1, RLENGTH - 2)
        if (values !~ /\.\./) {
            gsub(/,/, "", values)
            print values
        }
    }'
}

_smsim() {
    local program=${COMP_WORDS[0]/#\~/$HOME}
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local help commands command="" word kind
    COMPREPLY=()
    help=$("$program" --help 2>/dev/null) || return
    commands=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z-]*\) .*/\1/p' <<<"$help")
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ $'\n'$commands$'\n' == *$'\n'"$word"$'\n'* ]]; then
            command=$word
            help=$("$program" "$command" --help 2>/dev/null)
            break
        fi
    done
    # bash has split words at '='.
    if [[ $current == "=" || $previous == "=" ]]; then
        [[ $current == "=" ]] && current="" || previous=${COMP_WORDS[COMP_CWORD - 2]}
        if [[ $previous != -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$(_smsim_values "$program" "$previous")" -- "$current")
            return
        fi
    fi
    kind=""
    if [[ $previous == -* ]]; then
        kind=$(_smsim_options <<<"$help" | awk -v name="$previous" '$1 == name { print $2 }')
    fi
    case $kind in
    LIST{*}) # names with commas between them
        local before=${current%"${current##*,}"}
        kind=${kind#*\{}
        kind=${kind%%\}*}
        mapfile -t COMPREPLY < <(compgen -P "$before" -W "${kind//,/ }" -- "${current##*,}")
        ;;
    *{*}*)
        kind=${kind#*\{}
        kind=${kind%%\}*}
        mapfile -t COMPREPLY < <(compgen -W "${kind//,/ }" -- "$current")
        ;;
    KEY=VALUE)
        compopt -o nospace 2>/dev/null
        mapfile -t COMPREPLY < <(
            compgen -S = -W "$("$program" config --schema 2>/dev/null | awk '$1 ~ /[.]/ { print $1 }')" -- "$current"
        )
        ;;
    DIR)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        ;;
    FILE | PROGRAM)
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        ;;
    ?*) ;; # a value that only the user knows
    *)
        if [[ $current != -* && -n $commands && (-z $command || ($command == help && $previous == help)) ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
        elif [[ $current != -* && $help == *[Pp]ositional* && $command != help ]]; then
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
        else
            mapfile -t COMPREPLY < <(compgen -W "$(_smsim_options <<<"$help" | awk '{ print $1 }')" -- "$current")
        fi
        ;;
    esac
}

complete -F _smsim smsim smsim-sweep smsim-explore
