// Orders over a limit, from outside: a fire and a line of a page have nobody to ask, so they are refused in words, and nothing is sent
// (behaviour 40).
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { fire } from '../../../harness/wire/wire-rows.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'

const WHY = /the order is worth \$\d+\.\d\d, and the limit is \$100\.00/

async function limited(): Promise<RunningApp> {
  const app = await startApp()
  await app.app.ports.guards.setLimits('paper', { order: '100' })
  return app
}

const linesOf = ({ directory }: RunningApp, name: string) =>
  readFileSync(join(directory, name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))

async function heldBy({ app }: RunningApp): Promise<number> {
  const { venue } = await app.ports.connect('paper')
  return (await venue.fetchPositions()).length
}

it('a fire over the limit of an order is accepted, refused in words to the operator, and journalled as failed', async () => {
  const app = await limited()
  const hook = await app.createHook('buy $1000 BTCUSDT; echo after')
  const { status, body } = await fire(hook)
  expect(status).toBe(200)
  await app.runsDone(1)
  expect(app.output[0]).toMatch(WHY)
  expect(app.output).not.toContain('print after')
  expect(app.done[0]?.result).toMatchObject({ success: false, error: expect.stringMatching(WHY) })
  const ended = () => linesOf(app, 'runs.jsonl').find(({ t, runId }) => t === 'done' && runId === body.runId)
  await expect.poll(ended).toMatchObject({ ok: false, error: expect.stringMatching(WHY) })
  const outcomes = () => linesOf(app, 'orders.jsonl').filter(({ t }) => t === 'outcome')
  await expect.poll(outcomes).toMatchObject([{ outcome: 'refused', code: 'guarded' }])
  expect(await heldBy(app)).toBe(0)
})

it('a line of a page over the limit of an order is answered with the reason, once, and nothing is sent', async () => {
  const app = await limited()
  const client = await WsClient.welcomed(app)
  client.send({ t: 'cmd:exec', id: 'a', command: 'buy $1000 BTCUSDT' })
  expect(await client.nextFrame()).toMatchObject({
    t: 'cmd:output',
    id: 'a',
    kind: 'error',
    text: expect.stringMatching(WHY),
  })
  expect(await client.nextFrame()).toMatchObject({
    t: 'cmd:done',
    id: 'a',
    success: false,
    error: expect.stringMatching(WHY),
  })
  expect(await heldBy(app)).toBe(0)
})

it('a fire cannot say yes for the operator', async () => {
  const app = await limited()
  const hook = await app.createHook('buy $1000 BTCUSDT --yes')
  await fire(hook)
  await app.runsDone(1)
  expect(app.done[0]?.result.success).toBe(false)
  expect(await heldBy(app)).toBe(0)
})

it('a fire raises no leverage, and lowers it where it is known', async () => {
  const app = await limited()
  const { venue } = await app.app.ports.connect('paper')
  const before = Number((await venue.fetchMargin?.('BTCUSDT'))?.leverage)
  for (const times of [before + 1, before - 1]) await fire(await app.createHook(`leverage ${times} BTCUSDT`))
  await app.runsDone(2)
  expect(app.done.map(({ result }) => result.success).sort()).toEqual([false, true])
  expect((await venue.fetchMargin?.('BTCUSDT'))?.leverage).toBe(String(before - 1))
})

it('a fire under a halt is refused by name of the halt', async () => {
  const app = await limited()
  await app.app.ports.guards.restrict('paper', 'halted', 'a test')
  await fire(await app.createHook('buy $80 BTCUSDT'))
  await app.runsDone(1)
  expect(app.done[0]?.result).toMatchObject({ success: false, error: expect.stringMatching(/halted/) })
  expect(await heldBy(app)).toBe(0)
})
