#compdef sallyport
# zsh completion for sallyport. Asks the program itself, which knows the names of sandboxes.
_sallyport() {
    local line word
    local -a found
    while IFS= read -r line; do
        word=${line%%$'\t'*}
        found+=("${word//:/\\:}:${line#*$'\t'}")
    done < <("${words[1]}" internal-complete "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#found} )); then
        _describe -V sallyport found
    else
        _files
    fi
}
# Read by the completion system it is the function itself; read by source it is registered.
if [[ ${funcstack[1]-} == _sallyport ]]; then
    _sallyport "$@"
else
    compdef _sallyport sallyport
fi
