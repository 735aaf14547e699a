// What leaves a line in the audit log of a running hookline (behaviour 49): the operator's answers, edits by pages, config.json edited by hand.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { createHook, LISTENING, post, RunningHookline, run } from '../../harness/process/hookline.ts'
import { startApp } from '../../harness/process/running-app.ts'
import { knock, ORIGIN, WsClient } from '../../harness/wire/ws-client.ts'
import type { AuditEntry } from '../../src/stores/audit-log.ts'

function entriesIn(directory: string): AuditEntry[] {
  try {
    const lines = readFileSync(join(directory, 'audit.jsonl'), 'utf8').trim().split('\n')
    return lines.map((line) => JSON.parse(line) as AuditEntry)
  } catch {
    return []
  }
}

const whatIn = (directory: string) => entriesIn(directory).map(({ what }) => what)

describe('the audit log', () => {
  it('has the answers to questions, with the client and its origin', async () => {
    const { app, directory, questions } = await startApp()
    for (const [decision, frame] of [
      ['approved', 'welcome'],
      ['denied', 'rejected'],
    ] as const) {
      const client = await WsClient.hello({ label: decision })
      await expect.poll(() => questions.at(-1)?.question?.label).toBe(decision)
      await expect.poll(async () => (await app.answer(decision)).outcome, { interval: 50 }).toBe(decision)
      await client.nextFrame(frame)
    }
    await app.stop(0)
    expect(entriesIn(directory)).toMatchObject([
      { what: 'client approve', by: { source: 'repl' }, details: { label: 'approved', origin: ORIGIN } },
      { what: 'client deny', by: { source: 'repl' }, details: { label: 'denied', origin: ORIGIN } },
    ])
  })

  it('has edits and commands of pages, with the client and its origin', async () => {
    const app = await startApp()
    const client = await WsClient.welcomed(app)
    const before = entriesIn(app.directory).length
    client.send({ t: 'mutate:hook', id: 'a', op: 'create', name: 'made', command: 'echo made' })
    await client.nextFrame('mutate:ack')
    client.send({ t: 'cmd:exec', id: 'b', command: 'set @size $250' })
    await client.nextFrame('cmd:done')
    await app.app.stop(0)
    const { clientId } = app.app.ports.trustedClients.list()[0] ?? {}
    expect(entriesIn(app.directory).slice(before)).toMatchObject([
      { what: 'hook create', by: { source: 'web', clientId, origin: ORIGIN }, details: { name: 'made' } },
      { what: 'variable set', by: { source: 'web', clientId, origin: ORIGIN }, details: { text: '$250' } },
    ])
  })

  it('has the switches when config.json is edited, goes bad and is fixed, once each', async () => {
    const app = await startApp()
    const switches = () => entriesIn(app.directory).filter(({ what }) => what === 'switches')
    const remoteExec = () => switches().map(({ details = {} }) => (details.now as { remoteExec: boolean }).remoteExec)
    app.writeConfig({ listener: { remoteExec: false } })
    await expect.poll(remoteExec).toEqual([false])
    app.writeConfig({ listener: { remoteExec: false }, theme: 'dark' })
    app.writeConfig({ theme: 'dark' })
    await expect.poll(remoteExec).toEqual([false, true])
    app.writeConfig({ listener: { remoteexec: false } })
    await expect.poll(remoteExec).toEqual([false, true, false])
    expect(switches()[2]).toMatchObject({
      by: { source: 'file' },
      details: { before: { remoteExec: true }, because: [expect.stringContaining('remoteexec')] },
    })
  })

  it('has the switches that were edited while no hookline ran', async () => {
    const directory = tempDirectory()
    const first = await startApp({ directory, config: { listener: { accountSync: false } } })
    await expect.poll(() => whatIn(directory)).toEqual(['switches'])
    await first.app.stop(0)
    writeFileSync(join(directory, 'config.json'), '{}')
    await startApp({ directory })
    await expect.poll(() => whatIn(directory)).toEqual(['switches', 'switches'])
  })

  it('has nothing of what strangers do: fires, wrong tokens, refused pages, questions', async () => {
    const directory = tempDirectory()
    const hook = await createHook(directory, 'quiet', 'set @last yes; echo ran')
    const before = readFileSync(join(directory, 'audit.jsonl'), 'utf8')
    expect(whatIn(directory)).toEqual(['hook create', 'hook token shown'])
    const listener = await RunningHookline.listening(directory)
    expect((await post(hook.url, hook.token)).status).toBe(200)
    await listener.prints('[hook:quiet] ran')
    expect((await post(hook.url, 'f'.repeat(32))).status).toBe(401)
    expect((await (await knock({ headers: { Origin: 'https://evil.example' } })).answer()).status).toBe(403)
    const stranger = await WsClient.hello({ label: 'stranger' })
    await stranger.nextFrame('rejected')
    listener.signal('SIGTERM')
    await listener.ended()
    expect(readFileSync(join(directory, 'audit.jsonl'), 'utf8')).toBe(before)
    expect(before).not.toContain(hook.token)
  })

  it('that cannot be written stops no approval, and the operator is told', async () => {
    const app = await startApp()
    mkdirSync(join(app.directory, 'audit.jsonl'))
    const client = await WsClient.hello({ label: 'Console' })
    await expect.poll(() => app.questions.at(-1)?.question?.label).toBe('Console')
    await expect.poll(async () => (await app.app.answer('approved')).outcome, { interval: 50 }).toBe('approved')
    await client.nextFrame('welcome')
    await expect.poll(() => app.warnings.join()).toContain('the last action is not in the audit log: cannot write')
  })
})

describe('hookline audit', () => {
  it('lists, and verifies with exit status 0, or 1 once a line was taken out', async () => {
    const directory = tempDirectory()
    await createHook(directory, 'dip', 'echo x')
    const listed = await run(directory, ['audit'])
    expect([listed.code, listed.stdout]).toEqual([0, expect.stringContaining('hook token shown')])
    expect(await run(directory, ['audit', 'verify'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^2 entries are as written; the last hash is [0-9a-f]{64}\n$/),
    })
    const path = join(directory, 'audit.jsonl')
    writeFileSync(path, readFileSync(path, 'utf8').split('\n').slice(1).join('\n'))
    expect(await run(directory, ['audit', 'verify'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('audit.jsonl, line 1: entry 1 is missing before it'),
    })
    rmSync(path)
    expect((await run(directory, ['audit', 'verify'])).stderr).toContain('entries 1 to 2 are missing at the end')
  })

  it('starts nothing: a plain start makes no audit log', async () => {
    const directory = tempDirectory()
    const hookline = new RunningHookline(directory)
    await hookline.prints(LISTENING)
    hookline.say('exit')
    await hookline.ended()
    expect(whatIn(directory)).toEqual([])
  })
})
