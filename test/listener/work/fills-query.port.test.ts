// Fills, profit and equity of an account, asked by a page: the same figures as `fills` and `pnl` print.
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import { defined } from '../../../src/base/defined.ts'
import type { FillRow, Frame } from '../../../src/protocol/frames.ts'

async function start(options: Parameters<typeof startApp>[0] = {}) {
  const app = await startApp(options)
  const client = await WsClient.welcomed(app, { label: 'Console' })
  const type = (command: string) => app.app.runner.run({ runId: crypto.randomUUID(), source: 'repl', command })
  return { app, client, type }
}

describe('fills:query', () => {
  it('gives own fills newest first, with who ordered each and what it realized, page by page', async () => {
    const { app, client, type } = await start()
    await type('buy 0.1 BTCUSDT')
    client.send({ t: 'cmd:exec', id: 'c', command: 'buy 0.2 BTCUSDT; buy 1.0 ETHUSDT' })
    await client.nextFrame('cmd:done')
    const hook = await app.createHook('close BTCUSDT', { name: 'out' })
    app.fire(hook)
    await app.runsDone(3)
    const all: FillRow[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      client.send({ t: 'fills:query', id: `q${pages}`, limit: 2, ...defined({ cursor }) })
      const page: Frame<'fills:page'> = await client.nextFrame('fills:page')
      expect(page).toMatchObject({ id: `q${pages}`, account: 'paper' })
      all.push(...page.fills)
      cursor = page.next
      pages += 1
    } while (cursor !== undefined)
    const keys = all.map(({ symbol, orderId, id }) => `${symbol}/${orderId}/${id}`)
    expect(new Set(keys).size).toBe(all.length)
    expect(all.map(({ timestamp }) => timestamp)).toEqual(
      all.map(({ timestamp }) => timestamp).toSorted((a, b) => b - a),
    )
    const sources = new Set(all.map(({ source, origin }) => `${source}:${origin ?? ''}`))
    expect(sources).toEqual(new Set(['repl:', 'web:Console', 'hook:out']))
    const closing = all.filter(({ hookId }) => hookId === hook.id)
    expect(closing.length).toBeGreaterThan(0)
    for (const fill of closing) expect(fill).toMatchObject({ side: 'sell', pnlCurrency: 'USDT' })

    client.send({ t: 'fills:query', id: 'f', filters: { source: 'web', symbol: 'ethusdt' } })
    const { fills } = await client.nextFrame('fills:page')
    expect(new Set(fills.map(({ symbol }) => symbol))).toEqual(new Set(['ETHUSDT']))
    client.send({ t: 'fills:query', id: 'h', filters: { hookId: 'OUT' } })
    expect((await client.nextFrame('fills:page')).fills).toEqual(closing)
    client.send({ t: 'fills:query', id: 'n', filters: { from: Date.now() + 60_000 } })
    expect((await client.nextFrame('fills:page')).fills).toEqual([])
  })

  it('answers what it cannot by an error: an account that is not there, a place that was never given', async () => {
    const { client } = await start()
    client.send({ t: 'fills:query', id: 'a', account: 'nobody' })
    expect(await client.nextFrame('error')).toMatchObject({
      id: 'a',
      error: expect.stringMatching(/no account nobody/),
    })
    for (const cursor of ['x', 'f1.1', 'r1.1.1', `f1.${'9'.repeat(30)}.1`, 'f1.-1.0']) {
      client.send({ t: 'fills:query', id: 'b', cursor })
      expect((await client.nextFrame('error')).error).toMatch(/invalid `cursor`/)
    }
    client.send({ t: 'fills:query', id: 'c', cursor: 'f1.999999999999999.999999' })
    expect((await client.nextFrame('fills:page')).fills).toEqual([])
  })
})

describe('pnl:query', () => {
  it('adds up to the same by any grouping, and is what the command prints', async () => {
    const { client, type } = await start()
    await type('buy 0.1 BTCUSDT; close BTCUSDT; buy 1.0 ETHUSDT; close ETHUSDT')
    const totals: Frame<'pnl:page'>['total'][] = []
    for (const by of ['day', 'symbol', 'hook', 'account'] as const) {
      client.send({ t: 'pnl:query', id: by, by })
      const page = await client.nextFrame('pnl:page')
      expect(page).toMatchObject({ id: by, by, accounts: ['paper'] })
      totals.push(page.total)
      if (by === 'symbol') expect(page.groups.map(({ key }) => key)).toEqual(['BTCUSDT', 'ETHUSDT'])
      if (by === 'hook') expect(page.groups.map(({ key }) => key)).toEqual(['repl'])
    }
    expect(totals.every((total) => JSON.stringify(total) === JSON.stringify(totals[0]))).toBe(true)
    expect(totals[0]?.sums[0]).toMatchObject({ currency: 'USDT', net: expect.stringMatching(/^-?\d/) })
    client.send({ t: 'pnl:query', id: 'one', by: 'day', symbol: 'ETHUSDT' })
    const one = await client.nextFrame('pnl:page')
    expect(one.total.fills).toBeLessThan(totals[0]?.fills ?? 0)
    for (const { key } of one.groups) expect(key).toMatch(/^\d{4}-\d\d-\d\d$/)
  })

  it('counts days in the zone that is asked for, and says so; what is no zone is refused', async () => {
    const { client, type } = await start()
    await type('buy 0.1 BTCUSDT; close BTCUSDT')
    const dayOf = async (zone: string) => {
      client.send({ t: 'pnl:query', id: zone, by: 'day', zone })
      const { groups, ...page } = await client.nextFrame('pnl:page')
      expect(page).toMatchObject({ id: zone, zone })
      return groups.map(({ key }) => key)
    }
    // 26 h apart: it is never the same day in both.
    const [east, west] = [await dayOf('Pacific/Kiritimati'), await dayOf('Etc/GMT+12')]
    expect(east).toHaveLength(1)
    expect(String(east[0]) > String(west[0])).toBe(true)
    client.send({ t: 'pnl:query', id: 'bad', by: 'day', zone: 'Mars/Olympus' })
    expect(await client.nextFrame('error')).toMatchObject({
      id: 'bad',
      error: expect.stringMatching(/not a known time zone/),
    })
  })

  it('tells of every account by account, though one does not answer', async () => {
    const { app, client } = await start()
    await app.app.ports.accounts.add({ name: 'dead', exchange: 'bitmex', apiKey: 'k', secret: 's' })
    client.send({ t: 'pnl:query', id: 'a', by: 'account' })
    const { accounts, gaps } = await client.nextFrame('pnl:page')
    expect(accounts).toEqual(['dead', 'paper'])
    expect(gaps.join()).toMatch(/dead: account dead is on bitmex/)
  })
})

describe('equity', () => {
  it('is told by topic and by question, with the points that were written down', async () => {
    const { app, client } = await start()
    await app.app.connect('paper')
    client.send({ t: 'subscribe', topics: ['equity'] })
    expect(await client.nextFrame('state:equity')).toEqual({ t: 'state:equity', accounts: [] })
    const { accounts } = await client.nextFrame('state:equity')
    expect(accounts).toMatchObject([{ account: 'paper', currency: 'USDT', total: expect.stringMatching(/^\d/) }])
    client.send({ t: 'equity:query', id: 'a' })
    const page = await client.nextFrame('equity:page')
    expect(page).toMatchObject({ id: 'a', account: 'paper', currency: 'USDT', since: accounts[0]?.at })
    expect(page.points).toEqual([[accounts[0]?.at, accounts[0]?.total, accounts[0]?.wallet]])
    client.send({ t: 'equity:query', id: 'b', from: Date.now() + 60_000 })
    expect(await client.nextFrame('equity:page')).toEqual({ t: 'equity:page', id: 'b', account: 'paper', points: [] })
  })
})

describe('the topic fills', () => {
  it('tells what there was, and then each fill once with who ordered it', async () => {
    const { client, type } = await start()
    await type('buy 0.01 BTCUSDT')
    client.send({ t: 'subscribe', topics: ['fills'] })
    const { fills: before, part } = await client.nextFrame('state:fills')
    expect(part).toBeUndefined()
    expect(before).toMatchObject([{ account: 'paper', symbol: 'BTCUSDT', side: 'buy', source: 'repl' }])
    client.send({ t: 'cmd:exec', id: 'c', command: 'sell 0.01 BTCUSDT' })
    const news = await client.nextFrame('state:fills')
    expect(news).toMatchObject({ part: true, fills: [{ side: 'sell', source: 'web', origin: 'Console' }] })
  })
})

describe('hidden accounts', () => {
  it('hide their fills, profit and equity, whatever is asked and while it is worked on', async () => {
    const { app, client, type } = await start()
    await type('buy 0.01 BTCUSDT')
    client.send({ t: 'subscribe', topics: ['fills', 'equity'] })
    await client.nextFrame('state:fills')
    client.send({ t: 'pnl:query', id: 'slow', by: 'day' })
    app.writeConfig({ listener: { accountSync: false } })
    for (const t of ['fills:query', 'equity:query', 'pnl:query']) client.send({ t, id: t, by: 'day' })
    client.send({ t: 'subscribe', topics: ['fills', 'equity'] })
    const errors: string[] = []
    while (errors.length < 6) errors.push((await client.nextFrame('error')).error)
    expect(new Set(errors)).toEqual(
      new Set(['accountSync disabled', 'fills: accountSync disabled', 'equity: accountSync disabled']),
    )
    const count = client.received.length
    await type('sell 0.01 BTCUSDT')
    await client.settled()
    expect(client.received.slice(count).join()).not.toContain('state:fills')
  })
})
