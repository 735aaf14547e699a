import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redact, redactError } from '../../../src/exchanges/ccxt/redact.ts'

const KEY = 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A'
const SECRET = 'p@ss/word+&="\\ü€'

const secret = fc
  .string({ unit: 'grapheme', minLength: 6, maxLength: 40 })
  .filter((text) => text.trim() === text && !/\s/.test(text))
const RUNS = { numRuns: 40 }
const around = fc.string({ maxLength: 30 })

/** How requests and errors spell a text. */
const SPELLINGS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'percent-encoded': encodeURIComponent,
  'percent-encoded twice': (text) => encodeURIComponent(encodeURIComponent(text)),
  'as JSON': (text) => JSON.stringify(text).slice(1, -1),
  'as JSON in JSON': (text) => JSON.stringify(JSON.stringify(text)).slice(1, -1),
  'as JSON of escapes': (text) =>
    [...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  'in hexadecimal': (text) => Buffer.from(text).toString('hex'),
  'in base64': (text) => Buffer.from(text).toString('base64'),
  'in base64url': (text) => Buffer.from(text).toString('base64url'),
}

describe('redact', () => {
  for (const [name, spell] of Object.entries(SPELLINGS)) {
    it(`takes a secret out that is written ${name}, wherever it stands`, () => {
      fc.assert(
        fc.property(secret, around, around, (text, before, after) => {
          const shown = redact(`${before} ${spell(text)} ${after}`, [text])
          expect(shown.includes(core(spell(text))) && !`${before} ${after}`.includes(core(spell(text)))).toBe(false)
        }),
        RUNS,
      )
    })
  }

  it('takes a secret out of the base64 of a longer text, as in an Authorization header', () => {
    fc.assert(
      fc.property(secret, fc.string({ maxLength: 5 }), (text, name) => {
        const header = Buffer.from(`${name}:${text}:x`).toString('base64')
        const shown = redact(`sent ${header}`, [text])
        expect(shown).toContain('<hidden>')
        expect(Buffer.from(shown.slice(5).replaceAll('<hidden>', ''), 'base64').toString()).not.toContain(text)
      }),
      RUNS,
    )
  })

  it('keeps no query of a URL, with or without known secrets', () => {
    const url = `https://fapi.binance.com/fapi/v1/order?symbol=BTCUSDT&timestamp=1&signature=abc123`
    expect(redact(`binance GET ${url} fetch failed`, [])).toBe(
      'binance GET https://fapi.binance.com/fapi/v1/order?<hidden> fetch failed',
    )
    expect(redact('wss://fstream.binance.com/private/ws?listenKey=pqia91ma19 closed', [])).toBe(
      'wss://fstream.binance.com/private/ws?<hidden> closed',
    )
  })

  it('keeps no listen key in a path, and no signature in a body or a header', () => {
    const key = 'pqia91ma19a5s61cv6a81va65sdf19v8a65a1a5s61cv6a81va65sdf19v8a65a1'
    expect(redact(`wss://stream.binance.com:9443/ws/${key}`, [])).not.toContain(key.slice(0, 20))
    expect(redact('{"X-MBX-APIKEY":"abcd","sign":"12ab"} symbol=A&signature=00ff', [])).toBe(
      '{"X-MBX-APIKEY":"<hidden>","sign":"<hidden>"} symbol=A&signature=<hidden>',
    )
  })

  it('keeps what people need: the code, the symbol and the id of the order', () => {
    const text =
      'binance {"code":-2010,"msg":"Account has insufficient balance"} BTCUSDT 0123456789abcdef0123456789abcdef'
    expect(redact(text, [KEY, SECRET])).toBe(text)
  })

  it('shows nothing of a text that has a secret too short to be cut out', () => {
    expect(redact('the pin is 42 here', ['42'])).toBe('<hidden>')
    expect(redact('nothing here', ['42', ''])).toBe('nothing here')
  })

  it('cuts what is long, and brings it on one line', () => {
    const shown = redact(`<html>\n${'page '.repeat(500)}`, [])
    expect(shown.length).toBeLessThan(402)
    expect(shown).not.toContain('\n')
  })
})

describe('redactError', () => {
  it('keeps name, message and causes without secrets, and nothing that was hung on the error', () => {
    const cause = Object.assign(new TypeError(`fetch failed ${SECRET}`), { headers: { key: KEY } })
    const error = Object.assign(new Error(`GET https://x.test/a?apiKey=${KEY}`, { cause }), {
      info: { secret: SECRET },
      last_request_url: KEY,
    })
    error.name = 'NetworkError'
    const safe = redactError(error, [KEY, SECRET])
    expect([safe.name, safe.message, (safe.cause as Error).message]).toEqual([
      'NetworkError',
      'GET https://x.test/a?<hidden>',
      'fetch failed <hidden>',
    ])
    const everything = [safe, safe.cause as Error].map(
      (each) => `${each.stack} ${JSON.stringify(each, Object.getOwnPropertyNames(each))}`,
    )
    expect(everything.join()).not.toContain(KEY)
    expect(everything.join()).not.toContain(SECRET)
    expect(Object.keys(safe)).toEqual(['name'])
  })

  it('ends with causes that go round', () => {
    const error = new Error('a')
    error.cause = error
    expect(redactError(error, []).message).toBe('a')
  })

  it('takes what is not an error for a text', () => {
    expect(redactError(`key ${KEY}`, [KEY]).message).toBe('key <hidden>')
  })
})

/** What of a spelling may not be left: its middle, where the ends may depend on what is beside it. */
function core(text: string): string {
  const cut = Math.floor(text.length / 4)
  return text.slice(cut, text.length - cut)
}
