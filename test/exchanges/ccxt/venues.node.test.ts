// The table of venues against the pinned ccxt: which classes there are, and where their demo goes.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { CcxtClient } from '../../../src/exchanges/ccxt/ccxt-client.ts'
import { connectVenue, loadCcxt } from '../../../src/exchanges/ccxt/open-ccxt.ts'
import { profileOf } from '../../../src/exchanges/ccxt/profiles.ts'
import { allVenues, CCXT_DEMOS, CCXT_UNSIGNED, CCXT_VENUES, findVenue } from '../../../src/exchanges/venues.ts'

const CLASSES = readdirSync(join(import.meta.dirname, '../../../node_modules/ccxt/js/src')).flatMap(
  (file) => /^([a-z0-9]+)\.js$/.exec(file)?.[1] ?? [],
)
const IDS = CCXT_VENUES.map(([id]) => id)

/** Told apart from a live account by a header with each request. */
const BY_HEADER = ['okx', 'okxus', 'myokx', 'bitget']
/** Of public prices and papers, where no order goes. */
const SHARED = [
  /\/v5\/public\//,
  /^https:\/\/data\./,
  /^wss:\/\/stream\.data\./,
  /^https:\/\/(docs|exchange)\.gemini\.com$/,
]

type WithAddresses = CcxtClient & { readonly urls: { readonly api: unknown; readonly test?: unknown } }

function addresses(of: unknown): readonly string[] {
  if (typeof of === 'string') return /^(http|ws)/.test(of) ? [of] : []
  return typeof of === 'object' && of !== null ? Object.values(of).flatMap(addresses) : []
}

async function enter(id: string, environment: 'live' | 'demo'): Promise<WithAddresses> {
  const kind = findVenue(id)?.kinds[0] ?? 'spot'
  const { client } = await connectVenue({ venue: id, kind, environment, keys: {}, now: Date.now })
  return client as WithAddresses
}

describe('the table of venues', () => {
  it('has every class of ccxt, once', () => {
    expect([...IDS].sort()).toEqual([...CLASSES].sort())
    expect(new Set(allVenues().map(({ id }) => id)).size).toBe(allVenues().length)
  })

  it.each(CCXT_VENUES)('asks of an account on %s what its class asks for', async (id, _name, _kinds, credentials) => {
    const { requiredCredentials } = new (await loadCcxt(id))({})
    const required = Object.entries(requiredCredentials).flatMap(([field, isNeeded]) => (isNeeded ? [field] : []))
    expect(
      credentials
        .split(' ')
        .filter((field) => field !== '')
        .sort(),
    ).toEqual(required.sort())
  })

  it('has a profile for each, with a class of ccxt for each kind of market', () => {
    const missing = allVenues()
      .filter(({ id }) => id !== 'paper')
      .flatMap(({ id, kinds }) =>
        kinds
          .filter((kind) => !CLASSES.includes(profileOf(id)?.classes[kind] ?? 'none'))
          .map((kind) => `${id} ${kind}`),
      )
    expect(missing).toEqual([])
  })

  it('says that no order can be sent where the class cannot sign one', () => {
    expect(
      allVenues()
        .filter(({ canTrade }) => !canTrade)
        .map(({ id }) => id),
    ).toEqual([...CCXT_UNSIGNED])
  })
})

describe('the demo of a venue', () => {
  it.each([...CCXT_DEMOS])('of %s has no address in common with the live one where orders go', async (id) => {
    const live = addresses((await enter(id, 'live')).urls.api)
    const demo = addresses((await enter(id, 'demo')).urls.api)
    expect(demo).not.toEqual([])
    const shared = demo.filter((address) => live.includes(address) && !SHARED.some((form) => form.test(address)))
    if (BY_HEADER.includes(id)) expect(shared).not.toEqual([])
    else expect(shared).toEqual([])
  })

  it.each(IDS.filter((id) => !CCXT_DEMOS.has(id)))('is refused of %s, which has none', async (id) => {
    await expect(enter(id, 'demo')).rejects.toMatchObject({ code: 'not-supported' })
  })
})
