// The examples against the built binary, as a person would use them: one terminal for hookline, one for the client, a shell for curl.
import { type ChildProcessByStdio, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { createHook, openTerminal, post, RunningHookline } from '../../harness/process/hookline.ts'
import type { PseudoTerminal } from '../../harness/process/pseudo-terminal.ts'
import { startSquatter } from '../../harness/process/squatter.ts'

const EXAMPLES = resolve(import.meta.dirname, '../../examples')
const CLIENT = join(EXAMPLES, 'console-client.mjs')

/** The example client in a process of its own; killed when the test is over. */
class ExampleClient {
  readonly child: ChildProcessByStdio<null, Readable, null>
  readonly exit: Promise<number | null>
  printed = ''

  constructor(identityFile: string) {
    this.child = spawn(process.execPath, [CLIENT, identityFile], { stdio: ['ignore', 'pipe', 'inherit'] })
    this.child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      this.printed += chunk
    })
    this.exit = once(this.child, 'close').then(([code]) => code)
    onTestFinished(() => void this.child.kill('SIGKILL'))
  }

  /** Resolves with the match once it has printed so, for the `times`th time. */
  async prints(pattern: RegExp, times = 1): Promise<RegExpExecArray> {
    const find = () => [...this.printed.matchAll(new RegExp(pattern, 'gm'))][times - 1]
    for (const patience = AbortSignal.timeout(PATIENCE_MS); ; ) {
      const found = find()
      if (found) return found
      await once(this.child.stdout, 'data', { signal: patience }).catch(() => {
        throw new Error(`the client never printed ${pattern} ${times} times, but:\n${this.printed}`)
      })
    }
  }
}

/** Has hookline show the hook's token, and fires it. @returns the run's id */
async function fire(terminal: PseudoTerminal, hookId: string): Promise<string> {
  terminal.send(`hook show ${hookId}\r`)
  const shown = () => terminal.lines().flatMap((line) => /^token +([0-9a-f]{32})$/.exec(line)?.[1] ?? [])
  await terminal.until(() => shown().length > 0)
  const [token = ''] = shown()
  const { status, body } = await post(`http://127.0.0.1:53219/hook/${hookId}`, token)
  expect(status).toBe(200)
  return JSON.parse(body).runId
}

async function pidOfHookline(): Promise<number> {
  const { pid } = (await (await fetch('http://127.0.0.1:53219/health')).json()) as { pid: number }
  return pid
}

describe('the console client', () => {
  it('is approved by hand, trades, makes a hook, hears it fire, and comes back after a restart unasked', async () => {
    const directory = tempDirectory()
    const identityFile = join(tempDirectory(), 'identity.json')
    const terminal = await openTerminal(directory)
    const client = new ExampleClient(identityFile)

    await terminal.shows('approve it? y or n')
    await client.prints(/^waiting for you: type y in hookline's terminal/)
    terminal.send('y\r')
    await client.prints(/^connected to hookline [0-9a-f-]{36}$/)
    await client.prints(/^order: success: bought 0\.00\d BTCUSDT at /)
    await client.prints(/^order: done$/)
    terminal.send('positions\r')
    await terminal.until((screen) => screen.lines().some((line) => /^BTCUSDT +long +0\.00\d/.test(line)))
    expect(statSync(identityFile).mode & 0o777).toBe(0o600)

    const [, hookId = ''] = await client.prints(/^hook ([0-9a-f]{32}) is there/)
    const runId = await fire(terminal, hookId)
    await client.prints(new RegExp(`^${runId}: print: the hook was fired$`))
    await client.prints(new RegExp(`^${runId}: done$`))

    process.kill(await pidOfHookline(), 'SIGTERM')
    expect(await terminal.exit()).toBe(0)
    const restarted = await openTerminal(directory)
    await client.prints(/^connected to hookline /, 2)
    const laterRunId = await fire(restarted, hookId)
    await client.prints(new RegExp(`^${laterRunId}: done$`))
    expect(restarted.lines().join('\n')).not.toContain('approve it?')
    expect(client.printed.match(/^order: success/gm)).toHaveLength(1)

    client.child.kill('SIGINT')
    expect(await client.exit).toBe(0)
    await restarted.shows('[web:console-client] disconnected')
  })

  it('ends when it is denied, and says so', async () => {
    await RunningHookline.listening(tempDirectory())
    const client = new ExampleClient(join(tempDirectory(), 'identity.json'))
    expect(await client.exit).toBe(1)
    expect(client.printed).toContain('hookline closed with 4001')
  })

  it('is known by its key, and says nothing to a program that has taken the port', async () => {
    const directory = tempDirectory()
    const identityFile = join(tempDirectory(), 'identity.json')
    const terminal = await openTerminal(directory)
    const client = new ExampleClient(identityFile)
    await terminal.shows('  proof   proves itself with a key')
    await terminal.shows('approve it? y or n')
    await client.prints(/^waiting for you/)
    terminal.send('y\r')
    const [, listenerId = ''] = await client.prints(/^connected to hookline ([0-9a-f-]{36})$/)
    client.child.kill('SIGKILL')
    terminal.send('exit\r')
    await terminal.exit()
    const { listenerKey } = JSON.parse(readFileSync(identityFile, 'utf8'))
    for (const mode of ['welcome', 'own-key', 'forged'] as const) {
      const squatter = await startSquatter(mode, { listenerId, key: listenerKey })
      const again = new ExampleClient(identityFile)
      expect(await again.exit).toBe(1)
      expect(again.printed).toMatch(/^what answers on the port (is not|has not proved)/)
      expect(squatter.heard.map((text) => JSON.parse(text).t)).toEqual(['hello'])
      await squatter.end()
    }
  })

  it('has under 100 lines and needs no package but ws', () => {
    const source = readFileSync(CLIENT, 'utf8')
    expect(source.trimEnd().split('\n').length).toBeLessThan(100)
    const imported = [...source.matchAll(/from '([^']+)'/g)].map(([, name = '']) => name)
    expect(imported.filter((name) => !name.startsWith('node:'))).toEqual(['ws', './proof.mjs'])
  })
})

describe('fire-hook.sh', () => {
  const script = join(EXAMPLES, 'fire-hook.sh')

  it('fires the hook with the two variables', async ({ skip }) => {
    skip(spawnSync('curl', ['--version']).error !== undefined, 'curl is not installed')
    const directory = tempDirectory()
    const hook = await createHook(directory, 'dip', 'echo fired')
    const hookline = await RunningHookline.listening(directory)
    const env = { PATH: process.env.PATH, HOOK_ID: hook.id, HOOK_TOKEN: hook.token }
    const { stdout } = await promisify(execFile)(script, { env })
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, command: 'echo fired' })
    await hookline.prints('[hook:dip] fired')
  })

  it('says which variable is missing', () => {
    const { status, stderr } = spawnSync(script, { env: { PATH: process.env.PATH, HOOK_ID: 'x' }, encoding: 'utf8' })
    expect([status, stderr]).toEqual([expect.any(Number), expect.stringContaining('HOOK_TOKEN')])
    expect(status).not.toBe(0)
  })
})
