// Raw bytes at the built listener after an upgrade. In an input U+E000 parts writes, U+E002 begins a frame that is made well (its first
// byte, then the payload), and U+E003 begins bytes that go out as they are.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLIENT_SAMPLES, whole } from '../../../harness/wire/frame-samples.ts'
import { Conversation } from '../conversation.ts'
import { WORDS } from '../language-oracle.ts'
import { ListenerProcess, OPEN_HOOK, ORIGIN, SECRETS, TRUSTED_CLIENT } from '../listener-process.ts'
import { readFrames } from '../server-frames.ts'
import { bytesOf, type OpenTarget, promise } from '../target.ts'

const PART = '\ue000'
const FRAME = '\ue002'
const RAW = '\ue003'
const TEXT = '\x81'
/** Then the listener is started anew, with a directory as it was: what sleeps in it goes with it. */
const BATCHES_PER_PROCESS = 50

const UPGRADE_MS = 5_000
const UPGRADE = [
  'GET /ws HTTP/1.1',
  'Host: 127.0.0.1:53219',
  'Connection: Upgrade',
  'Upgrade: websocket',
  `Origin: ${ORIGIN}`,
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  '',
  '',
].join('\r\n')

const say = (frame: object | string) =>
  `${FRAME}${TEXT}${bytesOf(typeof frame === 'string' ? frame : JSON.stringify(frame))}`
const hello = say({ t: 'hello', clientId: TRUSTED_CLIENT, label: 'fuzz' })
const exec = (command: string, id = command.slice(0, 9)) => say({ t: 'cmd:exec', id, command })
const samples = Object.entries(CLIENT_SAMPLES).map(whole)
const topics = say({
  t: 'subscribe',
  topics: ['accounts', 'tasks', 'hooks', 'hook-output', 'cross-trade', 'portfolio'],
})

const SEEDS = [
  hello + topics + exec('echo "a; b" & status; help') + say({ t: 'unsubscribe', topics: ['hooks'] }),
  hello + exec('hook list') + exec(`hook show ${OPEN_HOOK.id}`) + exec('account') + exec('hook create x "echo 1"'),
  hello + PART + exec('buy $250 BTCUSDT; stop at -2%; orders; positions; cancel all; close all') + exec('runs'),
  hello + exec('set @x 1; set; wait 10ms && hi || echo @x; repeat 3 (echo a; sleep 1ms) & alias hi echo'),
  ...samples.filter(({ t }) => t !== 'hello').map((frame) => hello + say(frame)),
  say({ t: 'hello', clientId: 'stranger', label: '\u202eevil\u0007' }) +
    say({ t: 'client:state', webCrossTradeActive: true }),
  `${hello}${FRAME}\x01{"t":"cmd:${FRAME}\x00exec","id":"a",${FRAME}\x89ping${PART}${FRAME}\x80"command":"echo on"}`,
  `${hello}${FRAME}\x88\x03\xe8bye${hello}`,
  `${hello}${RAW}\x81\xfe\x00\x7e\x01\x02\x03\x04${'a'.repeat(126)}${RAW}\x82\x80\x00\x00\x00\x00`,
  `${RAW}\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00`,
]

const COMMANDS = [
  'help',
  'status',
  'account',
  'account add a paper',
  'account use paper',
  'symbol',
  'ticker',
  'book',
  'balance',
  'positions',
  'orders',
  'trades',
  'hook list',
  'hook show ',
  'hook create ',
  'hook rotate ',
  'hook revoke --all',
  'clients',
  'approve ',
  'exit',
  'listener',
  'set ',
  'unset ',
  'alias ',
  'runs',
  'pause',
  'complete ',
  'login',
  'markets',
]

const DICTIONARY: readonly string[] = [
  PART,
  FRAME,
  RAW,
  TEXT,
  '\x80',
  '\x01',
  '\x02',
  '\x88',
  '\x89',
  '\x8a',
  '\xc1',
  `${FRAME}${TEXT}`,
  hello,
  topics,
  ...[...WORDS, ...COMMANDS, ...Object.keys(CLIENT_SAMPLES)].map(bytesOf),
  ...samples.map((frame) => say(frame)),
  TRUSTED_CLIENT,
  OPEN_HOOK.id,
  '"id":',
  '"command":',
  '"topics":',
  '\xff',
  '\xed\xa0\x80',
  '\x00',
  '\\u0000',
  '\\ud800',
]

export const open: OpenTarget = async () => {
  const listener = new ListenerProcess(process.cwd())
  await listener.start()
  let batches = 0
  let mayRun = { web: false, start: listener.starts }
  let heard = ''
  return {
    units: 'bytes',
    seeds: SEEDS,
    dictionary: DICTIONARY,
    between: FRAME,
    json: true,
    maxLength: 300_000,
    batch: 48,
    concurrency: 16,
    async run(input) {
      const said = encode(input)
      const isTrusted = input.includes(TRUSTED_CLIENT)
      mayRun.web ||= isTrusted
      const { bytes, ended } = await converse(said)
      const frames = readFrames(bytes, ended, Buffer.concat(said).toString('latin1'))
      // A hello with a key is challenged, whoever says it.
      const isStranger = frames.every(({ t }) => t === 'rejected' || t === 'challenge')
      promise(isTrusted || isStranger, 'a stranger is told that it is one, and nothing else')
      const text = JSON.stringify(frames)
      promise(!SECRETS.some((secret) => text.includes(secret)), 'no secret leaves')
      heard += text
    },
    async settle() {
      const told = heard
      heard = ''
      const runs = listener.startedRuns()
      const tokens = tokensNow(listener.directory)
      try {
        await listener.checkAlive()
        promise(!tokens.some((token) => told.includes(token)), 'no token of a hook leaves')
        const isAllowed = runs.every(({ source }) => source === 'web' && mayRun.web)
        promise(isAllowed, 'nothing runs but what a trusted client has sent')
        batches += 1
        if (batches % BATCHES_PER_PROCESS === 0) await listener.restart()
      } finally {
        if (mayRun.start !== listener.starts) mayRun = { web: false, start: listener.starts }
      }
    },
    takeCoverage: () => listener.takeCoverage(),
    close: () => listener.stop(),
  }
}

/** Of the hooks there are by now: clients make some. */
function tokensNow(directory: string): readonly string[] {
  const { hooks } = JSON.parse(readFileSync(join(directory, 'hooks.json'), 'utf8')) as { hooks: { secret: string }[] }
  return hooks.map(({ secret }) => secret)
}

/** The writes that an input stands for. */
function encode(input: string): readonly Buffer[] {
  const writes: Buffer[][] = [[]]
  for (const part of input.split(new RegExp(`(?=[${PART}${FRAME}${RAW}])`))) {
    const bytes = Buffer.from(/^[\ue000-\ue0ff]/.test(part) ? part.slice(1) : part, 'latin1')
    if (part.startsWith(PART)) writes.push([bytes])
    else writes.at(-1)?.push(part.startsWith(FRAME) ? masked(bytes) : bytes)
  }
  return writes.map((pieces) => Buffer.concat(pieces))
}

/** A frame as a client sends it; the mask is zero, which is one like any other. */
function masked(bytes: Buffer): Buffer {
  const payload = bytes.subarray(1)
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10)
  head[0] = bytes[0] ?? 0
  if (head.length === 2) head[1] = 0x80 | payload.length
  else if (head.length === 4) {
    head[1] = 0xfe
    head.writeUInt16BE(payload.length, 2)
  } else {
    head[1] = 0xff
    head.writeBigUInt64BE(BigInt(payload.length), 2)
  }
  return Buffer.concat([head, Buffer.alloc(4), payload])
}

async function converse(said: readonly Buffer[]) {
  const conversation = new Conversation()
  try {
    await conversation.say([Buffer.from(UPGRADE, 'latin1')])
    const { bytes } = await conversation.hear((answer) => answer.includes('\r\n\r\n'), UPGRADE_MS)
    const [status = ''] = bytes.toString('latin1').split('\r\n')
    promise(status === 'HTTP/1.1 101 Switching Protocols', `a sound upgrade is taken, and not: ${status}`)
    conversation.forget(bytes.indexOf('\r\n\r\n') + 4)
    await conversation.say(said)
    return await conversation.hear()
  } finally {
    conversation.close()
  }
}
