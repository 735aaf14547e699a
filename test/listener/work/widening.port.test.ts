// What a page may send that could widen what trades (behaviours 17 and 24). Every frame has a stance here; a new one needs its own.
import { describe, expect, it, vi } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { crossTradeConfig } from '../../../harness/wire/wire-rows.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import { clientFrame } from '../../../src/protocol/frames.ts'

/** `asks`: reads, or says how the page is. `runs`: a line, under what `test/commands/widening.sim.test.ts` says. `edits`: tried below. */
const STANCES: Readonly<Record<string, 'asks' | 'runs' | 'edits'>> = {
  ...of(
    'asks',
    'hello',
    'proof',
    'client:state',
    'subscribe',
    'unsubscribe',
    'preview',
    'complete',
    'hooks:counts',
    'hooks:replay',
    'hooks:test',
  ),
  ...of('asks', 'runs:query', 'runs:show', 'fills:query', 'equity:query', 'pnl:query', 'copies:query', 'copy:check'),
  ...of('asks', 'trades:query', 'orders:query', 'markets:query'),
  ...of('asks', 'propose', 'withdraw'),
  // What was proposed, as it was shown, and by whom it may be: `proposals.port.test.ts`.
  ...of('runs', 'approve', 'deny'),
  // It narrows and revokes, and widens nothing: `client-list.port.test.ts`.
  ...of('asks', 'clients:query'),
  ...of('edits', 'clients:narrow'),
  ...of('asks', 'market:watch', 'market:unwatch', 'portfolio:watch', 'portfolio:unwatch'),
  ...of('runs', 'cmd:exec'),
  ...of('edits', 'mutate:account', 'mutate:hook', 'mutate:cross-trade-config'),
}

function of<Stance extends string>(stance: Stance, ...types: readonly string[]): Readonly<Record<string, Stance>> {
  return Object.fromEntries(types.map((type) => [type, stance]))
}

const SWING = { account: 'swing', weight: 1, mode: 'Market' } as const

async function start() {
  const app = await startApp()
  const { runner, ports } = app.app
  for (const name of ['swing', 'scalp']) await ports.accounts.add({ name, exchange: 'paper' })
  const type = (command: string) => runner.run({ runId: crypto.randomUUID(), source: 'repl', command })
  const client = await WsClient.welcomed(app, { label: 'Console' })
  const upsert = async (config: object) => {
    client.send({ t: 'mutate:cross-trade-config', id: 'm', op: 'upsert', config: config as never })
    return client.nextFrame('mutate:ack')
  }
  const held = async (account: string) => {
    const { venue } = await app.app.ports.connect(account)
    return (await venue.fetchPositions()).map(({ amount }) => amount)
  }
  return { app, client, type, upsert, held }
}

describe('frames of a page', () => {
  it('have a stance each', () => {
    const types = clientFrame.def.options.flatMap(({ shape }) => [...shape.t.def.values] as string[])
    expect(types.sort()).toEqual(Object.keys(STANCES).sort())
  })
})

describe('a row of a page', () => {
  it.each<[string, readonly string[]]>([
    ['', []],
    [' while remoteExec is off', ['switch off remoteExec']],
    [' after a panic', ['panic', 'resume']],
  ])('that is on is kept and acknowledged%s, and copies after a yes at the terminal', async (_, lines) => {
    const { app, type, upsert, held } = await start()
    await type('cross-trade start')
    for (const line of lines) await type(line)
    const config = crossTradeConfig({ enabled: true, masterAccount: 'paper', copiers: [SWING] })
    expect(await upsert(config)).toMatchObject({ data: { enabled: true } })
    await type('buy 0.02 BTCUSDT')
    await vi.waitUntil(async () => (await held('paper')).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await held('swing')).toEqual([])
    expect(app.activities).toContainEqual(expect.objectContaining({ id: config.id, waits: ['the whole row'] }))
    await type(`cross-trade enable ${config.id}`)
    // The row begins with what its master holds then, and copies what comes after.
    const isCopied = async () => {
      await type('buy 0.01 BTCUSDT')
      return (await held('swing')).length > 0
    }
    await vi.waitUntil(isCopied, { timeout: 30_000, interval: 1_000 })
  })
})
