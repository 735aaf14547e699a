// What a hook or a page has begun goes on no further than its source may: its run has ended long ago, and its task is asked for as its runs are.
import { expect, it } from 'vitest'
import { startApp } from '../../harness/process/running-app.ts'
import { ORIGIN } from '../../harness/wire/ws-client.ts'

const TWAP = 'twap buy $3000 BTCUSDT into 30 over 60s'
const CLIENT = 'tab-1-of-this-browser'

async function stage() {
  const running = await startApp({ listen: 'unattended' })
  const { app } = running
  await app.ports.trustedClients.add({ clientId: CLIENT, label: 'tab', origin: ORIGIN })
  const hook = await running.createHook(TWAP)
  const type = (command: string, runId = 'typed') => app.runner.run({ runId, source: 'exec', command })
  const task = () => app.ports.tasks.list()[0]
  const begun = () => expect.poll(() => task()?.status).toBe('running')
  return { ...running, hook, type, task, begun }
}

type Stage = Awaited<ReturnType<typeof stage>>

const OF_THE_HOOK: Readonly<Record<string, (stage: Stage) => unknown>> = {
  'hook revoke': ({ type, hook }) => type(`hook revoke ${hook.name}`),
  'hook rotate': ({ type, hook }) => type(`hook rotate ${hook.name}`),
  'hook pause': ({ type, hook }) => type(`hook pause ${hook.name}`),
  'switch off remoteExec': ({ type }) => type('switch off remoteExec'),
  'switch off enabled': ({ type }) => type('switch off enabled'),
  'runs stop of the hook': ({ type, hook }) => type(`runs stop ${hook.name}`),
  'a config.json with the switches off': ({ writeConfig }) => writeConfig({ listener: { remoteExec: false } }),
}

it.each(Object.entries(OF_THE_HOOK))(
  '%s pauses the twap of the hook, and the terminal lets it go on',
  async (_, stop) => {
    const on = await stage()
    on.fire(on.hook)
    await on.begun()
    await stop(on)
    await expect.poll(() => on.task()?.paused, { timeout: 5_000 }).toBe(true)
    expect(on.task()).toMatchObject({ status: 'running', reason: expect.stringMatching(/stopped: /) })
    const { id = '' } = on.task() ?? {}
    expect(await on.type(`tasks resume ${id}`)).toMatchObject({ success: true })
    await expect.poll(() => on.task()?.paused).not.toBe(true)
    expect((await on.type(`tasks cancel ${id}`)).success).toBe(true)
  },
)

const OF_THE_PAGE: Readonly<Record<string, (stage: Stage) => unknown>> = {
  'clients revoke': ({ type }) => type(`clients revoke ${CLIENT}`),
  'an origin off the list': ({ writeConfig }) =>
    writeConfig({ listener: { allowedOrigins: ['https://other.example'] } }),
}

it.each(Object.entries(OF_THE_PAGE))('%s pauses the twap of the page', async (_, stop) => {
  const on = await stage()
  const { runner } = on.app
  const from = { source: 'web', clientId: CLIENT, pageOrigin: ORIGIN } as const
  expect(await runner.run({ runId: 'of-page', command: TWAP, ...from })).toMatchObject({ success: true })
  await on.begun()
  await stop(on)
  await expect.poll(() => on.task()?.paused, { timeout: 5_000 }).toBe(true)
  expect((await on.type('tasks cancel --all')).success).toBe(true)
})
