// Completion for three shells. Each script holds the whole table, so that pressing Tab starts no process.
import { allCommands, nextWords, type Shell, type ShellCommand } from './shell-table.ts'

export function completionScript(shell: Shell, table: ShellCommand): string {
  return { bash, zsh, fish }[shell](table)
}

const HEADER = (shell: Shell) => `# Completion of hookline for ${shell}, made by \`hookline completion ${shell}\`.`

/** As the scripts keep it: each word after a blank, so that no path begins another by chance. */
const keyOf = ({ path }: ShellCommand): string => path.map((word) => ` ${word}`).join('')

/** Options whose next word is a value that no table knows. */
function valued(table: ShellCommand): readonly string[] {
  const flags = allCommands(table).flatMap(({ options }) =>
    options.flatMap(({ flags, value }) => (value === undefined ? [] : flags)),
  )
  return [...new Set(flags)]
}

/** Paths that a word may lead to. */
const deeper = (table: ShellCommand): readonly string[] =>
  allCommands(table)
    .filter(({ path }) => path.length > 0)
    .map(keyOf)

/** For all three: nothing in it means anything inside single quotes. */
function single(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function bash(table: ShellCommand): string {
  const cases = allCommands(table).map((command) => {
    const words = nextWords(command).map(({ word }) => word)
    return `    ${single(keyOf(command))}) words=${single(words.join(' '))} ;;`
  })
  return [
    HEADER('bash'),
    '# Now: source <(hookline completion bash)',
    '# For good: mkdir -p ~/.local/share/bash-completion/completions && hookline completion bash > ~/.local/share/bash-completion/completions/hookline',
    '_hookline() {',
    '  local current=${COMP_WORDS[COMP_CWORD]} path= words= i',
    '  COMPREPLY=()',
    '  for ((i = 1; i < COMP_CWORD; i++)); do',
    '    case "$path ${COMP_WORDS[i]}" in',
    `      ${deeper(table).map(single).join(' | ')}) path="$path \${COMP_WORDS[i]}" ;;`,
    '    esac',
    '  done',
    '  case "${COMP_WORDS[COMP_CWORD - 1]}" in',
    `    ${valued(table).join(' | ')}) return ;;`,
    '  esac',
    '  case "$path" in',
    ...cases,
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    '}',
    'complete -F _hookline hookline',
    '',
  ].join('\n')
}

function zsh(table: ShellCommand): string {
  const cases = allCommands(table).map((command) => {
    // A colon ends the word.
    const entries = nextWords(command).map(({ word, summary }) => single(`${word.replaceAll(':', '\\:')}:${summary}`))
    return `    ${single(keyOf(command))}) entries=(${entries.join(' ')}) ;;`
  })
  return [
    '#compdef hookline',
    HEADER('zsh'),
    '# Now, after compinit: source <(hookline completion zsh)',
    '# For good: hookline completion zsh > "${fpath[1]}/_hookline"',
    '_hookline() {',
    '  local place= word',
    '  local -a entries',
    '  for word in "${(@)words[2,CURRENT-1]}"; do',
    '    case "$place $word" in',
    `      ${deeper(table).map(single).join(' | ')}) place="$place $word" ;;`,
    '    esac',
    '  done',
    '  case "${words[CURRENT-1]}" in',
    `    ${valued(table).join(' | ')}) return 1 ;;`,
    '  esac',
    '  case "$place" in',
    ...cases,
    '  esac',
    "  _describe 'hookline' entries",
    '}',
    'if [ "${funcstack[1]}" = _hookline ]; then _hookline "$@"; else compdef _hookline hookline; fi',
    '',
  ].join('\n')
}

function fish(table: ShellCommand): string {
  const lines = allCommands(table).flatMap((command) =>
    nextWords(command).map(({ word, summary }) => {
      const condition = `string match -q -- ${inner(keyOf(command))} (__hookline_place)`
      return `complete -c hookline -n "${condition}" -a ${quotedForFish(word)} -d ${quotedForFish(summary)}`
    }),
  )
  return [
    HEADER('fish'),
    '# Now: hookline completion fish | source',
    '# For good: hookline completion fish > ~/.config/fish/completions/hookline.fish',
    'function __hookline_place',
    "    set -l place ''",
    '    set -l typed (commandline -opc)',
    '    set -l last $typed[-1]',
    `    if contains -- $last ${valued(table).join(' ')}`,
    '        return',
    '    end',
    '    for word in $typed[2..-1]',
    '        switch "$place $word"',
    `            case ${deeper(table).map(quotedForFish).join(' ')}`,
    '                set place "$place $word"',
    '        end',
    '    end',
    '    printf \'%s\\n\' "$place"',
    'end',
    'complete -c hookline -f',
    ...lines,
    '',
  ].join('\n')
}

/** fish knows two escapes in single quotes, and no others. */
function quotedForFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** Within a condition that is in double quotes itself; a path has nothing to escape. */
const inner = (text: string): string => `'${text}'`
