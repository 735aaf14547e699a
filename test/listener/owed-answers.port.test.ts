// A fire that runs is answered 200, whatever follows it on its connection (behaviour 3): a sender that is told 400 sends again.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../harness/process/running-app.ts'
import { RawClient } from '../../harness/wire/raw-http.ts'

const HOST = 'Host: 127.0.0.1:53219\r\n'
const BODY = Buffer.from('{"price":"12 €","note":"é"}')

interface Case {
  /** Behind `X-Hook-Token`, up to the empty line. */
  readonly headers: string
  readonly body: Buffer | string
  /** What follows the 200. */
  readonly next: number | 'the end'
}

const CASES: Record<string, Case> = {
  'a Content-Length that counts characters': {
    headers: `Content-Length: ${BODY.toString().length}\r\n`,
    body: BODY,
    next: 400,
  },
  'a Content-Length of 0 before a body': { headers: 'Content-Length: 0\r\n', body: BODY, next: 400 },
  'no Content-Length before a body': { headers: '', body: BODY, next: 400 },
  'a chunk size that is not a number': { headers: 'Transfer-Encoding: chunked\r\n', body: 'zz\r\na\r\n', next: 400 },
  'a chunk that is longer than it says': {
    headers: 'Transfer-Encoding: chunked\r\n',
    body: '2\r\nabcd\r\n0\r\n\r\n',
    next: 400,
  },
  'a chunk with an endless extension': {
    headers: 'Transfer-Encoding: chunked\r\n',
    body: `2;${'x'.repeat(17_000)}\r\nab\r\n0\r\n\r\n`,
    next: 413,
  },
  'a byte after `Connection: close`': {
    headers: 'Connection: close\r\nContent-Length: 0\r\n',
    body: 'X',
    next: 'the end',
  },
  'a head that is too long': {
    headers: 'Content-Length: 0\r\n',
    body: `GET /health HTTP/1.1\r\n${HOST}X: ${'x'.repeat(17_000)}\r\n\r\n`,
    next: 431,
  },
}

async function firing({ headers, body }: Pick<Case, 'headers' | 'body'>) {
  const running = await startApp()
  const hook = await running.createHook('echo ok')
  const head = `POST /hook/${hook.id} HTTP/1.1\r\n${HOST}X-Hook-Token: ${hook.secret}\r\n${headers}\r\n`
  return { ...running, bytes: Buffer.concat([Buffer.from(head), Buffer.from(body)]) }
}

/** The runs of hooks in the journal. */
function startedRuns(directory: string): number {
  const journal = readFileSync(join(directory, 'runs.jsonl'), 'utf8')
  return journal.split('\n').filter((line) => line.includes('"t":"start"')).length
}

describe('a fire that runs', () => {
  it.each(Object.entries(CASES))('is answered 200 before %s is', async (_name, { next, ...request }) => {
    const { bytes, runsDone, directory } = await firing(request)
    const client = new RawClient().send(bytes)
    expect((await client.answer()).status).toBe(200)
    if (next !== 'the end') expect((await client.answer()).status).toBe(next)
    expect(await client.ended()).toBe('')
    await runsDone(1)
    expect(startedRuns(directory)).toBe(1)
  })

  it.each(['in one packet', 'later'])('is answered 200 when its sender ends its side %s', async (when) => {
    const { bytes, runsDone, directory } = await firing({ headers: 'Content-Length: 0\r\n', body: '' })
    const client = await new RawClient().connected()
    client.send(bytes)
    if (when === 'later') client.socket.once('data', () => client.socket.end())
    else client.socket.end()
    expect((await client.answer()).status).toBe(200)
    expect(await client.ended()).toBe('')
    await runsDone(1)
    expect(startedRuns(directory)).toBe(1)
  })

  it('is answered 200 when its body is cut short by the end', async () => {
    const { bytes, runsDone } = await firing({ headers: 'Content-Length: 100\r\n', body: 'abc' })
    const client = await new RawClient().connected()
    client.socket.end(bytes)
    expect((await client.answer()).status).toBe(200)
    await runsDone(1)
  })
})

describe('behind a fault', () => {
  it('nothing is heard: no fire runs', async () => {
    const { bytes, runsDone, directory } = await firing({ headers: 'Content-Length: 0\r\n', body: 'garbage\r\n\r\n' })
    const client = new RawClient().send(Buffer.concat([bytes, bytes]))
    expect((await client.answer()).status).toBe(200)
    expect((await client.answer()).status).toBe(400)
    expect(await client.ended()).toBe('')
    await runsDone(1)
    expect(startedRuns(directory)).toBe(1)
  })
})

describe('what is not HTTP at all', () => {
  it.each(['\r\n\r\nhello\r\n\r\n', '\x16\x03\x01\x02\x00\x01', 'GET\r\n\r\n'])(
    'is answered 400: %j',
    async (bytes) => {
      await startApp()
      const client = new RawClient().send(bytes)
      expect((await client.answer()).status).toBe(400)
      expect(await client.ended()).toBe('')
    },
  )
})
