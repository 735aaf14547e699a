// Both decoders of the wire: what a page says to hookline, and what hookline says to a page.

import { CLIENT_SAMPLES, SERVER_SAMPLES, whole } from '../../../harness/wire/frame-samples.ts'
import { type Decoded, decodeClientFrame, decodeServerFrame, encodeFrame } from '../../../src/protocol/decode.ts'
import { type ClientFrame, type ServerFrame, TOPICS, WIRE_LIMITS } from '../../../src/protocol/frames.ts'
import { type OpenTarget, promise } from '../target.ts'

/** Stands for a key that a page has sent: no refusal may repeat it. */
const SECRET = 'f00dfacef00dface'
const LONGEST_REFUSAL = 250

const samples = [...Object.entries(CLIENT_SAMPLES), ...Object.entries(SERVER_SAMPLES)].map(whole)

export const open: OpenTarget = () => ({
  units: 'text',
  seeds: samples.map((frame) => JSON.stringify(frame)),
  dictionary: [
    ...new Set(samples.flatMap((frame) => Object.keys(frame))),
    ...Object.keys(CLIENT_SAMPLES),
    ...Object.keys(SERVER_SAMPLES),
    ...TOPICS,
    'upsert',
    'delete',
    'create',
    'rotate',
    'revoke',
    'apiKey',
    'secret',
    'password',
    'copiers',
    'weight',
    'mode',
    'Market',
    'print',
    'running',
    'buy',
    'stop',
    'long',
    'clientId',
    SECRET,
    'a'.repeat(65),
    'a'.repeat(8_193),
  ],
  between: ',',
  json: true,
  maxLength: 60_000,
  batch: 1_000,
  run(text) {
    const fromClient = decodeClientFrame(text)
    const fromServer = decodeServerFrame(text)
    promise(!(fromClient.ok && fromServer.ok), 'a frame goes in one direction')
    check(fromClient, decodeClientFrame)
    check(fromServer, decodeServerFrame)
    if (fromClient.ok) checkLimits(fromClient.frame)
  },
})

function check<F extends ClientFrame | ServerFrame>(decoded: Decoded<F>, decode: (text: string) => Decoded<F>): void {
  if (!decoded.ok) return checkRefusal(decoded)
  // `data` is whatever the sender likes, and may be nested deeper than can be written.
  if (decoded.frame.t === 'mutate:ack') return
  const again = decode(encodeFrame(decoded.frame))
  promise(again.ok && encodeFrame(again.frame) === encodeFrame(decoded.frame), 'a frame that was read is read as it is')
}

function checkRefusal({ error, id }: Extract<Decoded<never>, { ok: false }>): void {
  promise(error !== '' && !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(error), 'a refusal is one line')
  promise(error.length <= LONGEST_REFUSAL, 'a refusal is short')
  promise(!error.includes(SECRET), 'a refusal repeats nothing that was sent')
  promise(id === undefined || (id.length > 0 && id.length <= WIRE_LIMITS.idLength), 'an id has 1 to 64 characters')
}

function checkLimits(frame: ClientFrame): void {
  if ('id' in frame) promise(frame.id.length > 0 && frame.id.length <= WIRE_LIMITS.idLength, 'an id has its length')
  if (frame.t === 'hello') promise(frame.clientId.length <= WIRE_LIMITS.clientIdLength, 'a clientId has its length')
  if (frame.t === 'cmd:exec') promise(frame.command.length <= WIRE_LIMITS.commandLength, 'a command has its length')
  if ('updatedAt' in frame) {
    promise(Number.isSafeInteger(frame.updatedAt) && (frame.updatedAt ?? 0) >= 0, 'a time is a whole number of ms')
  }
}
