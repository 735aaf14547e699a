// Ctrl-Z in an interactive shell, with npm before hookline and without it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BINARY, environmentOf } from '../../harness/process/built-hookline.mjs'
import { isPrompt, LISTENING, post } from '../../harness/process/hookline.ts'
import { PseudoTerminal } from '../../harness/process/pseudo-terminal.ts'

const SHELL_PROMPT = 'shell$ '
const CTRL_Z = '\u001a'

async function openShell(directory: string): Promise<PseudoTerminal> {
  const env = { ...environmentOf(directory), PS1: SHELL_PROMPT, npm_config_update_notifier: 'false' }
  const shell = new PseudoTerminal({ file: 'bash', argv: ['--norc', '--noprofile', '-i'], env })
  onTestFinished(() => shell.close())
  await shell.until(inShell)
  return shell
}

const inShell = (screen: PseudoTerminal) => screen.typed() === SHELL_PROMPT
const inHookline = (screen: PseudoTerminal) => isPrompt(screen.typed())

describe('Ctrl-Z', () => {
  it.each([
    ['npm start', 'npm start --silent'],
    ['hookline itself', `'${process.execPath}' '${BINARY}'`],
  ])('gives the shell its terminal back under %s, and `fg` goes on where it was', async (_name, command) => {
    const directory = tempDirectory()
    const scripts = { start: `'${process.execPath}' '${BINARY}'` }
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: 'x', version: '1.0.0', scripts }))
    const shell = await openShell(directory)
    shell.send(`cd '${directory}' && ${command}\r`)
    await shell.until((screen) => screen.lines().includes(LISTENING) && inHookline(screen))
    await shell.type('echo half')
    shell.send(CTRL_Z)
    await shell.until(inShell)
    await shell.shows('stopped: nothing runs and hooks get no answer until you type `fg`')
    // The shell has its own keys again: what is typed is shown, and Enter ends a line.
    shell.send('echo in-the-"shell"\r')
    await shell.until((screen) => screen.lines().includes('in-the-shell') && inShell(screen))
    shell.send('fg\r')
    await shell.until((screen) => /> echo half$/.test(screen.typed()))
    shell.send('-line\r')
    await shell.until((screen) => screen.lines().includes('half-line') && inHookline(screen))
    expect(await post('http://127.0.0.1:53219/hook/00000000000000000000000000000000', 'x')).toMatchObject({
      status: 404,
    })
    shell.send('exit\r')
    await shell.until(inShell)
  })
})
