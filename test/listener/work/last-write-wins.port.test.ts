// Three clients edit the same rows: in whatever order their edits come in, the same rows stand in the end (behaviour 23).
import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { startApp } from '../../../harness/process/running-app.ts'
import { crossTradeConfig } from '../../../harness/wire/wire-rows.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import '../../../harness/tiers/runs.ts'

const ROWS = 3
const CLIENTS = 3

/** One edit of one row by one client; `rank` says when it was made and orders it among the others in one of two histories. */
interface Edit {
  readonly client: number
  readonly row: number
  readonly value: number
  readonly isDelete: boolean
}

const edit: fc.Arbitrary<Edit> = fc.record({
  client: fc.nat(CLIENTS - 1),
  row: fc.nat(ROWS - 1),
  value: fc.nat(3),
  isDelete: fc.boolean(),
})

/** Edits with the time each was made, none at the same, in two orders of arrival. */
const histories = fc.array(edit, { minLength: 2, maxLength: 8 }).chain((edits) => {
  const timed = edits.map((each, index) => ({ ...each, updatedAt: 1_000 + index }))
  return fc.tuple(fc.shuffledSubarray(timed, { minLength: timed.length }), fc.constant(timed))
})

async function start() {
  const app = await startApp()
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => WsClient.welcomed(app)))
  return { app, ports: app.app.ports, clients, reader: await WsClient.welcomed(app) }
}

async function ask(client: WsClient, frame: object): Promise<void> {
  client.send({ id: randomUUID(), ...frame })
  await client.nextFrame('mutate:ack')
}

/** What must stand: of each row the edit made last, if that is no delete. */
function expected(edits: readonly (Edit & { readonly updatedAt: number })[]) {
  const last = new Map(edits.toSorted((a, b) => a.updatedAt - b.updatedAt).map((each) => [each.row, each]))
  return [...last.values()].filter(({ isDelete }) => !isDelete).toSorted((a, b) => a.row - b.row)
}

describe('edits of three clients in any order', () => {
  it('leave the same accounts', async () => {
    const { clients, ports } = await start()
    const exchanges = ['paper', 'bybit', 'okx', 'kraken']
    let rounds = 0
    await fc.assert(
      fc.asyncProperty(histories, async (orders) => {
        for (const edits of orders) {
          const prefix = `r${++rounds}-`
          for (const { client, row, value, isDelete, updatedAt } of edits) {
            const name = `${prefix}${row}`
            const account = { name, exchange: exchanges[value], ...(row === 0 ? {} : { apiKey: 'k', secret: 's' }) }
            const change = isDelete ? { op: 'delete', name } : { op: 'upsert', account }
            await ask(clients[client] as WsClient, { t: 'mutate:account', ...change, updatedAt })
          }
          const rows = ports.accounts.list().filter(({ name }) => name.startsWith(prefix))
          expect(rows.map(({ name, exchange, apiKey, updatedAt }) => ({ name, exchange, apiKey, updatedAt }))).toEqual(
            expected(edits).map(({ row, value, updatedAt }) => ({
              name: `${prefix}${row}`,
              exchange: exchanges[value],
              apiKey: row === 0 ? undefined : 'k',
              updatedAt,
            })),
          )
        }
      }),
      { numRuns: 25 },
    )
  })

  it('leave the same cross-trade rows', async () => {
    const { clients, reader } = await start()
    await fc.assert(
      fc.asyncProperty(histories, async (orders) => {
        for (const edits of orders) {
          const ids = Array.from({ length: ROWS }, () => randomUUID())
          for (const { client, row, value, isDelete, updatedAt } of edits) {
            const config = crossTradeConfig({ id: ids[row] as string, masterWeight: value, updatedAt })
            const change = isDelete ? { op: 'delete', configId: config.id, updatedAt } : { op: 'upsert', config }
            await ask(clients[client] as WsClient, { t: 'mutate:cross-trade-config', ...change })
          }
          reader.send({ t: 'subscribe', topics: ['cross-trade'] }).send({ t: 'unsubscribe', topics: ['cross-trade'] })
          const { configs } = await reader.nextFrame('state:cross-trade')
          const rows = ids.flatMap((id) => configs.find((config) => config.id === id) ?? [])
          expect(rows.map(({ id, masterWeight, updatedAt }) => ({ id, masterWeight, updatedAt }))).toEqual(
            expected(edits).map(({ row, value, updatedAt }) => ({ id: ids[row], masterWeight: value, updatedAt })),
          )
        }
      }),
      { numRuns: 25 },
    )
  })

  it('sent all at once leave the edit made last', async () => {
    const { clients, ports } = await start()
    for (let edits = 0; edits < 60; edits++) {
      const updatedAt = 1_000 + ((edits * 37) % 60)
      const account = { name: 'a', exchange: updatedAt === 1_059 ? 'okx' : 'bybit' }
      clients[edits % CLIENTS]?.send({ t: 'mutate:account', id: `${edits}`, op: 'upsert', account, updatedAt })
    }
    for (const client of clients) for (let acks = 0; acks < 20; acks++) await client.nextFrame('mutate:ack')
    expect(ports.accounts.find('a')).toMatchObject({ exchange: 'okx', updatedAt: 1_059 })
  })
})
