// A fire that hookline makes itself is held by all that holds a POST.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createSession } from '../../harness/commands/command-session.ts'
import { openStores } from '../../src/app/open-stores.ts'
import { createAuthority } from '../../src/authority/authority.ts'
import { lookup } from '../../src/commands/catalogue.ts'
import type { RunSummary } from '../../src/runs/run.ts'
import { lookupUnderPanic } from '../../src/runtime/execute-chain.ts'
import { openRunJournal, type RunJournal } from '../../src/runtime/run-journal.ts'
import { Runner } from '../../src/runtime/runner.ts'
import { fireByTrigger, fireRequest } from '../../src/runtime/trigger-fire.ts'

async function createStage(line: string) {
  const session = await createSession()
  const { ports, connect, directory, market } = session
  await session.run(line)
  const stores = openStores(directory, market.now)
  const ended: string[] = []
  const output: string[] = []
  /** What the operator is told of fires that did not begin. */
  const unbegun: string[] = []
  const first = openProcess()

  /** A hookline with the same files. */
  function openProcess() {
    const journal = openRunJournal({ path: join(directory, 'runs.jsonl'), countedRuns: () => 20, now: market.now })
    onTestFinished(() => journal.close())
    const runner = openRunner(journal)
    return { journal, runner, fire: fireBy(runner, journal), post: () => post(runner) }
  }

  function openRunner(journal: RunJournal): Runner {
    const runner = new Runner({
      environment: {
        ports,
        connect,
        clock: { now: market.now, delay: async () => {} },
        lookup: lookupUnderPanic(lookup, ports.panic),
      },
      journal,
      authority: createAuthority(stores),
      onUnbegun: ({ error }) => void unbegun.push(error),
      reportBug: (error) => expect.unreachable(String(error)),
    })
    runner.addSink({
      output: (_run, kind, text) => output.push(`${kind} ${text}`),
      done: (run, { success, error }) => ended.push(`${run.origin} ${success ? 'ok' : error}`),
      unbegun: (run, { error }) => ended.push(`${run.origin} ${error}`),
    })
    return runner
  }

  /** Resolves when the run has ended, too. @returns why it was lost */
  function fireBy(runner: Runner, journal: RunJournal) {
    return async (key: string): Promise<string | undefined> => {
      const hook = ports.hooks.resolve('dip')
      const before = ended.length
      const { config, panic } = stores
      const why = `BTCUSDT last > 1, at ${key}`
      const lost = await fireByTrigger({ hook, runId: randomUUID(), key, why }, { config, panic, runner, journal })
      if (lost !== undefined) return lost
      await expect.poll(() => ended.length).toBeGreaterThan(before)
      return undefined
    }
  }

  /** As the listener does with a POST. Resolves when the run has ended. */
  async function post(runner: Runner): Promise<void> {
    const hook = ports.hooks.resolve('dip')
    const before = ended.length
    runner.fire(fireRequest(hook), hook, () => {})
    await expect.poll(() => ended.length).toBeGreaterThan(before)
  }

  const trades = async () => (await market.exchange.fetchMyTrades({ symbol: 'BTCUSDT', limit: 10 })).length
  const runs = (): readonly RunSummary[] => first.runner.runs()
  return { session, ...first, openProcess, ended, output, unbegun, trades, runs }
}

const DIP = 'hook create dip "buy $500 BTCUSDT" --when "last > 1"'

describe('a hook that fires by itself', () => {
  it('runs its command as a run of the hook, which names the condition', async () => {
    const stage = await createStage(DIP)
    expect(await stage.fire('one')).toBeUndefined()
    expect(stage.ended).toEqual(['dip ok'])
    expect(await stage.trades()).toBe(1)
    expect(stage.runs()).toMatchObject([
      { source: 'hook', origin: 'dip', account: 'paper', trigger: 'BTCUSDT last > 1, at one', state: 'done' },
    ])
  })

  it('runs once for one bar or time', async () => {
    const stage = await createStage(DIP)
    await stage.fire('one')
    expect(await stage.fire('one')).toBe('it has run already')
    expect(await stage.trades()).toBe(1)
  })

  it.each([
    ['--cooldown 1h', /^dip skipped: cooldown of 1h/],
    ['--rate 1/1h', /^dip skipped: its rate is 1\/1h/],
    ['--per-day 1', /^dip skipped: its limit of 1 a day \(UTC\) is used up/],
    ['--once', /^dip skipped: /],
    ['--only-if flat', /^dip skipped: BTCUSDT is long/],
  ])('is held by %s', async (limit, second) => {
    const stage = await createStage(`${DIP} ${limit}`)
    await stage.fire('one')
    await stage.fire('two')
    expect(stage.ended).toEqual(['dip ok', expect.stringMatching(second)])
    expect(await stage.trades()).toBe(1)
  })

  it.each(['--cooldown 1h', '--rate 1/1h', '--per-day 1'])(
    'is not held by %s when its line only reduces',
    async (limit) => {
      const stage = await createStage(`hook create dip "close BTCUSDT" --when "last > 1" ${limit}`)
      await stage.fire('one')
      await stage.session.run('buy $500 BTCUSDT')
      await stage.fire('two')
      expect(stage.ended.filter((end) => end.includes('skipped'))).toEqual([])
      expect(await stage.trades()).toBe(2)
    },
  )

  it.each(['--once', '--window 2300-2301', '--only-if long'])(
    'is held by %s when its line only reduces',
    async (limit) => {
      const stage = await createStage(`hook create dip "close BTCUSDT" --when "last > 1" ${limit}`)
      await stage.fire('one')
      await stage.fire('two')
      expect(stage.ended.at(-1)).toMatch(/^dip skipped/)
    },
  )

  it('is held by a limit when its line adds besides', async () => {
    const stage = await createStage('hook create dip "close BTCUSDT; buy $500 BTCUSDT" --when "last > 1" --per-day 1')
    await stage.fire('one')
    await stage.fire('two')
    expect(stage.ended.at(-1)).toMatch(/^dip skipped/)
  })

  it.each([
    ['--max $100', /is worth|max/],
    ['--window 2300-2301', /^dip skipped: outside 2300-2301 UTC/],
  ])('is held by %s at once', async (limit, first) => {
    const stage = await createStage(`${DIP} ${limit}`)
    await stage.fire('one')
    expect(stage.ended).toEqual([expect.stringMatching(first)])
    expect(await stage.trades()).toBe(0)
  })

  it('sends nothing where the hook is dry, or its account simulates', async () => {
    const dry = await createStage(`${DIP} --dry`)
    await dry.fire('one')
    expect([await dry.trades(), dry.ended]).toEqual([0, ['dip ok']])
    const simulated = await createStage(DIP)
    await simulated.session.run('sim on')
    await simulated.fire('one')
    expect(await simulated.trades()).toBe(0)
  })

  it('is skipped in a pause, and runs after it', async () => {
    const stage = await createStage(DIP)
    await stage.session.run('hook pause dip')
    await stage.fire('one')
    expect(stage.ended).toEqual([expect.stringMatching(/^dip skipped: the hook is paused/)])
    await stage.session.run('hook resume dip')
    await stage.fire('two')
    expect(await stage.trades()).toBe(1)
  })

  it.each([
    ['panic', 'panic is on'],
    ['switch off remoteExec', 'remoteExec is off'],
    ['switch off enabled', 'listener.enabled is off'],
  ])('is lost under `%s`, with the reason', async (line, reason) => {
    const stage = await createStage(DIP)
    await stage.session.run(line)
    expect(await stage.fire('one')).toBe(reason)
    expect(await stage.trades()).toBe(0)
  })

  it.each([
    ['panic', 'panic is on'],
    ['switch off remoteExec', 'remoteExec is off'],
    ['switch off enabled', 'listener.enabled is off'],
  ])('is among the runs of its hook under `%s`, skipped, and counts towards no limit', async (line, reason) => {
    const stage = await createStage(`${DIP} --once`)
    await stage.session.run(line)
    await stage.fire('one')
    expect(stage.runs()).toMatchObject([
      { origin: 'dip', trigger: 'BTCUSDT last > 1, at one', unbegun: 'skipped', error: `skipped: ${reason}` },
    ])
    expect(stage.unbegun).toEqual([])
    await stage.session.run('resume')
    await stage.session.run('switch on remoteExec')
    await stage.session.run('switch on enabled')
    await stage.fire('two')
    expect(await stage.trades()).toBe(1)
  })

  it.each(['halt', 'guards set paper order $100'])('places no order under `%s`', async (line) => {
    const stage = await createStage(DIP)
    await stage.session.run(line)
    await stage.fire('one')
    expect(stage.ended).toEqual([expect.stringMatching(/^dip /)])
    expect(stage.ended).not.toEqual(['dip ok'])
    expect(await stage.trades()).toBe(0)
  })

  it.each(['halt', 'halt --reducing'])('is not paused by what `%s` refuses, however often', async (line) => {
    const stage = await createStage(DIP)
    await stage.session.run(line)
    for (let index = 0; index < 6; index++) await stage.fire(`bar ${index}`)
    expect(stage.ended).toHaveLength(6)
    expect(stage.ended.join()).not.toContain('skipped')
    await stage.session.run('resume')
    await stage.fire('seven')
    expect(await stage.trades()).toBe(1)
  })

  it('fires a hook whose alerts bring a key and a time, which it has not', async () => {
    const stage = await createStage('hook create dip "buy $500 BTCUSDT -- {id:key} {at:time<=30s}" --when "last > 1"')
    await stage.fire('one')
    expect(stage.ended).toEqual(['dip ok'])
    expect(await stage.trades()).toBe(1)
  })

  it('is refused for a command that no hook may run', async () => {
    const stage = await createStage('hook create dip "resume" --when "last > 1"')
    expect(stage.session.ports.hooks.list()).toEqual([])
  })
})

describe('a hook whose condition is judged by one process while another answers its POSTs', () => {
  it.each(['--cooldown 1h', '--rate 2/1h', '--per-day 2'])('keeps to %s in both', async (limit) => {
    const stage = await createStage(`${DIP} ${limit}`)
    const other = stage.openProcess()
    const most = limit.startsWith('--cooldown') ? 1 : 2
    await other.post()
    await stage.fire('one')
    await other.post()
    await stage.fire('two')
    await other.post()
    expect(stage.ended.filter((each) => each === 'dip ok')).toHaveLength(most)
    expect(stage.ended.filter((each) => each.startsWith('dip skipped: '))).toHaveLength(5 - most)
    expect(await stage.trades()).toBe(most)
  })

  it.each(['--cooldown 1h', '--rate 1/1h', '--per-day 1', '--once'])(
    'runs at most once under %s where both fire at the same moment',
    async (limit) => {
      const stage = await createStage(`${DIP} ${limit}`)
      const other = stage.openProcess()
      await Promise.all([other.post(), stage.fire('one'), other.post(), stage.fire('two')])
      await expect.poll(() => stage.ended.length).toBe(4)
      expect(await stage.trades()).toBeLessThanOrEqual(1)
      await other.post()
      await stage.fire('three')
      expect(await stage.trades()).toBeLessThanOrEqual(1)
    },
  )

  it('reads the journal again only where the other has written', async () => {
    const stage = await createStage(`${DIP} --per-day 5`)
    await stage.post()
    const before = stage.journal.fires.known(stage.session.ports.hooks.resolve('dip').id)
    await stage.post()
    expect(stage.journal.fires.known(stage.session.ports.hooks.resolve('dip').id)).toBe(before)
  })
})

describe('each stop and what it does to a hook that fires by itself', () => {
  type Sends = readonly [during: boolean, after: boolean]
  const STOPS: readonly (readonly [stop: string, lift: string, adds: Sends, reduces: Sends])[] = [
    ['panic', 'resume', [false, true], [false, true]],
    ['halt', 'resume', [false, true], [true, true]],
    ['halt --reducing', 'resume', [false, true], [true, true]],
    ['guards set paper order $100', 'guards set paper order off --yes', [false, true], [true, true]],
    ['sim on paper', 'sim off paper', [false, true], [false, true]],
    ['switch off remoteExec', 'switch on remoteExec', [false, true], [false, true]],
    ['switch off enabled', 'switch on enabled', [false, true], [false, true]],
    ['hook pause dip', 'hook resume dip', [false, true], [false, true]],
    ['hook rotate dip', 'echo done', [true, true], [true, true]],
    ['runs stop --all', 'echo done', [true, true], [true, true]],
    ['tasks pause --all', 'tasks resume --all', [true, true], [true, true]],
    ['tasks cancel --all', 'echo done', [true, true], [true, true]],
  ]
  const cells = STOPS.flatMap(([stop, lift, adds, reduces]) => [
    { stop, lift, command: 'buy $500 BTCUSDT', sends: adds },
    { stop, lift, command: 'sell 0.001 BTCUSDT reduce', sends: reduces },
  ])

  it.each(cells)('`$stop`: $command', async ({ stop, lift, command, sends }) => {
    const stage = await createStage(`hook create dip "${command}" --when "last > 1"`)
    await stage.session.run('buy 0.1 BTCUSDT')
    let fires = 0
    const hasSent = async () => {
      const before = await stage.trades()
      fires += 1
      await stage.fire(`fire ${fires}`)
      return (await stage.trades()) > before
    }
    expect(await hasSent(), 'before it').toBe(true)
    await stage.session.run(stop)
    const [during, after] = sends
    expect(await hasSent(), 'under it').toBe(during)
    await stage.session.run(lift)
    expect(await hasSent(), 'after it').toBe(after)
  })
})
