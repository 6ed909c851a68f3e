# bash completion for sallyport. Asks the program itself, which knows the names of sandboxes.
_sallyport() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}")
    done < <("${COMP_WORDS[0]}" internal-complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _sallyport sallyport ./sallyport
