// Fires whose requests go wrong behind the head: what their senders are told, and how often they run.
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type CreatedHook, createHook, RunningHookline } from '../../harness/process/hookline.ts'
import { RawClient } from '../../harness/wire/raw-http.ts'
import { countOnce, readJournal, runsEnded } from './journal-lines.ts'
import { runIdOf } from './load-fires.ts'
import { scenario } from './scenario.ts'

const BODY = Buffer.from('{"price":"12 €","note":"é"}')
const EACH = 20

/** Header lines behind the token, and what follows the head. */
const FAULTS: Readonly<Record<string, readonly [headers: string, body: Buffer | string]>> = {
  'a length in characters': [`Content-Length: ${BODY.toString().length}\r\n`, BODY],
  'a length of 0 before a body': ['Content-Length: 0\r\n', BODY],
  'no length before a body': ['', BODY],
  'a bad chunk size': ['Transfer-Encoding: chunked\r\n', 'zz\r\na\r\n'],
  'a chunk longer than it says': ['Transfer-Encoding: chunked\r\n', '2\r\nabcd\r\n0\r\n\r\n'],
  'a byte behind `Connection: close`': ['Connection: close\r\nContent-Length: 0\r\n', 'X'],
  'a second request with too long a head': [
    'Content-Length: 0\r\n',
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`,
  ],
  'a body cut short by the end': ['Content-Length: 100\r\n', 'abc'],
}

/** @returns the run that the sender was told; undefined: it was not told 200 */
async function fireBadly(hook: CreatedHook, headers: string, body: Buffer | string): Promise<string | undefined> {
  const head = `POST /hook/${hook.id} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nX-Hook-Token: ${hook.token}\r\n${headers}\r\n`
  const client = await new RawClient().connected()
  client.socket.end(Buffer.concat([Buffer.from(head), Buffer.from(body)]))
  const answer = await client.answer().catch(() => undefined)
  client.close()
  return answer?.status === 200 ? runIdOf(answer) : undefined
}

scenario(
  'owed',
  `fires go wrong behind their head in ${Object.keys(FAULTS).length} ways, ${EACH} times each`,
  'each fire that runs is told 200 with its run, and runs once',
  async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'h', 'echo ok')
    await RunningHookline.listening(directory)
    const told: string[] = []
    for (const [headers, body] of Object.values(FAULTS)) {
      for (let count = 0; count < EACH; count++) {
        const runId = await fireBadly(hook, headers, body)
        if (runId !== undefined) told.push(runId)
      }
    }
    const once = countOnce(await runsEnded(directory, told), told)
    const started = readJournal(directory).lines.filter(({ t }) => t === 'start').length
    const sent = Object.keys(FAULTS).length * EACH
    return {
      got: `of ${sent} fires ${started} ran, ${told.length} were told 200, ${once} of these ran once`,
      holds: started === sent && told.length === sent && once === sent,
    }
  },
)
