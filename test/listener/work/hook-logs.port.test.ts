// What a hook did, as `hook logs` and `hook show` tell it after a restart.
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { fire } from '../../../harness/wire/wire-rows.ts'

async function said({ app }: RunningApp, command: string): Promise<readonly string[]> {
  const lines: string[] = []
  const stop = app.runner.addSink({ output: (_run, kind, text) => void lines.push(`${kind} ${text}`) })
  await app.runner.run({ runId: crypto.randomUUID(), source: 'exec', command })
  stop()
  return lines
}

describe('the runs of a hook', () => {
  it('are told with their output, newest last, also after a restart, and a test fire is not among them', async () => {
    const first = await startApp()
    const hook = await first.createHook('echo one')
    const name = first.app.ports.hooks.list()[0]?.name ?? ''
    expect((await fire(hook)).status).toBe(200)
    await first.runsDone(1)
    await said(first, `hook test ${name}`)
    await first.app.stop(0)
    const second = await startApp({ directory: first.app.directory })
    expect((await fire(hook)).status).toBe(200)
    await second.runsDone(1)
    const logs = await said(second, `hook logs ${name}`)
    expect(logs.filter((line) => / done in /.test(line))).toHaveLength(2)
    expect(logs.filter((line) => /^print \+\S+ +one$/.test(line))).toHaveLength(2)
    expect(await said(second, `hook logs ${name} --limit 1`)).toHaveLength(2)
    expect((await said(second, `hook show ${name}`)).join('\n')).toMatch(/^24 h +2 fires: 2 ok; median .*, p95 /m)
  })

  it('cannot be followed by a page', async () => {
    const app = await startApp()
    await app.createHook('echo one')
    const name = app.app.ports.hooks.list()[0]?.name ?? ''
    const result = await app.app.runner.run({
      runId: crypto.randomUUID(),
      source: 'web',
      command: `hook logs ${name} --follow`,
    })
    expect(result).toMatchObject({ success: false })
  })
})
