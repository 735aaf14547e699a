import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type AskedGrant, GRANT_MS } from '../../src/protocol/rows.ts'
import { answeredGrant, type Grant, heldNow, isWider } from '../../src/stores/client-grants.ts'
import { openTrustedClients } from '../../src/stores/trusted-clients.ts'

const NOW = Date.UTC(2026, 10, 28)
const AGENT = '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93'
const ORIGIN = 'http://127.0.0.1:53220'
const TWIN = 'http://localhost:53220'

const full: Grant = {
  may: 'propose',
  perOrder: '100',
  perDay: '300',
  accounts: ['a', 'b'],
  symbols: ['BTCUSDT'],
  proposalsPerHour: 20,
  grantedAt: NOW,
  until: NOW + GRANT_MS,
}

describe('a grant is wider than another', () => {
  it.each<[string, Partial<Grant>, readonly (keyof Grant)[]]>([
    ['of more effects', { may: 'trade' }, []],
    ['of more dollars an order', { perOrder: '100.01' }, []],
    ['of any dollars an order', {}, ['perOrder']],
    ['of more dollars a day', { perDay: '1000' }, []],
    ['of any dollars a day', {}, ['perDay']],
    ['of another account', { accounts: ['a', 'c'] }, []],
    ['of every account', {}, ['accounts']],
    ['of another symbol', { symbols: ['ETHUSDT'] }, []],
    ['of every symbol', {}, ['symbols']],
    ['of more proposals', { proposalsPerHour: 21 }, []],
    ['of any number of proposals', {}, ['proposalsPerHour']],
    ['of a later end', { until: NOW + GRANT_MS + 1 }, []],
  ])('%s', (_, more, without) => {
    const next = Object.fromEntries(
      Object.entries({ ...full, ...more }).filter(([name]) => !without.includes(name as keyof Grant)),
    ) as unknown as Grant
    expect(isWider(next, full)).toBe(true)
  })

  it('and is not wider than itself, nor than what a client without a grant has', () => {
    expect(isWider(full, full)).toBe(false)
    expect(isWider({ ...full, may: 'trade' }, undefined)).toBe(false)
  })
})

describe('a grant that has ended', () => {
  it.each([
    ['before its end', NOW + GRANT_MS - 1, 'propose', false],
    ['at its end', NOW + GRANT_MS, 'look', true],
    ['a minute before it was given, by a clock that is set right', NOW - 60_000, 'propose', false],
    ['earlier than that, by a clock that is set back', NOW - 60_001, 'look', true],
  ])('%s', (_, at, may, hasEnded) => {
    expect(heldNow(full, at)).toMatchObject({ may, hasEnded })
  })
})

function stage() {
  const directory = tempDirectory()
  let now = NOW
  const open = () => openTrustedClients(directory, () => now)
  const path = join(directory, 'trusted-clients.json')
  const setClock = (at: number) => {
    now = at
  }
  return { open, path, setClock }
}

const client = { clientId: AGENT, label: 'agent', origin: ORIGIN }

describe('the grant in the row of a client', () => {
  it('is absent where none was given, in files of older versions too', async () => {
    const { open } = stage()
    const store = open()
    await store.add(client)
    expect(open().grantOf(AGENT, ORIGIN)).toBeUndefined()
    expect(open().grantOf('unknown', ORIGIN)).toBeUndefined()
  })

  it('is on every origin of the client, and stays when it is approved again', async () => {
    const { open } = stage()
    const store = open()
    await store.add(client)
    await store.add({ ...client, origin: TWIN })
    await store.grant(AGENT.slice(0, 8), full, false)
    await store.add({ ...client, label: 'again' })
    for (const origin of [ORIGIN, TWIN]) expect(open().grantOf(AGENT, origin)).toMatchObject(full)
  })

  it('lets a page on an origin without a row look, and no more', async () => {
    const { open } = stage()
    const store = open()
    await store.add(client)
    await store.grant(AGENT, { ...full, may: 'trade' }, false)
    expect(store.grantOf(AGENT, undefined)).toMatchObject({ may: 'look' })
    expect(store.grantOf(AGENT, TWIN)).toMatchObject({ may: 'look' })
  })

  it('is not widened unless a person has said yes, and narrowed at any time', async () => {
    const { open } = stage()
    const store = open()
    await store.add(client)
    await store.grant(AGENT, full, false)
    await expect(store.grant(AGENT, { ...full, may: 'trade' }, false)).rejects.toMatchObject({ code: 'needs-person' })
    expect(store.grantOf(AGENT, ORIGIN)).toMatchObject({ may: 'propose' })
    await store.grant(AGENT, { ...full, may: 'look' }, false)
    expect(open().grantOf(AGENT, ORIGIN)).toMatchObject({ may: 'look' })
    await store.grant(AGENT, { ...full, may: 'trade' }, true)
    expect(open().grantOf(AGENT, ORIGIN)).toMatchObject({ may: 'trade' })
  })

  it('does not come back when the clock is set back behind its end', async () => {
    const { open, setClock } = stage()
    const store = open()
    await store.add(client)
    await store.grant(AGENT, full, false)
    setClock(full.until)
    expect(store.grantOf(AGENT, ORIGIN)).toMatchObject({ may: 'look', hasEnded: true })
    setClock(full.until - 1_000)
    await store.add({ ...client, clientId: 'other-client' })
    expect(store.grantOf(AGENT, ORIGIN)).toMatchObject({ may: 'look', hasEnded: true })
  })

  it.each([
    ['asked about', (store: ReturnType<ReturnType<typeof stage>['open']>) => store.grantOf(AGENT, ORIGIN)],
    ['looked for', (store: ReturnType<ReturnType<typeof stage>['open']>) => store.noteEnds()],
  ])('does not come back by a restart behind its end, once it was %s', async (_, see) => {
    const { open, path, setClock } = stage()
    const store = open()
    await store.add(client)
    await store.grant(AGENT, full, false)
    setClock(full.until)
    await see(store)
    await expect.poll(() => JSON.parse(readFileSync(path, 'utf8')).clients[0].grant.ended).toBe(true)
    setClock(full.until - 1_000)
    const later = open()
    expect(later.grantOf(AGENT, ORIGIN)).toMatchObject({ may: 'look', hasEnded: true })
    // The same terms again are wider than the end that was seen.
    await expect(later.grant(AGENT, full, false)).rejects.toMatchObject({ code: 'needs-person' })
    await later.grant(AGENT, full, true)
    expect(open().grantOf(AGENT, ORIGIN)).toMatchObject({ may: 'propose', hasEnded: false })
  })

  it('is written once when it ends, and not while it holds', async () => {
    const { open, path, setClock } = stage()
    const store = open()
    await store.add(client)
    await store.grant(AGENT, full, false)
    const before = readFileSync(path, 'utf8')
    await store.noteEnds()
    expect(readFileSync(path, 'utf8')).toBe(before)
    setClock(full.until)
    await store.noteEnds()
    const ended = readFileSync(path, 'utf8')
    await store.noteEnds()
    expect(readFileSync(path, 'utf8')).toBe(ended)
    expect(ended).not.toBe(before)
  })

  it.each([
    ['misspelt', (grant: Grant) => ({ ...grant, perday: '300' })],
    ['not a number', (grant: Grant) => ({ ...grant, perOrder: '$100' })],
    ['of an effect that this version does not know', (grant: Grant) => ({ ...grant, may: 'all' })],
    ['without an end', ({ until: _, ...grant }: Grant) => grant],
  ])('that is %s makes its row one that trusts no one', async (_, spoil) => {
    const { open, path } = stage()
    const store = open()
    await store.add(client)
    await store.grant(AGENT, full, false)
    const file = JSON.parse(readFileSync(path, 'utf8'))
    file.clients[0].grant = spoil(file.clients[0].grant)
    writeFileSync(path, JSON.stringify(file))
    expect(open().standingOf({ clientId: AGENT, origin: ORIGIN })).toBe('unknown')
  })
})

describe('an answer to a client that asks for a grant', () => {
  const asked: AskedGrant = { may: 'propose', perOrder: '100', accounts: ['paper'], proposalsPerHour: 5 }
  const given = { perOrder: '100', accounts: ['paper'], proposalsPerHour: 5, grantedAt: NOW, until: NOW + GRANT_MS }

  it.each([
    ['without more is `look`', undefined, 'look'],
    ['may name less', 'look', 'look'],
    ['may name what it asks', 'propose', 'propose'],
  ] as const)('%s', (_, may, level) => {
    expect(answeredGrant(asked, may, NOW)).toEqual({ ...given, may: level })
  })

  it('may not name more', () => {
    expect(() => answeredGrant(asked, 'trade', NOW)).toThrow(/asks for no more than `propose`/)
  })

  it('ends when the client asks it to', () => {
    expect(answeredGrant({ may: 'trade', forMs: 3_600_000 }, 'trade', NOW)).toEqual({
      may: 'trade',
      grantedAt: NOW,
      until: NOW + 3_600_000,
    })
  })

  it('gives a client that asks for nothing what it has today, or the grant that it names', () => {
    expect(answeredGrant(undefined, undefined, NOW)).toBeUndefined()
    expect(answeredGrant(undefined, 'propose', NOW)).toEqual({ may: 'propose', grantedAt: NOW, until: NOW + GRANT_MS })
  })
})
