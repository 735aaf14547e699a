// Copying as a page sets it up: a pair checked in hookline's words, written without ever being turned on, and what its copiers ordered.
import { describe, expect, it } from 'vitest'
import { type RunningApp, startApp } from '../../../harness/process/running-app.ts'
import { crossTradeConfig, replaceFile } from '../../../harness/wire/wire-rows.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'

async function start() {
  const app = await startApp()
  for (const name of ['swing', 'scalp']) await app.app.ports.accounts.add({ name, exchange: 'paper' })
  const client = await WsClient.welcomed(app, { label: 'Console' })
  const check = async (typed: object) => {
    client.send({ t: 'copy:check', id: 'k', ...typed })
    return client.nextFrame('copy:checked')
  }
  return { app, client, check }
}

const rowsOf = ({ app }: RunningApp) => app.ports.crossTrade.list()

describe('copy:check', () => {
  it('reads a pair as the prompt would, and gives the row to be written', async () => {
    const { check } = await start()
    const typed = { masterAccount: 'paper', masterSymbol: 'btc', account: 'swing', weight: '-0.50', slippage: '' }
    const { problems, config } = await check(typed)
    expect(problems).toEqual([])
    expect(config).toMatchObject({
      masterAccount: 'paper',
      masterSymbol: expect.stringMatching(/^BTC/),
      masterWeight: 1,
      copiers: [{ account: 'swing', weight: -0.5, mode: 'Market' }],
    })
    expect(config).not.toHaveProperty('enabled')
  })

  it.each([
    [{ masterAccount: 'paper', account: 'swing', weight: '0' }, 'weight', /`0` is not a weight/],
    [{ masterAccount: 'paper', account: 'swing', weight: 'half' }, 'weight', /`half` is not a weight/],
    [{ masterAccount: 'paper', account: 'paper' }, 'account', /account paper would copy itself/],
    [{ masterAccount: 'paper', account: 'nobody' }, 'account', /no account nobody found/],
    [{ masterAccount: 'nobody', account: 'swing' }, 'masterAccount', /no account nobody found/],
    [{ masterAccount: 'paper', account: 'swing', symbol: 'ETHUSDT' }, 'symbol', /names no symbol of paper/],
    [{ masterAccount: 'paper', account: 'swing', mode: 'Fast' }, 'mode', /`Fast` is not a mode/],
    [
      { masterAccount: 'paper', account: 'swing', mode: 'LimitSlippage', slippage: '90%' },
      'slippage',
      /`90%` is not a slippage/,
    ],
    [{ configId: crypto.randomUUID(), account: 'swing' }, 'configId', /the row is gone/],
  ])('says of %j at the field %s why not', async (typed, field, why) => {
    const { check } = await start()
    const { problems, config } = await check(typed)
    expect(problems).toEqual([{ field, why: expect.stringMatching(why) }])
    expect(config).toBeUndefined()
  })

  it('knows the rows beside it: a circle, and an account that two would order for', async () => {
    const { app, check } = await start()
    const copiers = [{ account: 'swing', weight: 1, mode: 'Market' }]
    const row = crossTradeConfig({ masterAccount: 'paper', copiers })
    replaceFile(app.directory, 'cross-trade.json', { configs: [row] })
    expect((await check({ masterAccount: 'swing', account: 'paper' })).problems).toEqual([
      { field: 'account', why: expect.stringMatching(/copies swing, which copies it in turn/) },
    ])
    expect((await check({ masterAccount: 'scalp', account: 'swing' })).problems).toEqual([
      { field: 'account', why: expect.stringMatching(/ordered by more than one copier/) },
    ])
    const changed = await check({ configId: row.id, account: 'swing', weight: '2' })
    expect(changed.config).toMatchObject({ id: row.id, copiers: [{ account: 'swing', weight: 2 }] })
  })
})

describe('a row written without `enabled`', () => {
  it('is off when it is new, and never turned on again by a page that saw it on', async () => {
    const { app, client, check } = await start()
    const { config } = await check({ masterAccount: 'paper', account: 'swing' })
    client.send({ t: 'mutate:cross-trade-config', id: 'm', op: 'upsert', config })
    expect(await client.nextFrame('mutate:ack')).toMatchObject({ data: { enabled: false } })
    const [row] = rowsOf(app)
    if (row === undefined) throw new Error('no row was written')
    const { updatedAt: _, ...fields } = row
    await app.app.ports.crossTrade.merge({ ...fields, enabled: true })
    const edit = { ...config, copiers: [{ account: 'swing', weight: 2, mode: 'Market' }] }
    client.send({ t: 'mutate:cross-trade-config', id: 'n', op: 'upsert', config: edit })
    expect(await client.nextFrame('mutate:ack')).toMatchObject({ data: { enabled: true } })
    await app.app.ports.crossTrade.merge({ ...fields, enabled: false })
    client.send({ t: 'mutate:cross-trade-config', id: 'o', op: 'upsert', config: edit })
    expect(await client.nextFrame('mutate:ack')).toMatchObject({ data: { enabled: false, copiers: [{ weight: 2 }] } })
  })
})

describe('copies:query', () => {
  it('gives what a copier ordered and what came of it, and nothing while accounts are hidden', async () => {
    const { app, client } = await start()
    const type = (command: string) => app.app.runner.run({ runId: crypto.randomUUID(), source: 'repl', command })
    await type('cross-trade add --master paper --symbol BTCUSDT --copier swing --weight 0.5 --enabled')
    client.send({ t: 'copies:query', id: 'none' })
    expect(await client.nextFrame('copies:page')).toEqual({ t: 'copies:page', id: 'none', copies: [] })
    await type('cross-trade start')
    client.send({ t: 'subscribe', topics: ['cross-trade'] })
    await type('buy 0.02 BTCUSDT')
    const isBuilt = ({ copiers = [] }: { copiers?: readonly { owned: string }[] }) => copiers[0]?.owned === '0.01'
    while (!isBuilt(await client.nextFrame('state:cross-trade')));
    client.send({ t: 'copies:query', id: 'one' })
    const { copies } = await client.nextFrame('copies:page')
    const [row] = rowsOf(app)
    expect(copies).toMatchObject([
      { configId: row?.id, account: 'swing', symbol: 'BTCUSDT', side: 'buy', amount: '0.01', state: 'closed' },
    ])
    app.writeConfig({ listener: { accountSync: false } })
    client.send({ t: 'copies:query', id: 'off' })
    expect(await client.nextFrame('error')).toEqual({ t: 'error', id: 'off', error: 'accountSync disabled' })
  })
})
