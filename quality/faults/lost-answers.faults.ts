// Faults of lost answers: the connection goes while an order is under way, and the page must learn what became of it.
import { randomUUID } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { RunningHookline } from '../../harness/process/hookline.ts'
import { CuttableProxy } from '../../harness/wire/cuttable-proxy.ts'
import { type BuiltPage, builtPage } from './built-client.ts'
import { readJournal } from './journal-lines.ts'
import { doorOpens } from './request-in-bytes.ts'
import { type CaseRow, tally } from './row-tally.ts'
import { scenario } from './scenario.ts'
import { trustPages } from './trusted-page.ts'

const ORDERS_EACH = 10

interface Stage {
  readonly directory: string
  readonly proxy: CuttableProxy
  readonly page: BuiltPage
}

const commandOf = (name: string) => `echo ${name}; buy 0.001 BTCUSDT`

/** What the client says of an order. */
function deliveryOf({ page }: Stage, name: string): Promise<string> {
  return page.client.exec(commandOf(name)).result.then(
    () => 'answered',
    ({ code, delivery }) => `${code}, ${delivery}`,
  )
}

/** How often hookline has begun and ended it. */
function journalled(directory: string, name: string) {
  const { lines } = readJournal(directory)
  const ids = lines.filter(({ t, command }) => t === 'start' && command === commandOf(name)).map(({ runId }) => runId)
  return { begun: ids.length, ended: lines.filter(({ t, runId }) => t === 'done' && ids.includes(runId)).length }
}

/** Ways to lose an answer. Each resolves with what the client says of it, once its connection is gone. */
const LOSSES: readonly ((stage: Stage, name: string, round: number) => Promise<string>)[] = [
  // The order has been placed, its answer is on the way.
  async (stage, name) => {
    stage.proxy.holdAnswers()
    const delivery = deliveryOf(stage, name)
    await vi.waitUntil(() => journalled(stage.directory, name).ended === 1, { timeout: 5_000 })
    stage.proxy.cut()
    return delivery
  },
  // Nobody knows whether it has arrived.
  async (stage, name, round) => {
    stage.proxy.holdAnswers()
    const delivery = deliveryOf(stage, name)
    for (let turn = 0; turn < round; turn++) await nextTurn()
    stage.proxy.cut()
    return delivery
  },
  // The connection is gone already.
  async (stage, name) => {
    stage.proxy.cut()
    await stage.page.until('waiting-to-reconnect')
    return deliveryOf(stage, name)
  },
]

/** The page is back and looks up what became of its order, by its name, in `runs`. */
async function lookUp({ page }: Stage, name: string): Promise<'ran' | 'never ran'> {
  await page.until('waiting-to-reconnect')
  page.client.connect()
  await page.until('welcomed')
  for (;;) {
    let row: string | undefined
    for await (const { text } of page.client.exec('runs 1000')) {
      row ??= text.split('\n').find((line) => line.includes(`echo ${name};`))
    }
    if (row === undefined) return 'never ran'
    if (/ (done|failed) /.test(row)) return 'ran'
  }
}

async function boughtBy({ page }: Stage): Promise<string> {
  const [line = ''] = await new Promise<string[]>((resolve) => {
    page.client.on('state:portfolio', ({ positions }) => resolve(positions.map(({ amount }) => amount)))
    page.client.subscribe('portfolio')
  })
  return Number(line).toFixed(3)
}

/** @param way an index of {@link LOSSES} @returns how often its order was begun, and what the page was told of it */
async function loseOrder(stage: Stage, round: number, way: number): Promise<{ row: CaseRow; begun: number }> {
  const name = `order-${round}-${way}`
  const delivery = await LOSSES[way]?.(stage, name, round)
  const learnt = await lookUp(stage, name)
  const { begun } = journalled(stage.directory, name)
  const sent = way === 2 ? 'not-connected, not-sent' : 'connection-lost, sent'
  const hasRun = way === 0 || (way === 1 && begun === 1)
  const row = {
    what: name,
    wanted: `${sent}, ${hasRun ? 'ran' : 'never ran'}, at most once`,
    got: `${delivery}, ${learnt}, ${begun <= 1 ? 'at most once' : `${begun} times`}`,
  }
  return { row, begun }
}

scenario(
  31,
  `the connection is cut after ${ORDERS_EACH} orders, on the way of ${ORDERS_EACH}, before ${ORDERS_EACH}`,
  'told as sent or not sent; the page learns from `runs` whether it ran; none runs twice',
  async () => {
    const directory = tempDirectory()
    const clientId = randomUUID()
    trustPages(directory, { clientId })
    await RunningHookline.listening(directory)
    await doorOpens()
    const proxy = await CuttableProxy.start()
    const stage: Stage = { directory, proxy, page: builtPage(clientId, proxy.url) }
    stage.page.client.connect()
    await stage.page.until('welcomed')
    const rows: CaseRow[] = []
    let ran = 0
    for (let round = 0; round < ORDERS_EACH; round++) {
      for (const way of LOSSES.keys()) {
        const { row, begun } = await loseOrder(stage, round, way)
        rows.push(row)
        ran += begun
      }
    }
    const bought = await boughtBy(stage)
    const finding = tally(rows, `${ran} ran, ${bought} BTC bought`)
    return { ...finding, holds: finding.holds && bought === (ran * 0.001).toFixed(3) }
  },
)
