// Fires that come again under the key of their sender (behaviour 46).
import { mkdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../../harness/files/temp-directory.ts'
import { startApp } from '../../../harness/process/running-app.ts'
import { RawClient, rawRequest } from '../../../harness/wire/raw-http.ts'
import type { Hook } from '../../../src/stores/hooks.ts'

function fire({ id, secret }: Hook, more: string, body = ''): string {
  const length = `Content-Length: ${body.length}\r\n\r\n${body}`
  return `POST /hook/${id} HTTP/1.1\r\nHost: 127.0.0.1:53219\r\nX-Hook-Token: ${secret}\r\n${more}${length}`
}

async function runIdOf(bytes: string): Promise<string> {
  const { status, body } = await rawRequest(bytes)
  expect(status).toBe(200)
  return JSON.parse(body).runId
}

describe('a key', () => {
  it('that comes again is answered with the first run, and runs nothing', async () => {
    const { createHook, runsDone, output } = await startApp()
    const hook = await createHook('echo ran')
    const first = await runIdOf(fire(hook, 'Idempotency-Key: a\r\n'))
    expect(await runIdOf(fire(hook, 'idempotency-key: a\r\n'))).toBe(first)
    expect(await runIdOf(fire(hook, 'webhook-id: a\r\n'))).toBe(first)
    expect(await runIdOf(fire(hook, 'webhook-id: other\r\nIdempotency-Key: a\r\n'))).toBe(first)
    expect(await runIdOf(fire(hook, 'Idempotency-Key: b\r\n'))).not.toBe(first)
    const bodyOf = async (key: string) => JSON.parse((await rawRequest(fire(hook, `Idempotency-Key: ${key}\r\n`))).body)
    const accepted = { ok: true, command: 'echo ran' }
    expect(await bodyOf('a')).toEqual({ ...accepted, runId: first, repeat: true })
    expect(await bodyOf('c')).toEqual({ ...accepted, runId: expect.any(String) })
    await runsDone(3)
    expect(output).toEqual(['print ran', 'print ran', 'print ran'])
  })

  it('is of one hook, and without one each fire runs', async () => {
    const { createHook, runsDone } = await startApp()
    const [hook, other] = [await createHook('echo a'), await createHook('echo b', { name: 'other' })]
    const more = 'webhook-id: a\r\n'
    const ids = [fire(hook, more), fire(other, more), fire(hook, ''), fire(hook, ''), fire(hook, 'webhook-id: \r\n')]
    const answered = []
    for (const bytes of ids) answered.push(await runIdOf(bytes))
    expect(new Set(answered).size).toBe(5)
    await runsDone(5)
  })

  it('may be in the body, where the hook declares it, and wins over a header', async () => {
    const { createHook, runsDone, output } = await startApp()
    const hook = await createHook('echo {size:usd<=5} -- {id:key}')
    const first = await runIdOf(fire(hook, '', 'size=1 id=a'))
    expect(await runIdOf(fire(hook, '', '{"id":"a","size":"2"}'))).toBe(first)
    expect(await runIdOf(fire(hook, 'Idempotency-Key: other\r\n', 'size=1 id=a'))).toBe(first)
    expect(await runIdOf(fire(hook, 'Idempotency-Key: a\r\n', 'size=3 id=b'))).not.toBe(first)
    expect((await rawRequest(fire(hook, 'Idempotency-Key: c\r\n', 'size=4'))).status).toBe(422)
    await runsDone(2)
    expect(output).toEqual(['print $1', 'print $3'])
  })

  it('and a time are asked of a hook without slots too; an old alert is skipped, and is the first run of its repeats', async () => {
    const { createHook, runsDone, output, unbegun } = await startApp()
    const hook = await createHook('echo ran -- {id:key} {at:time<=30s}')
    const body = (id: string, ageMs: number) => `id=${id} at=${Date.now() - ageMs}`
    const answer = JSON.parse((await rawRequest(fire(hook, '', body('a', 43_000)))).body)
    expect(answer).toEqual({
      ok: true,
      runId: expect.any(String),
      command: hook.command,
      skipped: expect.stringMatching(/^4\d s old$/),
    })
    const old = answer.runId
    const again = JSON.parse((await rawRequest(fire(hook, '', body('a', 0)))).body)
    expect(again).toEqual({ ok: true, runId: old, command: hook.command, repeat: true })
    await runIdOf(fire(hook, '', body('b', -90_000)))
    await runIdOf(fire(hook, '', body('c', 2_000)))
    await runsDone(1)
    expect(output).toEqual(['print ran'])
    expect(unbegun.map(({ result }) => result)).toEqual([
      { success: false, error: expect.stringMatching(/^skipped: \d+ s old$/), unbegun: 'skipped' },
      {
        success: false,
        error: expect.stringMatching(/^skipped: its time is \d+ s ahead of the clock here$/),
        unbegun: 'skipped',
      },
    ])
  })

  it('of twins that come at once is one run', async () => {
    const { createHook, runsDone, done } = await startApp()
    const hook = await createHook('echo {size:usd<=5}')
    const twin = fire(hook, 'webhook-id: a\r\n', 'size=1')
    const clients = Array.from({ length: 8 }, () => new RawClient())
    await Promise.all(clients.map((client) => client.connected()))
    for (const client of clients) client.send(twin + twin)
    const ids = new Set<string>()
    for (const client of clients) {
      for (const _ of [1, 2]) ids.add(JSON.parse((await client.answer()).body).runId)
    }
    await runsDone(1)
    expect([ids.size, done.length]).toEqual([1, 1])
  })

  it('is known after a restart, and its text is in no file', async () => {
    const directory = tempDirectory()
    const before = await startApp({ directory })
    const hook = await before.createHook('echo ran')
    const first = await runIdOf(fire(hook, 'Idempotency-Key: my-secret-key\r\n'))
    await before.runsDone(1)
    await before.app.stop(0)
    const after = await startApp({ directory })
    expect(await runIdOf(fire(hook, 'Idempotency-Key: my-secret-key\r\n'))).toBe(first)
    expect(after.done).toEqual([])
    expect(readFileSync(join(directory, 'runs.jsonl'), 'utf8')).not.toContain('my-secret-key')
  })

  it('that cannot be written down is refused and runs nothing, and is good again once it can be', async () => {
    const directory = tempDirectory()
    const path = join(directory, 'runs.jsonl')
    mkdirSync(path)
    const app = await startApp({ directory })
    const hook = await app.createHook('echo ran')
    const keyed = fire(hook, 'Idempotency-Key: a\r\n')
    const refused = { status: 503, body: '{"ok":false,"error":"key not written","code":"key-not-written"}' }
    expect(await rawRequest(keyed)).toMatchObject(refused)
    // One without a key promises nothing about a second one.
    await runIdOf(fire(hook, ''))
    await app.runsDone(1)
    expect(app.unbegun.map(({ result }) => result.error)).toEqual(['its key could not be recorded'])
    expect(app.app.runner.counts()).toEqual({ running: 0, waiting: 0 })
    rmdirSync(path)
    const first = await runIdOf(keyed)
    expect(await runIdOf(keyed)).toBe(first)
    await app.runsDone(2)
    expect(app.output).toEqual(['print ran', 'print ran'])
  })

  it('of an alert that was refused is still good', async () => {
    const { createHook, runsDone } = await startApp()
    const hook = await createHook('echo {size:usd<=5}')
    expect((await rawRequest(fire(hook, 'webhook-id: a\r\n', 'size=6'))).status).toBe(422)
    await runIdOf(fire(hook, 'webhook-id: a\r\n', 'size=5'))
    await runsDone(1)
  })
})
