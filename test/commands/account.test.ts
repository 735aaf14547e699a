import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { accountFamily } from '../../src/commands/account/account.ts'
import { commands } from '../../src/commands/catalogue.ts'
import type { Terminal } from '../../src/commands/kit/ports.ts'
import { createCommandLookup } from '../../src/commands/kit/resolve.ts'

/** Answers hidden questions in turn and keeps what was asked. */
function answering(...answers: string[]): Terminal & { readonly asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    async askHidden(question) {
      asked.push(question)
      return answers[asked.length - 1] ?? ''
    },
    clear: () => {},
    history: () => [],
    quit: () => {},
  }
}

/** The catalogue of a build that can also trade on an exchange with keys. */
const withLive = createCommandLookup(() => [
  accountFamily([
    { id: 'paper', canTrade: true, needsCredentials: false },
    { id: 'live', canTrade: true, needsCredentials: true },
  ]),
  ...commands.filter((command) => command.name !== 'account'),
])

describe('account', () => {
  it('lists accounts with a star at the one in focus', async () => {
    const session = await createSession()
    await session.run('account add second paper')
    expect(await session.run('account')).toEqual([
      expect.stringMatching(/^print {3} +name +exchange +keys +since \(UTC\)$/),
      expect.stringMatching(/^print \* {2}paper +paper +none +2026-01-01 00:00:00$/),
      expect.stringMatching(/^print {4}second +paper +none +2026-01-01 00:00:00$/),
    ])
  })

  it('adds a paper account without asking anything', async () => {
    const terminal = answering()
    const session = await createSession({ terminal })
    expect(await session.run('account add second paper')).toEqual([
      'success added account second on paper; `account use second` trades on it',
    ])
    expect(terminal.asked).toEqual([])
  })

  it('asks for keys with hidden input, keeps them, and shows them nowhere', async () => {
    const terminal = answering('the-key', 'the-secret')
    const session = await createSession({ terminal, lookup: withLive })
    const lines = [...(await session.run('account add main live')), ...(await session.run('account'))]
    expect(terminal.asked).toEqual(['live API key: ', 'live secret: '])
    expect(session.ports.accounts.find('main')).toMatchObject({ apiKey: 'the-key', secret: 'the-secret' })
    expect(lines.join('\n')).not.toMatch(/the-key|the-secret/)
    expect(lines.join('\n')).toContain('<hidden>')
    expect(readFileSync(join(session.directory, 'accounts.json'), 'utf8')).toContain('the-secret')
  })

  it('adds nothing when no key is given', async () => {
    const session = await createSession({ terminal: answering('the-key', ' '), lookup: withLive })
    expect(await session.run('account add main live')).toEqual([expect.stringMatching(/^error no-credentials: /)])
    expect(session.ports.accounts.find('main')).toBeUndefined()
  })

  it('refuses to ask for keys where there is no terminal', async () => {
    const session = await createSession({ lookup: withLive })
    expect(await session.run('account add main live')).toEqual([expect.stringMatching(/^error no-terminal: /)])
  })

  it.each([
    ['account add main binance', /^error not-supported: hookline cannot trade on binance \| choose one of paper$/],
    ['account add paper paper', /^error already-exists: /],
    ['account add', /^error missing-argument: the account's name is missing$/],
    ['account add main', /^error missing-argument: the exchange is missing$/],
    ['account add main paper key', /^error unexpected-argument: /],
    ['account add "bad name" paper', /^error invalid-value: /],
    ['account use nope', /^error unknown-account: there is no account nope/],
    ['account remove nope', /^error unknown-account: /],
    ['account remove paper', /^error account-in-use: /],
  ])('refuses `%s`', async (line, says) => {
    const terminal = answering()
    const session = await createSession({ terminal })
    expect(await session.run(line)).toEqual([expect.stringMatching(says)])
    expect(terminal.asked).toEqual([])
  })

  it('keeps the focus in config.json', async () => {
    const session = await createSession()
    await session.run('account add second paper')
    expect(await session.run('account use second')).toEqual(['success trading on second'])
    expect(session.ports.config.read().defaultAccount).toBe('second')
  })

  it('changes this terminal alone while another process holds the port', async () => {
    const session = await createSession({ portHolder: { pid: 7 } })
    await session.run('account add second paper')
    expect(await session.run('account use second')).toEqual([
      'success trading on second',
      'info in this terminal only: the hookline that holds 127.0.0.1:53219 (pid 7) keeps its own focus and the default of the next start',
    ])
    expect(session.ports.focus.account()).toBe('second')
    expect(session.ports.config.read().defaultAccount).toBe('paper')
    expect(await session.run('account use paper', { source: 'exec' })).toEqual([
      'error focus-elsewhere: nothing has changed: the hookline that holds 127.0.0.1:53219 (pid 7) keeps its own focus | type it there, or name the account of each line with --account',
    ])
  })

  it('keeps the account in focus of whichever process holds the port', async () => {
    const session = await createSession({ portHolder: { pid: 7 } })
    await session.run('account add second paper; account use second')
    expect(await session.run('account remove paper')).toEqual([expect.stringMatching(/^error account-in-use: /)])
    expect(await session.run('account remove second')).toEqual([expect.stringMatching(/^error account-in-use: /)])
  })

  it('removes an account, ends its connection and names the hooks that fail now', async () => {
    const session = await createSession()
    await session.run('account add second paper; hook create dip "echo ok" --account second')
    const before = await session.connect('second')
    expect(await session.run('account remove second')).toEqual([
      'success removed account second',
      'warn pinned to it, and failing now: dip',
    ])
    await session.run('account add second paper')
    expect((await session.connect('second')).venue).not.toBe(before.venue)
  })
})

describe('symbol', () => {
  it('shows the focus and keeps a new one in config.json', async () => {
    const session = await createSession()
    expect(await session.run('symbol')).toEqual(['print BTCUSDT 65,000'])
    expect(await session.run('symbol ethusdt')).toEqual(['print ETHUSDT 3,000'])
    expect(session.ports.config.read().defaultSymbol).toBe('ETHUSDT')
  })

  it.each(['symbol NOPE', 'symbol BTC', 'symbol BTCUSDT,ETHUSDT', 'symbol BTCUSDT ETHUSDT', 'symbol $5'])(
    'refuses `%s` and keeps the focus',
    async (line) => {
      const session = await createSession()
      expect(await session.run(line)).toEqual([expect.stringMatching(/^error /)])
      expect(session.ports.config.read().defaultSymbol).toBe('BTCUSDT')
    },
  )
})
