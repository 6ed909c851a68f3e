# fish completion for sallyport. Asks the program itself, which knows the names of sandboxes.
function __sallyport_complete
    set -l words (commandline -opc) (commandline -ct)
    command $words[1] internal-complete $words[2..-1] 2>/dev/null
end
function __sallyport_has_none
    test -z "$(__sallyport_complete)"
end
complete -c sallyport -f -a '(__sallyport_complete)'
complete -c sallyport -n __sallyport_has_none -F
