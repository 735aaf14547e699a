// The paper exchange over the real file under its real lock, as two hookline processes share it.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { balanceOf, place, type Wanted } from '../../../harness/venues/place.ts'
import { createScriptedMarket } from '../../../harness/venues/scripted-market.ts'
import { UNLIMITED_DEPTH } from '../../../src/exchanges/paper/depth.ts'
import { createOfflineMarket } from '../../../src/exchanges/paper/market-source.ts'
import { createPaperExchange } from '../../../src/exchanges/paper/paper-exchange.ts'
import { initialState } from '../../../src/exchanges/paper/state.ts'
import { PAPER_FORMAT } from '../../../src/exchanges/paper/state-file.ts'
import { openPaperState } from '../../../src/stores/paper-state.ts'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'hookline-paper-'))
})

afterEach(() => rm(directory, { recursive: true }))

const buy: Wanted = { symbol: 'BTCUSDT', side: 'buy', type: 'market', amount: '0.01' }

function open() {
  const { prices, now } = createScriptedMarket()
  const store = openPaperState(directory, 'paper', {
    ...PAPER_FORMAT,
    defaults: initialState({ seed: 's', balance: '10000' }),
  })
  return createPaperExchange({
    market: createOfflineMarket({ prices, depth: UNLIMITED_DEPTH }),
    store,
    now,
    every: () => () => {},
    delay: async () => {},
    onProblem(problem) {
      throw problem
    },
  })
}

it('loses no order of two exchanges that share the file, and each hears of all of them once', async () => {
  const exchanges = [open(), open()]
  const heard = exchanges.map((exchange) => {
    const ids: string[] = []
    exchange.subscribe((event) => event.type === 'trade' && ids.push(event.trade.id))
    return ids
  })
  await Promise.all(Array.from({ length: 20 }, () => exchanges.map((exchange) => place(exchange, buy))).flat())
  const expected = Array.from({ length: 40 }, (_, index) => `t${index + 1}`)
  await vi.waitFor(() => expect(heard).toEqual([expected, expected]), { timeout: 30_000 })
  await Promise.all(exchanges.map((exchange) => exchange.close()))
  expect(await open().fetchPositions()).toMatchObject([{ amount: '0.4' }])
})

it('writes no file before the first order', async () => {
  const exchange = open()
  expect(await balanceOf(exchange)).toMatchObject({ total: '10000' })
  await expect(readFile(join(directory, 'paper-paper.json'))).rejects.toMatchObject({ code: 'ENOENT' })
  await place(exchange, buy)
  expect(JSON.parse(await readFile(join(directory, 'paper-paper.json'), 'utf8'))).toMatchObject({
    version: 4,
    seed: 's',
  })
})
