// Live venues are compiled into files beside the program: each is whole, and none is loaded before it is needed.
import { execFileSync, spawnSync } from 'node:child_process'
import crypto from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { CcxtClass } from '../../src/exchanges/ccxt/ccxt-client.ts'
import { CCXT_VENUES } from '../../src/exchanges/venues.ts'
import { ROOT } from './lock-file.ts'

const directory = mkdtempSync(join(tmpdir(), 'hookline-chunks-'))
afterAll(() => rmSync(directory, { recursive: true }))

const CHUNKS = join(ROOT, 'dist/ccxt')
const IDS = CCXT_VENUES.map(([id]) => id)

/** Tells at the end, on standard error, which chunks were loaded. */
const WITNESS = join(directory, 'witness.cjs')
writeFileSync(
  WITNESS,
  `process.on('exit', () => process.stderr.write('LOADED ' + JSON.stringify(Object.keys(require.cache).filter((path) => path.includes('ccxt'))) + '\\n'))`,
)

function loadedBy(args: readonly string[]): readonly string[] {
  const env = { ...process.env, HOOKLINE_CONFIG_DIR: join(directory, 'config') }
  const { stderr } = spawnSync(process.execPath, ['--require', WITNESS, ...args], { env, encoding: 'utf8' })
  return JSON.parse(/^LOADED (.*)$/m.exec(stderr)?.[1] ?? 'null')
}

describe('the files of the venues', () => {
  it.each(IDS)('of %s makes a client, of itself', (id) => {
    const { default: Venue } = createRequire(import.meta.url)(join(CHUNKS, `${id}.cjs`)) as { default: CcxtClass }
    expect(new Venue({ number: String }).id).toBe(id)
  })

  it('sign as ccxt itself does', () => {
    const script = (from: string) =>
      `const Venue = ${from}; const client = new Venue({ apiKey: 'a', secret: 'b' }); client.nonce = client.milliseconds = () => 1790000000000;
      process.stdout.write(JSON.stringify(client.sign('order', 'fapiPrivate', 'POST', { symbol: 'BTCUSDT', newClientOrderId: 'c' })))`
    const say = (from: string) => execFileSync(process.execPath, ['-e', script(from)], { cwd: ROOT, encoding: 'utf8' })
    const ours = say(`require('./dist/ccxt/binanceusdm.cjs').default`)
    expect(ours).toContain('signature')
    expect(ours).toBe(say(`require('ccxt').pro.binanceusdm`))
  })
})

describe('a signature', () => {
  type Signer = new (settings: object) => { sign(...request: readonly unknown[]): { readonly url: string } }
  const { default: Venue } = createRequire(import.meta.url)(join(CHUNKS, 'binanceusdm.cjs')) as { default: Signer }

  it.each([1, 64, 200])('is made by OpenSSL, with a secret of %s characters too', (length) => {
    const made: unknown[] = []
    const { createHmac } = crypto
    crypto.createHmac = (name, key) => {
      made.push(name)
      return createHmac(name, key)
    }
    const secret = 's'.repeat(length)
    try {
      const { url } = new Venue({ apiKey: 'a', secret }).sign('balance', 'fapiPrivateV2', 'GET', { symbol: 'ü' })
      const [, query, signature] = /\?(.*)&signature=(.*)$/.exec(url) ?? []
      expect(signature).toBe(createHmac('sha256', secret).update(String(query)).digest('hex'))
    } finally {
      crypto.createHmac = createHmac
    }
    expect(made).toEqual(['sha256'])
  })
})

describe('a figure in an answer', () => {
  type Reader = new (settings: object) => { safeTicker(row: object): { readonly vwap: unknown } }
  const { default: Venue } = createRequire(import.meta.url)(join(CHUNKS, 'binance.cjs')) as { default: Reader }
  const read = (baseVolume: string) => new Venue({ number: String }).safeTicker({ baseVolume, quoteVolume: '10' }).vwap

  it.each(['1e400000000', '1E-400000000', '1e9999999999999999999'])(
    '%s is refused before anybody computes with it',
    (text) => {
      expect(() => read(text)).toThrow('a figure with so many digits')
    },
  )

  it('with an exponent that one may have is computed with', () => {
    expect(read('1e-2')).toBe('1000')
  })
})

describe('what the files of the venues may reach', () => {
  const sources = readdirSync(CHUNKS).map((name) => readFileSync(join(CHUNKS, name), 'utf8'))
  const found = (pattern: RegExp) => [
    ...new Set(sources.flatMap((text) => [...text.matchAll(pattern)].map(([all]) => all))),
  ]

  it('is in this list: no other process, thread or socket of its own but those of `ws`', () => {
    const wanted = found(/require\("[^."][^"]*"\)/g).map((text) => text.replace(/^require\("(?:node:)?|"\)$/g, ''))
    const list = [
      'buffer',
      'crypto',
      'events',
      'fs',
      'http',
      'https',
      'net',
      'os',
      'path',
      'stream',
      'tls',
      'url',
      'zlib',
    ]
    expect([...new Set(wanted)].filter((name) => !list.includes(name))).toEqual([])
  })

  it('has neither code that comes at run time nor a proxy of the environment', () => {
    expect(found(/\beval\(|\bnew Function\(|\bchild_process\b|\bworker_threads\b|\bnode:vm\b/g)).toEqual([])
    expect(found(/process\.env\.\w+/g).filter((name) => !/\.WS_NO_/.test(name))).toEqual([])
  })
})

describe('a start', () => {
  it('loads none of them, with live accounts in the list as well', () => {
    loadedBy(['dist/hookline.cjs', 'exec', 'status'])
    const accounts = ['binance', 'okx', 'kraken'].map((exchange) => ({
      name: `live-${exchange}`,
      exchange,
      kind: 'linear',
      credentials: { from: 'environment' },
      createdAt: 1_790_000_000_000,
      updatedAt: 1_790_000_000_000,
    }))
    writeFileSync(join(directory, 'config/accounts.json'), JSON.stringify({ accounts }), { mode: 0o600 })
    for (const line of ['account', 'exchanges', 'status']) {
      expect(loadedBy(['dist/hookline.cjs', 'exec', line]), line).toEqual([])
    }
  })

  it('that did load one would be seen here', () => {
    expect(loadedBy(['-e', `require(${JSON.stringify(join(CHUNKS, 'okx.cjs'))})`])).toContain(join(CHUNKS, 'okx.cjs'))
  })
})
