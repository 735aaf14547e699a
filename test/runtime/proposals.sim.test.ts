// Proposals on real files (behaviour 146), with a hookline that is killed between any two lines, and with two of them at once.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EMPTY_PREVIEW } from '../../harness/commands/empty-preview.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createRandom } from '../../harness/random/random.ts'
import { lookup } from '../../src/commands/catalogue.ts'
import type { Preview } from '../../src/protocol/preview.ts'
import type { RunRequest } from '../../src/runs/run.ts'
import { differenceOf, PROPOSAL_LIMITS, Proposals } from '../../src/runtime/proposals.ts'
import { fold, openProposalStore, type ProposalLine, type ProposalStore } from '../../src/stores/proposals.ts'

const CLIENT = { clientId: 'agent', origin: 'http://127.0.0.1:53220', label: 'Agent' }
const ASKED = { line: 'buy 0.001', account: 'paper', symbol: 'BTCUSDT', reason: 'dip' }
const START = Date.UTC(2026, 10, 29)

const shown: Preview = {
  ...EMPTY_PREVIEW,
  orders: [
    { account: 'paper', symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.001', unit: 'BTC', at: '65000' },
  ],
}

class Killed extends Error {}

interface Life {
  readonly proposals: Proposals
  readonly store: { -readonly [key in keyof ProposalStore]: ProposalStore[key] }
}

function stage() {
  const directory = tempDirectory()
  const runs: RunRequest[] = []
  const bugs: unknown[] = []
  const clock = { now: START, steady: 0 }
  let lives = 0
  const dead = new Set<number>()

  /** @param kill at which line it dies, and whether that line is written, in part, or not */
  function begin(kill?: { readonly at: number; readonly how: 'before' | 'torn' | 'after' }): Life {
    const real = openProposalStore(directory)
    const pid = ++lives
    let count = 0
    const refuseDead = () => {
      if (dead.has(pid)) throw new Killed()
    }
    const store: ProposalStore = {
      ...real,
      async read() {
        refuseDead()
        return real.read()
      },
      async append(line) {
        refuseDead()
        const isLast = kill !== undefined && ++count === kill.at
        if (isLast && kill.how === 'torn')
          appendFileSync(join(directory, 'proposals.jsonl'), JSON.stringify(line).slice(0, -10))
        if (!isLast || kill.how === 'after') await real.append(line)
        if (isLast) dead.add(pid)
        refuseDead()
      },
    }
    const proposals = new Proposals({
      store,
      lookup,
      ports: () =>
        ({
          trustedClients: { grantOf: () => undefined, findOncePerTurn: () => [{}] },
          config: { readOncePerTurn: () => ({ listener: { remoteExec: true } }) },
          panic: { readOncePerTurn: () => undefined },
          accounts: { find: () => ({}) },
          aliases: { read: () => ({}) },
          variables: { read: () => ({}) },
          focus: { symbol: () => 'BTCUSDT' },
          preview: async () => shown,
        }) as never,
      run: async (request) => {
        runs.push(request)
        return { success: true, outcome: 'bought' }
      },
      now: () => clock.now,
      steady: () => clock.steady,
      identity: { pid },
      isAlive: (process) => !dead.has(process.pid),
      onBug: (error) => {
        if (!(error instanceof Killed)) bugs.push(error)
      },
    })
    return { proposals, store }
  }
  const lines = (): ProposalLine[] =>
    (existsSync(join(directory, 'proposals.jsonl')) ? readFileSync(join(directory, 'proposals.jsonl'), 'utf8') : '')
      .split('\n')
      .flatMap((text) => {
        try {
          return [JSON.parse(text) as ProposalLine]
        } catch {
          return []
        }
      })
  return { directory, runs, bugs, clock, begin, lines }
}

const settled = <T>(work: Promise<T>) =>
  work.then(
    () => 'done' as const,
    (error: Error & { code?: string }) => error.code ?? error,
  )

describe('a hookline that is killed between any two lines', () => {
  it('begins nothing twice and nothing unapproved, in 200 kills', async () => {
    const random = createRandom(146)
    let begunAfterKill = 0
    for (let round = 0; round < 200; round += 1) {
      const at = stage()
      const how = (['before', 'torn', 'after'] as const)[random.below(3)] ?? 'before'
      const first = at.begin({ at: 1 + random.below(4), how })
      const isApproved = random.below(10) < 7
      const life = async ({ proposals }: Life) => {
        const { id } = await proposals.propose(CLIENT, ASKED)
        if (!isApproved) return
        const { ended } = await proposals.approve(await proposals.find(id))
        await ended
      }
      await settled(life(first))
      await first.store.close()
      const before = at.runs.length
      // The next one finds what is left, and a person tries again what is still there.
      const next = at.begin()
      for (const each of await next.proposals.list()) {
        if (each.state === 'approved') throw new Error('it is approved and no process will begin it')
        if (isApproved) await settled(next.proposals.approve(each).then(({ ended }) => ended))
      }
      await next.store.close()
      const ids = at.runs.map(({ proposal }) => proposal)
      expect(new Set(ids).size, `${how} ${round}`).toBe(ids.length)
      const lines = at.lines()
      for (const id of ids) {
        const order = lines.filter((line) => 'id' in line && line.id === id).map(({ t }) => t)
        expect(order.indexOf('approved')).toBeGreaterThan(-1)
        expect(order.filter((t) => t === 'begun')).toHaveLength(1)
      }
      if (!isApproved) expect(at.runs).toEqual([])
      // What had begun when it was killed is not begun again, though its run may never have been.
      if (before === 0 && lines.some(({ t }) => t === 'begun') && at.runs.length === 0) begunAfterKill += 1
      expect(at.bugs).toEqual([])
    }
    expect(begunAfterKill).toBeGreaterThan(5)
  })
})

describe('a mute of all proposals', () => {
  const MUTED_MS = 3_600_000

  it.each([
    ['in the process that wrote it', false],
    ['in one that starts later', true],
  ])('is not lifted by a clock that is set back, and lasts no longer: %s', async (_where, isLater) => {
    const at = stage()
    const first = at.begin()
    await first.proposals.denyAll(MUTED_MS)
    at.clock.now -= 2 * MUTED_MS
    const { proposals, store } = isLater ? at.begin() : first
    expect(await settled(proposals.propose(CLIENT, ASKED))).toBe('muted')
    at.clock.steady += MUTED_MS - 1
    expect(await settled(proposals.propose(CLIENT, ASKED))).toBe('muted')
    at.clock.steady += 1
    expect(await settled(proposals.propose(CLIENT, ASKED))).toBe('done')
    await Promise.all([first.store.close(), store.close()])
  })

  it('ends with its time', async () => {
    const at = stage()
    const { proposals, store } = at.begin()
    await proposals.denyAll(MUTED_MS)
    at.clock.now += MUTED_MS
    expect(await settled(proposals.propose(CLIENT, ASKED))).toBe('done')
    await store.close()
  })
})

it('an approval whose beginning cannot be written expires, and nothing runs', async () => {
  const at = stage()
  const { proposals, store } = at.begin()
  const { append } = store
  const { id } = await proposals.propose(CLIENT, ASKED)
  store.append = async (line) => {
    if (line.t === 'begun') throw new Error('no space left on device')
    await append(line)
  }
  await expect(proposals.approve(await proposals.find(id))).rejects.toThrow('no space left')
  expect(await proposals.find(id)).toMatchObject({
    state: 'expired',
    why: 'it was approved, and its start could not be recorded: nothing was sent',
  })
  expect(await settled(proposals.approve(await proposals.find(id)))).toBe('not-open')
  expect(at.runs).toEqual([])
  await store.close()
})

describe('two hooklines on the same files', () => {
  it.each([1, 2, 3, 4, 5])('begin it once, though both are told yes at the same moment (%i)', async () => {
    const at = stage()
    const [one, other] = [at.begin(), at.begin()]
    const { id } = await one.proposals.propose(CLIENT, ASKED)
    const approve = async ({ proposals }: Life) => proposals.approve(await proposals.find(id))
    const results = await Promise.all([settled(approve(one)), settled(approve(other)), settled(approve(one))])
    expect(results.filter((result) => result === 'done')).toHaveLength(1)
    expect(results.filter((result) => result === 'not-open')).toHaveLength(2)
    expect(at.runs).toHaveLength(1)
    await Promise.all([one.store.close(), other.store.close()])
  })

  it('of a yes and a withdrawal one counts', async () => {
    for (let round = 0; round < 20; round += 1) {
      const at = stage()
      const [one, other] = [at.begin(), at.begin()]
      const { id } = await one.proposals.propose(CLIENT, ASKED)
      const results = await Promise.all([
        settled(one.proposals.find(id).then((found) => one.proposals.approve(found))),
        settled(other.proposals.withdraw(CLIENT.clientId, id)),
      ])
      expect(results.filter((result) => result === 'done')).toHaveLength(1)
      expect(at.runs).toHaveLength(results[0] === 'done' ? 1 : 0)
      await Promise.all([one.store.close(), other.store.close()])
    }
  })
})

describe('the end of a proposal', () => {
  it.each([
    ['its time', { now: 600_000, steady: 0 }],
    ['a clock that nobody sets', { now: 0, steady: 600_000 }],
    ['a clock that is set back', { now: -60_001, steady: 0 }],
  ])('comes by %s, and stays after a restart with the clock of before', async (_, passed) => {
    const at = stage()
    const one = at.begin()
    const { id } = await one.proposals.propose(CLIENT, { ...ASKED, untilMinutes: PROPOSAL_LIMITS.defaultMinutes })
    at.clock.now += passed.now
    at.clock.steady += passed.steady
    expect(await one.proposals.find(id)).toMatchObject({ state: 'expired' })
    await one.store.close()
    at.clock.now = START
    const next = at.begin()
    expect(await next.proposals.find(id)).toMatchObject({ state: 'expired' })
    expect(await settled(next.proposals.find(id).then((found) => next.proposals.approve(found)))).toBe('not-open')
    expect(at.runs).toEqual([])
    await next.store.close()
  })

  it('an hour has its number of proposals across a restart', async () => {
    const at = stage()
    const one = at.begin()
    for (let n = 0; n < 20; n += 1) {
      const { id } = await one.proposals.propose(CLIENT, ASKED)
      await one.proposals.deny(id)
    }
    await one.store.close()
    const next = at.begin()
    expect(await settled(next.proposals.propose(CLIENT, ASKED))).toBe('too-many')
    await next.store.close()
  })
})

describe('lines of the journal in any order', () => {
  const id = 'p-abcdefgh'
  const base = { id, at: START }
  const proposed: ProposalLine = {
    ...base,
    t: 'proposed',
    until: START + 60_000,
    clientId: 'agent',
    origin: CLIENT.origin,
    label: 'Agent',
    account: 'paper',
    symbol: 'BTCUSDT',
    line: 'buy 0.001',
    reason: 'dip',
    preview: shown,
  }

  it('begin nothing that was not approved as it was shown, nor by another claim than that of its approval', () => {
    const approved: ProposalLine = { ...base, t: 'approved', shown: 'of another', claim: 'a', pid: 1 }
    const begun: ProposalLine = { ...base, t: 'begun', claim: 'a', runId: 'r' }
    const stateOf = (...lines: ProposalLine[]) => fold(lines).proposals[0]?.state
    expect(stateOf(proposed, begun)).toBe('proposed')
    expect(stateOf(proposed, approved, begun)).toBe('proposed')
    expect(stateOf(begun, approved)).toBeUndefined()
    expect(stateOf(proposed, { ...base, t: 'denied' }, approved, begun)).toBe('denied')
    expect(stateOf(proposed, proposed)).toBe('proposed')
  })
})

describe('what is another thing than was shown', () => {
  const order = shown.orders[0]
  if (order === undefined) throw new Error('the sample has an order')
  const withOrder = (more: object): Preview => ({ ...shown, orders: [{ ...order, ...more }] })

  it.each<[string, Preview, string | undefined]>([
    ['a price within 0.5 %', withOrder({ at: '65325' }), undefined],
    ['a price beyond', withOrder({ at: '65325.1' }), 'another at in orders 1'],
    ['another amount', withOrder({ amount: '0.002' }), 'another amount in orders 1'],
    ['the other side', withOrder({ side: 'sell' }), 'another side in orders 1'],
    ['another account', withOrder({ account: 'main' }), 'another account in orders 1'],
    ['reduce-only', withOrder({ reduceOnly: true }), 'another reduceOnly in orders 1'],
    ['a stop that was not there', withOrder({ stop: { triggerPrice: '63000' } }), 'another stop in orders 1'],
    ['one more order', { ...shown, orders: [order, order] }, '2 orders instead of 1'],
    ['a cancel', { ...shown, cancels: [{ account: 'paper', symbol: 'BTCUSDT', id: 'p1' }] }, '1 cancels instead of 0'],
    ['a fee alone', withOrder({ fee: { amount: '9', currency: 'USDT', rate: '0.1', as: 'taker' } }), undefined],
  ])('%s', (_, now, difference) => {
    expect(differenceOf(shown, now)).toBe(difference)
  })
})
