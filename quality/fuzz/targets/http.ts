// Raw bytes at the built listener: requests that no sound client sends, one after another, in any pieces. In an input U+E000 parts
// writes, and U+E001 says that nothing more comes.
import { Conversation } from '../conversation.ts'
import { readAnswers } from '../http-answers.ts'
import { CLOSED_HOOK, ListenerProcess, OPEN_HOOK, ORIGIN, SECRETS } from '../listener-process.ts'
import { type OpenTarget, promise } from '../target.ts'

const PART = '\ue000'
const FINISH = '\ue001'
const HOST = 'Host: 127.0.0.1:53219'
/** Then the listener is started anew, with a directory as it was. */
const BATCHES_PER_PROCESS = 200

const request = (line: string, ...headers: readonly string[]) => `${[line, HOST, ...headers].join('\r\n')}\r\n\r\n`
const fire = (...headers: readonly string[]) => request(`POST /hook/${OPEN_HOOK.id} HTTP/1.1`, ...headers)
const TOKEN = `X-Hook-Token: ${OPEN_HOOK.token}`
const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket', `Origin: ${ORIGIN}`]
const WEB_SOCKET = [...UPGRADE, 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']

const SEEDS = [
  request('GET /health HTTP/1.1', `Origin: ${ORIGIN}`),
  request('GET /health HTTP/1.1') + request('HEAD /health?x HTTP/1.1') + request('OPTIONS * HTTP/1.1'),
  `${fire(TOKEN, 'Content-Length: 4')}body`,
  `${fire(TOKEN, 'Transfer-Encoding: chunked')}4;a=b\r\nbody\r\n${PART}0\r\nTrailer: x\r\n\r\n`,
  fire('X-Hook-Token: wrong', 'Connection: close') + FINISH,
  `${fire(TOKEN, 'Expect: 100-continue', 'Content-Length: 2')}${PART}{}`,
  request(`POST /hook/${CLOSED_HOOK.id} HTTP/1.1`, `X-Hook-Token: ${CLOSED_HOOK.token.slice(1)}0`),
  `${request('GET /ws HTTP/1.1', ...WEB_SOCKET)}${PART}\x81\x80\x00\x00\x00\x00`,
  request('GET /ws HTTP/1.1', 'Connection: Upgrade', 'Upgrade: websocket', 'Origin: null'),
  request('GET /health HTTP/1.1', 'Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMA'),
  'GET /health HTTP/1.0\r\n\r\n',
  `GET http://evil.example/health HTTP/1.1\r\n${HOST}\r\n${HOST}\r\n\r\n`,
  `GE${PART}T /health HT${PART}TP/1.1\r\nHo${PART}st: localhost:53219\r${PART}\n\r\n`,
]

const DICTIONARY = [
  'GET ',
  'POST ',
  'HEAD ',
  'PUT ',
  'OPTIONS ',
  'CONNECT ',
  'TRACE ',
  'PRI * HTTP/2.0',
  ' HTTP/1.1',
  ' HTTP/1.0',
  ' HTTP/2',
  '/health',
  '/ws',
  '/hook/',
  `/hook/${OPEN_HOOK.id}`,
  `/hook/${CLOSED_HOOK.id}`,
  '/..%2f',
  '*',
  '?a=b',
  '#',
  '//',
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  ' ',
  '\t',
  ': ',
  ',',
  ';',
  '\0',
  '\x7f',
  '\xff',
  PART,
  FINISH,
  HOST,
  TOKEN,
  'Host: evil.example',
  'Connection: close',
  'Connection: keep-alive',
  'Connection: Upgrade',
  'Upgrade: h2c',
  'Upgrade: websocket',
  'Upgrade: TLS/1.0',
  'Content-Length: 0',
  'Content-Length: 5',
  'Content-Length: -1',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: gzip, chunked',
  'Expect: 100-continue',
  'Expect: a',
  'TE: trailers',
  '0\r\n\r\n',
  '5\r\nhello\r\n',
  'ffffffff\r\n',
  `Origin: ${ORIGIN}`,
  'Origin: null',
  'Sec-WebSocket-Key: a',
  'X-Forwarded-For: 1',
  'X-Hook-Token: ',
  'Range: bytes=0-',
  'Trailer: a',
  'a'.repeat(17_000),
  request('GET /health HTTP/1.1'),
  ...WEB_SOCKET,
]

export const open: OpenTarget = async () => {
  const listener = new ListenerProcess(process.cwd())
  await listener.start()
  let batches = 0
  let counted = { tokens: 0, runs: 0, start: listener.starts }
  return {
    units: 'bytes',
    seeds: SEEDS,
    dictionary: DICTIONARY,
    between: '\r\n',
    maxLength: 100_000,
    batch: 64,
    concurrency: 16,
    async run(input) {
      counted.tokens += asHeard(input).split(OPEN_HOOK.token).length - 1
      const { bytes, ended } = await converse(input)
      const said = bytes.toString('latin1')
      promise(!SECRETS.some((secret) => said.includes(secret)), 'no secret leaves')
      for (const { status, body } of readAnswers(said, ended, input.includes('HEAD'))) {
        if (status !== 200 || !body.includes('runId')) continue
        promise(asHeard(input).includes(OPEN_HOOK.token), 'no fire is accepted without its token')
      }
    },
    async settle() {
      const runs = listener.startedRuns()
      counted.runs += runs.length
      try {
        await listener.checkAlive()
        const isOpen = runs.every(({ hook }) => hook === OPEN_HOOK.id)
        promise(isOpen, 'nothing runs but the hook whose token was sent')
        promise(counted.runs <= counted.tokens, 'there are no more runs than tokens')
        batches += 1
        if (batches % BATCHES_PER_PROCESS === 0) await listener.restart()
      } finally {
        if (counted.start !== listener.starts) counted = { tokens: 0, runs: 0, start: listener.starts }
      }
    },
    takeCoverage: () => listener.takeCoverage(),
    close: () => listener.stop(),
  }
}

/** Without the marks, and so without what they part. */
function asHeard(input: string): string {
  return input.replaceAll(PART, '').replaceAll(FINISH, '')
}

async function converse(input: string) {
  const [spoken = '', ...unspoken] = input.split(FINISH)
  const conversation = new Conversation()
  try {
    await conversation.say(spoken.split(PART).map((piece) => Buffer.from(piece, 'latin1')))
    if (unspoken.length > 0) conversation.finish()
    return await conversation.hear()
  } finally {
    conversation.close()
  }
}
