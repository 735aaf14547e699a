// What a page may type: the same offers and the same words as at the prompt.
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import { WIRE_LIMITS } from '../../../src/protocol/frames.ts'

async function start(options: Parameters<typeof startApp>[0] = {}) {
  const app = await startApp(options)
  const client = await WsClient.welcomed(app)
  let asked = 0
  const complete = async (line: string, more: object = {}) => {
    const id = `c${++asked}`
    client.send({ t: 'complete', id, line, cursor: line.length, ...more })
    const answer = await client.nextFrame('complete:ok')
    expect(answer.id).toBe(id)
    return answer
  }
  const labels = async (line: string, more: object = {}) => (await complete(line, more)).items.map(({ label }) => label)
  return { app, client, complete, labels }
}

describe('complete', () => {
  it('offers commands with what they do, forms, hooks, accounts and flags', async () => {
    const { app, complete, labels } = await start()
    await app.createHook('echo ok', { name: 'dip' })
    await app.app.ports.accounts.add({ name: 'second', exchange: 'paper' })
    const answer = await complete('bu')
    expect(answer).toMatchObject({ from: 0, items: [{ text: 'bump ' }, { text: 'buy ', label: 'buy' }] })
    expect(answer.items[1]?.detail).toMatch(/\w/)
    expect(await labels('echo a; hook sh')).toEqual(['show'])
    expect(await labels('runs show d')).toEqual(['dip'])
    expect(await labels('account use s')).toEqual(['second'])
    expect(await labels('halt --f')).toEqual(['--flatten'])
    expect((await complete('halt --f')).from).toBe(5)
  })

  it('offers the symbols of the account once they are known, and brings no second space', async () => {
    const { complete } = await start()
    await expect.poll(async () => (await complete('symbol BT')).items).toEqual([{ text: 'BTCUSDT ', label: 'BTCUSDT' }])
    const within = await complete('buy $5 BT now', { cursor: 9 })
    expect(within).toMatchObject({ from: 7, items: [{ text: 'BTCUSDT' }] })
  })

  it.each([
    ['an unknown command', 'bui $250', 1],
    ['an argument that is wrong', 'buy $250 BTCUSDT at what ever', 21],
    ['an open quote', 'echo "x', 6],
    ['a command for the terminal alone', 'echo a; exit', 9],
  ])('says what the prompt would say of %s, and where', async (_what, line, column) => {
    const { app, client, complete } = await start()
    const { error } = await complete(line)
    expect(error?.column).toBe(column)
    client.send({ t: 'cmd:exec', id: 'run', command: line })
    const done = await client.nextFrame('cmd:done')
    expect(done.error).toContain(error?.message)
    expect(app.done.at(-1)?.result.success).toBe(false)
  })

  it('knows nothing against a good line, an empty one, an alias and a variable', async () => {
    const { app, complete } = await start()
    await app.app.runner.run({ runId: crypto.randomUUID(), source: 'repl', command: 'alias dip "buy $250"' })
    for (const line of ['', '  ', 'buy $250 BTCUSDT stop -2%', 'dip', 'buy @size'])
      expect((await complete(line)).error).toBeUndefined()
  })

  it('reads the body of a hook with its slots where it is one', async () => {
    const { complete } = await start()
    const line = 'buy {size:usd<=500} {symbol:in(BTCUSDT)}'
    expect((await complete(line)).error).toBeDefined()
    expect((await complete(line, { hook: true })).error).toBeUndefined()
    expect((await complete('buy {size:usd}', { hook: true })).error?.column).toBe(11)
  })

  it('tells no accounts while they are hidden, runs nothing while nothing may run, and is bounded', async () => {
    const { app, client, labels, complete } = await start({
      config: { listener: { remoteExec: false, accountSync: false } },
    })
    expect(await labels('account use ')).toEqual([])
    expect(await labels('bu')).toEqual(['bump', 'buy'])
    for (let n = 0; n < 150; n += 1) await app.app.ports.hooks.create({ name: `h${n}`, command: 'echo' })
    const many = await complete('runs show ')
    expect(many.items).toHaveLength(WIRE_LIMITS.completions)
    expect(many.more).toBe(50)
    const line = 'x; '.repeat(2_700)
    expect((await complete(line, { cursor: 1 })).error).toMatchObject({ column: 1 })
    client.send({ t: 'complete', id: 'long', line: 'x'.repeat(8_193), cursor: 1 })
    expect(await client.nextFrame('error')).toMatchObject({
      id: 'long',
      error: '`line` must be at most 8192 characters',
    })
    expect(app.done).toEqual([])
  })
})
