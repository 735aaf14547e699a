import { describe, expect, it } from 'vitest'
import { answering } from '../../harness/commands/answering.ts'
import { createSession } from '../../harness/commands/command-session.ts'
import { accountFamily } from '../../src/commands/account/account.ts'
import { commands } from '../../src/commands/catalogue.ts'
import { createCommandLookup } from '../../src/commands/kit/resolve.ts'
import { allVenues } from '../../src/exchanges/venues.ts'
import { StoreError } from '../../src/stores/store-error.ts'
import { openIntents } from '../../src/trading/order-journal-lines.ts'
import { RESTS, resting } from '../tasks/resting-kind.ts'

/** The catalogue of a build that can also trade on an exchange with keys. */
const withLive = createCommandLookup(() => [
  accountFamily(() => [
    ...allVenues().filter(({ id }) => id === 'paper'),
    ...allVenues()
      .filter(({ id }) => id === 'bybit')
      .map((venue) => ({ ...venue, id: 'live' })),
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

  it('takes no keys on the line, and does not repeat them', async () => {
    const session = await createSession({ terminal: answering(), lookup: withLive })
    const lines = await session.run('account add main live THEKEY THESECRET')
    expect(lines).toEqual([
      expect.stringMatching(/^error unexpected-argument: .*leave keys out, hookline asks for them/),
    ])
    expect(lines.join()).not.toContain('THE')
    expect(session.ports.accounts.find('main')).toBeUndefined()
  })

  it.each([
    [
      'account add main bitmex',
      /^error not-supported: hookline cannot trade on bitmex \| `exchanges` lists where it can$/,
    ],
    ['account add paper paper', /^error already-exists: /],
    ['account add', /^error missing-argument: the account's name is missing \| `help [a-z ]+` shows its arguments$/],
    ['account add main', /^error missing-argument: the exchange is missing \| `help [a-z ]+` shows its arguments$/],
    ['account add main paper key', /^error unexpected-argument: /],
    ['account add "bad name" paper', /^error invalid-value: /],
    ['account use nope', /^error unknown-account: no account nope found/],
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

  it('names the hooks that move with it, and none that is pinned', async () => {
    const session = await createSession()
    await session.run('account add second paper; hook create dip "buy $5"; hook create tv "close all"')
    await session.run('hook create fixed "buy $5" --account paper')
    expect(await session.run('account use second')).toEqual([
      'success trading on second',
      'warn 2 hooks without an account now trade on second: dip, tv',
    ])
    expect(await session.run('account use second')).toEqual(['success trading on second'])
    await session.run('hook revoke tv')
    expect((await session.run('account use paper')).at(-1)).toBe(
      'warn 1 hook without an account now trades on paper: dip',
    )
  })

  it('names none of them where another process holds the port: they keep its focus', async () => {
    const session = await createSession({ portHolder: { pid: 7 } })
    await session.run('account add second paper; hook create dip "buy $5"')
    expect((await session.run('account use second')).join('\n')).not.toContain('dip')
  })

  it('names ten of many', async () => {
    const session = await createSession()
    await session.run('account add second paper')
    for (let at = 1; at <= 12; at += 1) await session.run(`hook create h${at} "buy $5"`)
    expect((await session.run('account use second')).at(-1)).toMatch(/^warn 12 hooks .*: h1, h2, .*, h10 and 2 more$/)
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

describe('account remove', () => {
  async function withHoldings() {
    const session = await createSession()
    await session.run('account add second paper')
    await session.run('buy 0.1; buy 0.1 at -5%; stop at -2%', { account: 'second' })
    return session
  }

  it('says what an account holds, and goes only with --yes; resting paper orders are taken back', async () => {
    const session = await withHoldings()
    const before = await session.connect('second')
    expect(await session.run('account remove second')).toEqual([
      'error needs-yes: second has 1 position and 2 resting orders: orders are canceled, positions stay in its file | `account remove second --yes` does it',
    ])
    expect(session.ports.accounts.find('second')).toBeDefined()
    expect(await session.run('account remove second --yes')).toEqual([
      'info 2 orders canceled',
      expect.stringMatching(/^success removed account second; /),
    ])
    expect(session.ports.accounts.find('second')).toBeUndefined()
    expect(await before.venue.fetchOpenOrders()).toEqual([])
    expect(openIntents(session.journal)).toEqual([])
  })

  it('refuses the account in focus, with --yes too, and the one the run trades on', async () => {
    const session = await withHoldings()
    for (const line of ['account remove paper', 'account remove paper --yes']) {
      expect(await session.run(line)).toEqual([expect.stringMatching(/^error account-in-use: /)])
    }
    const own = await session.run('account remove second --yes', { account: 'second' })
    expect(own).toEqual([expect.stringMatching(/^error account-in-use: /)])
  })

  it('names and ends, with --yes, the tasks and rows that trade on it; its limits go, its halt stays', async () => {
    const seed = {
      kind: 'resting',
      account: 'second',
      symbol: 'BTCUSDT',
      command: 'resting',
      params: { ...RESTS, times: 2 },
    }
    const by = { source: 'repl', runId: 'r' }
    const id = '3f9c2a71-6f1d-4c0a-9a57-1d2f6c3b8e90'
    const session = await createSession({
      taskKinds: new Map([[resting.name, resting]]),
      taskLines: [JSON.stringify({ t: 'begun', id, at: Date.UTC(2026, 0, 1), seed: { ...seed, by } })],
    })
    for (const line of ['account add second paper', 'account add third paper']) await session.run(line)
    await session.tasks.look()
    await session.advance(1_000)
    await session.run('cross-trade add --master paper --copier second --enabled')
    await session.run('cross-trade add --master second --copier third --enabled')
    const [copied, led] = session.ports.crossTrade.list().toSorted((a) => (a.masterAccount === 'paper' ? -1 : 1))
    await session.run('guards set second order $900000; halt second')
    const rows = [copied, led].map((row) => `cross-trade row ${row?.id.slice(0, 8)}`)
    const [refusal] = await session.run('account remove second')
    expect(refusal).toMatch(/^error needs-yes: second is traded on by task 3f9c2a71 \(resting on BTCUSDT\), /)
    for (const row of rows) expect(refusal).toContain(row)
    expect(session.ports.tasks.list()).toMatchObject([{ status: 'running' }])

    const said = await session.run('account remove second --yes')
    expect(said).toEqual(
      expect.arrayContaining(['info its limits are gone: order 900000', ...rows.map((row) => `info ${row} is off`)]),
    )
    expect(session.ports.tasks.list()).toMatchObject([{ status: 'cancelled' }])
    expect(session.ports.crossTrade.list().map(({ enabled }) => enabled)).toEqual([false, false])
    await session.run('account add second paper')
    expect(session.ports.guards.read('second')).toMatchObject({ state: 'halted', limits: {} })
  })

  it('leaves the other copiers of a row', async () => {
    const session = await createSession()
    for (const line of ['account add second paper', 'account add third paper']) await session.run(line)
    await session.run('cross-trade add --master paper --copier second --enabled')
    const [row] = session.ports.crossTrade.list()
    await session.run(`cross-trade copier add ${row?.id} third; account remove second --yes`)
    expect(session.ports.crossTrade.approved()).toMatchObject([{ enabled: true, copiers: [{ account: 'third' }] }])
  })

  it('removes an account that cannot be read only with --yes, and says why it cannot', async () => {
    const session = await withHoldings()
    const { connect } = session.ports
    Object.assign(session.ports, {
      connect: (name: string) =>
        name === 'second'
          ? Promise.reject(new StoreError('store-corrupt', 'paper-second.json is not valid'))
          : connect(name),
    })
    expect(await session.run('account remove second')).toEqual([expect.stringMatching(/^error store-corrupt: /)])
    expect(await session.run('account remove second --yes')).toEqual([
      'warn paper-second.json is not valid',
      'success removed account second',
    ])
  })
})

describe('account reset', () => {
  it('says first what would be lost, and does nothing without --yes', async () => {
    const session = await createSession()
    await session.run('buy 0.1; buy 0.1 at -5%')
    expect(await session.run('account reset paper')).toEqual([
      expect.stringMatching(
        /^error needs-yes: paper has 1 position and 1 resting order and \$9,99\d.\d\d: a reset ends all of it \| `account reset paper --yes` does it$/,
      ),
    ])
    expect(await session.run('account reset paper $500')).toEqual([
      expect.stringMatching(/`account reset paper \$500 --yes` does it$/),
    ])
    expect(await (await session.connect('paper')).venue.fetchPositions()).toHaveLength(1)
  })

  it('starts again: no orders, positions, leverage or faults, the first balance, and a history that stays', async () => {
    const session = await createSession()
    const { venue } = await session.connect('paper')
    await session.run('buy 0.1 stop -2%; buy 0.1 at -5%')
    await session.run('paper faults lost-answers 5')
    expect(await session.run('account reset paper --yes')).toEqual([
      'success paper starts again with $10,000.00; 2 orders canceled',
    ])
    expect(await venue.fetchBalances()).toMatchObject([{ wallet: '10000', total: '10000', used: '0' }])
    expect(await venue.fetchPositions()).toEqual([])
    expect(await venue.fetchOpenOrders()).toEqual([])
    expect(session.market.store.read()).toMatchObject({ faults: {}, leverage: {}, realizedPnl: '0', fees: '0' })
    expect(await venue.fetchMyTrades({ symbol: 'BTCUSDT' })).toHaveLength(1)
    expect(await session.run('buy 0.1 at -5%')).toEqual([expect.stringMatching(/^success order p4: .* is open$/)])
  })

  it('leaves no order of the journal open, and says there who took them back', async () => {
    const session = await createSession()
    const run = session.start('buy 0.1 stop -2%; buy 0.1 at -5% stop -9%')
    await run.done
    expect(openIntents(session.journal).length).toBeGreaterThan(0)
    await session.run('account reset paper --yes')
    await session.advance(1_000)
    expect(openIntents(session.journal)).toEqual([])
    const changed = session.journal.map((line) => JSON.parse(line)).filter(({ t }) => t === 'changed')
    expect(changed).toMatchObject([
      { change: 'canceled', by: { source: 'repl' } },
      { change: 'canceled', by: { source: 'repl' } },
    ])
    expect(run.lines.filter((line) => line.startsWith('warn'))).toEqual([
      expect.stringMatching(/^warn order p\d \(.+\) canceled: the paper account was reset$/),
    ])
    expect(run.lines.at(-1)).toMatch(
      /^info stop p\d \(.+\) canceled: the paper account was reset; it is not placed again$/,
    )
  })

  it('settles an order that got no answer: it is asked for, and was taken back', async () => {
    const session = await createSession()
    await session.run('paper faults lost-answers on')
    const run = session.start('buy 0.1 at -5%')
    await session.settle()
    await session.run('account reset paper --yes')
    await session.advance(2000)
    expect(await run.done).toBe(true)
    expect(openIntents(session.journal)).toEqual([])
    const { orders } = await session.connect('paper')
    expect(orders.records.unsettled()).toEqual([])
  })

  it.each([
    ['account reset paper 50000 --yes', '$50,000.00'],
    ['account reset --yes paper $1', '$1.00'],
    ['account reset paper $10000000 --yes', '$10,000,000.00'],
  ])('`%s` starts with %s', async (line, balance) => {
    const session = await createSession()
    expect(await session.run(line)).toEqual([`success paper starts again with ${balance}`])
  })

  it.each([
    ['account reset', 'missing-argument'],
    ['account reset nope --yes', 'unknown-account'],
    ['account reset paper 0.5 --yes', 'bad-argument'],
    ['account reset paper $10000001 --yes', 'bad-argument'],
    ['account reset paper 50% --yes', 'bad-size'],
    ['account reset paper lots --yes', 'bad-size'],
    ['account reset paper 5 6 --yes', 'unexpected-argument'],
  ])('refuses `%s`: %s', async (line, code) => {
    const session = await createSession()
    await session.run('buy 0.1')
    expect(await session.run(line)).toEqual([expect.stringMatching(new RegExp(`^error ${code}: `))])
    expect(await (await session.connect('paper')).venue.fetchPositions()).toHaveLength(1)
  })

  it.each(['hook', 'web'] as const)('is refused from a %s', async (source) => {
    const session = await createSession()
    expect(await session.run('account reset paper --yes', { source })).toEqual([
      expect.stringMatching(/^error not-allowed-here: /),
    ])
  })

  it('is refused where money is real', async () => {
    const session = await createSession()
    session.useExchange({ ...session.market.exchange, id: 'live' })
    expect(await session.run('account reset paper --yes')).toEqual([expect.stringMatching(/^error not-supported: /)])
  })
})
