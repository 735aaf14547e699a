// `watch` of the whole program in a real terminal, at the prompt and beside it.
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BINARY, environmentOf } from '../../harness/process/built-hookline.mjs'
import { exec, isPrompt, openTerminal, run } from '../../harness/process/hookline.ts'
import { PseudoTerminal } from '../../harness/process/pseudo-terminal.ts'

const POSITION = 'buy $500 BTCUSDT stop -2%; buy 0.1 ETHUSDT'
const LEAVE = '\u001b[?1049l'

async function openWatch(directory: string): Promise<PseudoTerminal> {
  const terminal = await openTerminal(directory, { columns: 110, rows: 30 })
  await terminal.type('watch')
  terminal.send('\r')
  await terminal.shows('q leave')
  return terminal
}

/** In the first moment of a view no key writes a line. */
async function press(terminal: PseudoTerminal, key: string, shows: string): Promise<void> {
  await sleep(500)
  terminal.send(key)
  await terminal.shows(shows)
}

/** `hookline watch` in a terminal of its own. */
function watchBeside(directory: string, env: Readonly<Record<string, string>> = {}): PseudoTerminal {
  const terminal = new PseudoTerminal({
    argv: [BINARY, 'watch'],
    env: { ...environmentOf(directory), ...env },
    columns: 110,
    rows: 30,
  })
  onTestFinished(() => terminal.close())
  return terminal
}

describe('watch', () => {
  it('closes a position at a key and Enter, and gives the terminal back with what was done', async () => {
    const directory = tempDirectory()
    await exec(directory, POSITION)
    const terminal = await openWatch(directory)
    await terminal.until((screen) => screen.lines().some((line) => /BTCUSDT +long .* [\d,.]+ *$/.test(line)))
    await terminal.until((screen) => screen.lines().some((line) => /ETHUSDT +long .*bare/.test(line)))
    await press(terminal, 'c', 'Enter runs: close BTCUSDT (account paper)')
    // Enter right behind the key runs nothing.
    await sleep(500)
    terminal.send('\r')
    await terminal.until((screen) => !screen.lines().some((line) => /BTCUSDT +long/.test(line)))
    terminal.send('q')
    await terminal.until((screen) => isPrompt(screen.typed()))
    expect(terminal.lines()).toContain('> close BTCUSDT')
    expect(terminal.lines().some((line) => /^(closed|sold) .*BTCUSDT/.test(line))).toBe(true)
    expect(await exec(directory, 'positions')).not.toContain('BTCUSDT')
  })

  it('flattens after a typed yes', async () => {
    const directory = tempDirectory()
    await exec(directory, POSITION)
    const terminal = await openWatch(directory)
    await terminal.shows('bare')
    await press(terminal, 'f', 'type yes and Enter to run: nuke --yes (account paper)')
    for (const typed of ['y', 'ye', 'yes']) {
      terminal.send(typed.slice(-1))
      await terminal.until((screen) =>
        screen.lines().some((line) => line.trimEnd().endsWith(`(account paper) > ${typed}`)),
      )
    }
    // Enter right behind the key runs nothing.
    await sleep(500)
    terminal.send('\r')
    await terminal.shows('no open positions')
    await terminal.shows('no open orders')
    terminal.send('\u0003')
    await terminal.until((screen) => isPrompt(screen.typed()))
  })

  it('gives the terminal back at SIGTERM', async () => {
    const terminal = await openWatch(tempDirectory())
    await terminal.shows('no open positions')
    terminal.signal('SIGTERM')
    expect(await terminal.exit()).toBe(0)
    expect(terminal.raw.split(LEAVE)).toHaveLength(2)
  })
})

describe('hookline watch', () => {
  it('only looks, follows what another hookline does, and ends with q', async () => {
    const directory = tempDirectory()
    const beside = watchBeside(directory, { NO_COLOR: '1' })
    await beside.shows('no open positions')
    await exec(directory, POSITION)
    await beside.until((screen) => screen.lines().some((line) => /BTCUSDT +long .* [\d,.]+ *$/.test(line)))
    await beside.until((screen) => screen.lines().some((line) => /exec +done .*buy \$500/.test(line)))
    beside.send('c')
    await beside.shows('this view only looks')
    expect(beside.raw).not.toMatch(/\u001b\[(?:3[0-7]|9\d|7)m/)
    beside.send('q')
    expect(await beside.exit()).toBe(0)
    expect(beside.raw.endsWith(LEAVE)).toBe(true)
  })

  it.each([
    ['Ctrl-C', (terminal: PseudoTerminal) => terminal.send('\u0003')],
    ['SIGTERM', (terminal: PseudoTerminal) => terminal.signal('SIGTERM')],
  ])('gives the terminal back at %s', async (_, end) => {
    const beside = watchBeside(tempDirectory())
    await beside.shows('no open positions')
    end(beside)
    await beside.exit()
    expect(beside.raw.endsWith(LEAVE)).toBe(true)
  })

  it('is refused in words off a terminal, and prints the screen with --once', async () => {
    const directory = tempDirectory()
    const refused = await run(directory, ['watch'])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('`watch` needs a terminal (`watch --once` prints the screen as it is now')
    await exec(directory, POSITION)
    const once = await run(directory, ['watch', '--once'])
    expect(once.stdout).toMatch(/ETHUSDT +long .*bare/)
    expect(once.stdout).not.toContain('\u001b')
    const [data] = (await run(directory, ['watch', '--once', '--json'])).stdout.split('\n')
    expect(JSON.parse(data ?? '')).toMatchObject({ type: 'watch', account: 'paper', isStale: false })
    const piped = await run(directory, [], { input: 'watch\n' })
    expect(piped.stderr + piped.stdout).toContain('`watch` needs a terminal')
  })
})
