// The scripts of the built program, each in its own shell.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, type TestContext } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { run } from '../../../harness/process/hookline.ts'
import { SHELLS, type Shell } from '../../../src/cli/shell/shell-table.ts'
import { commands } from '../../../src/commands/catalogue.ts'

/** How each shell is asked what may come at the end of a line, with `$1` the script. One candidate a line. */
const ASKING: Readonly<Record<Shell, (words: readonly string[]) => readonly string[]>> = {
  bash: (words) => [
    '--norc',
    '--noprofile',
    '-c',
    `source "$1"; COMP_WORDS=(${words.map(quoted).join(' ')}); COMP_CWORD=${words.length - 1}; _hookline; printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
  ],
  // What completes in zsh draws menus; here it prints.
  zsh: (words) => [
    '-f',
    '-c',
    `compdef() {}; _describe() { print -l -- "\${(@P)2}" }; source "$1"; words=(${words.map(quoted).join(' ')}); CURRENT=${words.length}; _hookline`,
    'zsh',
  ],
  fish: (words) => ['--no-config', '-c', `source $argv[1]; complete -C ${quoted(words.join(' '))}`],
}

const quoted = (word: string) => `'${word}'`

async function scriptOf(shell: Shell): Promise<string> {
  const { stdout, stderr, code } = await run(tempDirectory(), ['completion', shell])
  expect([stderr, code]).toEqual(['', 0])
  return stdout
}

async function complete({ skip }: TestContext, shell: Shell, ...words: readonly string[]): Promise<string[]> {
  skip(spawnSync(shell, ['--version']).error !== undefined, `${shell} is not installed`)
  const folder = tempDirectory()
  const path = join(folder, 'script')
  writeFileSync(path, await scriptOf(shell))
  const env = { PATH: process.env.PATH ?? '', HOME: folder, TERM: 'dumb' }
  const { stdout, stderr } = spawnSync(shell, [...ASKING[shell](['hookline', ...words]), path], {
    encoding: 'utf8',
    env,
  })
  expect(stderr).toBe('')
  const typed = words.at(-1) ?? ''
  // fish puts the summary behind a tab, zsh behind a colon; what does not begin as typed is left out by the shell itself.
  const found = stdout.split('\n').map((line) => line.replace(/[\t:].*$/, ''))
  return found.filter((word) => word !== '' && word.startsWith(typed))
}

describe.each(SHELLS)('completion for %s', (shell) => {
  it('offers the commands of the shell', async (context) => {
    const words = await complete(context, shell, '')
    expect(words).toEqual(expect.arrayContaining(['listen', 'exec', 'hook', 'web', 'service', 'doctor', 'completion']))
    expect(words).not.toContain('man')
    expect(words).not.toContain('create')
  })

  it('completes what was begun', async (context) => {
    expect(await complete(context, shell, 'ser')).toEqual(['service'])
    expect(await complete(context, shell, 'service', 'un')).toEqual(['uninstall'])
  })

  it('offers the forms of a family and their options', async (context) => {
    expect(await complete(context, shell, 'hook', '')).toEqual(expect.arrayContaining(['create', 'rotate', 'revoke']))
    expect((await complete(context, shell, 'service', 'install', '--')).sort()).toEqual(['--as-root', '--print'])
    expect(await complete(context, shell, 'vault', '')).toEqual(expect.arrayContaining(['unlock', 'lock']))
  })

  it('knows the commands of the prompt where a line is typed, and in help', async (context) => {
    const names = commands.map(({ name }) => name)
    expect(await complete(context, shell, 'exec', '')).toEqual(expect.arrayContaining(names))
    expect(await complete(context, shell, 'help', '')).toEqual(expect.arrayContaining([...names, 'service', 'web']))
  })

  it('offers nothing for the value of an option', async (context) => {
    expect(await complete(context, shell, 'exec', '--account', '')).toEqual([])
  })

  it('offers the shells themselves', async (context) => {
    expect((await complete(context, shell, 'completion', '')).sort()).toEqual([...SHELLS].sort())
  })
})

it('knows three shells, and says so', async () => {
  const { stderr, code } = await run(tempDirectory(), ['completion', 'tcsh'])
  expect([stderr.includes('Allowed choices are bash, zsh, fish.'), code]).toEqual([true, 2])
})
