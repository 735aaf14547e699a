// A full day's session with everything that goes wrong: at a terminal, by a page, by a hook and by `exec`. Afterwards nothing that proves the account
// to the venue is anywhere but in the encrypted vault: no key, no passphrase, no listen key, no signature.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, type TestContext } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { venueCertificate } from '../../../harness/network/venue-names.ts'
import { PATIENCE_MS } from '../../../harness/patience.ts'
import { createHook, post, run } from '../../../harness/process/hookline.ts'
import type { Fault, FaultKind } from '../../../harness/venues/binance/faults.ts'
import { KEYS, stageBinance } from '../../../harness/venues/binance/staged.ts'
import type { Binance } from '../../../harness/venues/binance/start-binance.ts'
import { findLeaks } from '../../../harness/venues/leaks.ts'
import { commandLines, Seat } from '../../../harness/venues/seat.ts'
import { ORIGIN, WsClient } from '../../../harness/wire/ws-client.ts'

const PASSPHRASE = 'correct horse battery staple 9'
/** Enter at each question. */
const USUAL_LIMITS = ['', '']
const DAY_MS = 240_000
const PAGE = { clientId: '3f9c2a71-5d0e-4b7a-9c1f-2e8d6a4b0c93', label: 'tab' }
const ORDER = 'POST /fapi/v1/order'
const KINDS: readonly FaultKind[] = [
  ...(['reset', 'cut-json', 'html', 'redirect', 'unknown', 'timed-out', 'busy'] as const),
  ...(['rate-limited', 'banned'] as const),
]

interface Day {
  readonly venue: Binance
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
  readonly seat: Seat
  readonly said: string[]
}

it(
  'no key, passphrase, listen key or signature is in a file, a log, a terminal, on the wire or in a command line',
  async (context) => {
    const day = await beginDay(context)
    const page = await WsClient.hello(PAGE)
    await page.nextFrame('welcome')
    await openAccount(day)
    day.said.push(commandLines(day.directory))
    await tradeEverywhere(day, page)
    await goWrong(day)
    day.said.push(commandLines(day.directory))
    await day.seat.types('exit', []).catch(() => undefined)
    const found = findLeaks(secretsOf(day.venue), day.directory, {
      terminal: day.seat.raw,
      wire: page.received.join('\n'),
      'other programs and command lines': day.said.join('\n'),
    })
    expect(found).toEqual([])
    expect(day.venue.signatures.length).toBeGreaterThan(50)
    expect(day.venue.streams.secrets.length).toBeGreaterThan(1)
    // The search finds what is there to find.
    const [signature = ''] = day.venue.signatures
    const bait = findLeaks(secretsOf(day.venue), day.directory, { bait: `${KEYS.secret} ${signature}` })
    expect(bait.map(({ place }) => place)).toEqual(['bait', 'bait'])
  },
  DAY_MS,
)

function secretsOf({ signatures, streams }: Binance): Readonly<Record<string, string>> {
  const numbered = (what: string, all: readonly string[]) => all.map((each, index) => [`${what} ${index}`, each])
  return {
    key: KEYS.key,
    secret: KEYS.secret,
    passphrase: PASSPHRASE,
    ...Object.fromEntries([...numbered('signature', signatures), ...numbered('listen key', streams.secrets)]),
  }
}

async function beginDay(context: TestContext): Promise<Day> {
  const venue = await stageBinance(context, { account: { wallet: '100000' } })
  const certificate = venueCertificate()
  const env = 'missing' in certificate ? {} : certificate.env
  const directory = tempDirectory()
  const clients = [{ ...PAGE, origin: ORIGIN, approvedAt: 1 }]
  writeFileSync(join(directory, 'trusted-clients.json'), JSON.stringify({ clients }), { mode: 0o600 })
  return { venue, directory, env, seat: await Seat.take(directory, env), said: [] }
}

async function openAccount({ seat }: Day): Promise<void> {
  const wrong = 'the-secret-that-nobody-has'
  const add = 'account add main binance linear'
  await seat.types(add, 'nothing was stored', PASSPHRASE, PASSPHRASE, KEYS.key, wrong)
  await seat.types(add, 'added account main', PASSPHRASE, PASSPHRASE, KEYS.key, KEYS.secret, ...USUAL_LIMITS)
  await seat.types('account use main', 'trading on main')
  await seat.types('symbol BTCUSDT', 'BTCUSDT 50,000')
}

async function tradeEverywhere({ seat, directory, env, said }: Day, page: WsClient): Promise<void> {
  await seat.types('buy $360 BTCUSDT stop -2% tp +4%', 'take-profit sell')
  page.send({ t: 'cmd:exec', id: 'a', command: 'buy $400 BTCUSDT; positions; orders; account check main' })
  page.send({ t: 'cmd:exec', id: 'b', command: 'buy 1 NOSUCH' })
  await page.nextFrame('cmd:done')
  await page.nextFrame('cmd:done')
  const hook = await createHook(directory, 'dip', 'buy 20.0 ADAUSDT; balance', '--account', 'main')
  said.push((await post(hook.url, hook.token)).body)
  await seat.sees('[hook:dip]')
  const locked = await run(directory, ['exec', 'account check main'], { env })
  said.push(locked.stdout, locked.stderr)
}

/** Each fault once in an order's answer, once in a question's; then the stream, the network, the clock and the key. */
async function goWrong({ seat, venue }: Day): Promise<void> {
  for (const kind of KINDS) {
    const isDone = ['reset', 'cut-json', 'html', 'redirect', 'unknown', 'timed-out'].includes(kind)
    await meet(seat, venue, { kind, isDone, route: ORDER, times: 1 }, 'buy 20.0 ADAUSDT')
    await meet(seat, venue, { kind, route: 'GET /fapi/v3/positionRisk', times: 1 }, 'positions')
  }
  venue.streams.expireKeys()
  venue.streams.drop()
  await venue.cut()
  await seat.types('buy 20.0 XRPUSDT', /cannot be reached|no answer/)
  await venue.listen()
  // The streams come back with another listen key.
  await expect.poll(() => venue.streams.secrets.length).toBeGreaterThan(1)
  venue.clockOffsetMs = 60_000
  // Another line each time: one that is entered twice within a second asks.
  await seat.types('buy 21.0 XRPUSDT', /./)
  venue.clockOffsetMs = 0
  venue.account().mayTrade = false
  await seat.types('buy 22.0 XRPUSDT', /./)
}

async function meet(seat: Seat, venue: Binance, fault: Fault, line: string): Promise<void> {
  const asked = venue.asked(fault.route ?? '').length
  venue.fail(fault)
  const isMet = () => venue.asked(fault.route ?? '').length > asked || !venue.faults.isPending
  const until = Date.now() + PATIENCE_MS
  // An entry is refused here while the venue wants quiet: it is typed again until it leaves.
  while (!isMet() && Date.now() < until) {
    await seat.types(line, /./)
    await expect
      .poll(isMet, { timeout: 2_000 })
      .toBe(true)
      .catch(() => undefined)
  }
  expect(isMet()).toBe(true)
  venue.faults.clear()
}
