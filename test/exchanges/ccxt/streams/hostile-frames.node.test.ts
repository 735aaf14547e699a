// Messages of a stream that no venue sends: they end the stream, and neither hookline nor its memory, and nothing of them is printed.
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { MAX_MESSAGE_BYTES } from '../../../../src/exchanges/ccxt/client-lifetime.ts'
import { connectVenue } from '../../../../src/exchanges/ccxt/open-ccxt.ts'

interface Streams {
  readonly urls: { readonly api: Record<string, unknown> }
  getHttpAgentIfNeeded: () => undefined
  client(url: string): { connect(): unknown; future(hash: string): Promise<unknown>; isOpen(): boolean }
  close(): Promise<void>
}

const ends: (() => unknown)[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const end of ends.splice(0)) await end()
})

/** A stream whose first message is this. @returns the fate of what waits on it */
async function hear(message: string | Buffer, { venue = 'binance', isPacked = false } = {}) {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: isPacked })
  await new Promise((resolve) => void server.once('listening', resolve))
  server.on('connection', (socket) => {
    socket.on('error', () => undefined)
    socket.send(message)
    // What comes behind it is heard if the stream lives.
    socket.send('{"e":"bye"}', () => setTimeout(() => socket.close(), 50))
  })
  ends.push(() => server.close())
  const connected = await connectVenue({
    venue,
    kind: 'linear',
    environment: 'live',
    keys: {},
    now: Date.now,
    transport: () => Promise.reject(new Error('no request is made')),
  })
  const client = connected.client as unknown as Streams
  ends.push(() => client.close())
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws/the-listen-key`
  client.urls.api.stand = url
  client.getHttpAgentIfNeeded = () => undefined
  const socket = client.client(url)
  const waiting = socket.future('orders').then(
    () => 'heard',
    (error: Error) => error.message,
  )
  socket.connect()
  return { fate: await waiting }
}

describe('a message', () => {
  it.each<[string, () => string | Buffer, object, RegExp]>([
    ['that is larger than any', () => `{"a":"${'x'.repeat(MAX_MESSAGE_BYTES)}"}`, {}, /Max payload size exceeded/],
    [
      'that unpacks to more than any',
      () => `{"a":"${' '.repeat(3 * MAX_MESSAGE_BYTES)}"}`,
      { isPacked: true },
      /Max payload size exceeded/,
    ],
    [
      'that the venue packs by itself and that unpacks to more than any',
      () => gzipSync(Buffer.alloc(20 * MAX_MESSAGE_BYTES, ' ')),
      { venue: 'bingx' },
      /larger than/,
    ],
    ['that is packed where it should be and is not', () => Buffer.from('{"a":1}'), { venue: 'bingx' }, /header check/],
    ['that nests without end', () => `${'{"data":'.repeat(200_000)}1${'}'.repeat(200_000)}`, {}, /Maximum call stack/],
    ['that was cut', () => '{"e":"ORDER_TRADE_UPDATE","o":{"secret', {}, /operator|closed by remote/],
    ['that is no object', () => '[[[null,"__proto__",{}]]]', {}, /closed by remote|Cannot read/],
    [
      'that names prototypes',
      () => '{"e":"__proto__","__proto__":{"polluted":1},"stream":"constructor"}',
      {},
      /not a function|closed/,
    ],
  ])('%s ends what waits for the stream, and prints nothing', async (_what, message, options, said) => {
    const printed = [
      vi.spyOn(process.stdout, 'write').mockImplementation(() => true),
      vi.spyOn(console, 'log').mockImplementation(() => undefined),
      vi.spyOn(console, 'warn').mockImplementation(() => undefined),
      vi.spyOn(console, 'error').mockImplementation(() => undefined),
    ]
    const { fate } = await hear(message(), options)
    expect(fate).toMatch(said)
    expect(printed.flatMap((spy) => spy.mock.calls)).toEqual([])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})
