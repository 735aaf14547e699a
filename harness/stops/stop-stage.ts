// Everything that acts, at once, in one directory: hooks, a page, a line, tasks of each, an entry whose stop is due later, and copiers, all of them the
// built program. What each has placed is read from the order journal.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import type { TaskRow } from '../../src/protocol/rows.ts'
import { readPaperAccount } from '../files/paper-account.ts'
import { tempDirectory } from '../files/temp-directory.ts'
import { BINARY, environmentOf } from '../process/built-hookline.mjs'
import { type CreatedHook, createHook, type Ended, post, RunningHookline, run } from '../process/hookline.ts'
import { COPIES, type RunningEngine, startEngine } from '../process/running-engine.ts'
import { ORIGIN, WsClient } from '../wire/ws-client.ts'

/** An order that its venue has taken, or a change of one. */
export interface Sent {
  readonly at: number
  readonly account: string
  readonly source: string
  readonly side: string | undefined
  readonly isTrigger: boolean
  readonly isLimit: boolean
  /** A change that takes the order back. */
  readonly isCancel: boolean
  readonly taskId: string | undefined
  readonly copier: boolean
  readonly pid: number | undefined
}

/** All that is looked at; tasks that add by what began them, copiers by what the master's trade asks of them. */
export const COLUMNS = {
  H: 'run of a hook',
  P: 'run of a page',
  L: 'line at a terminal',
  TH: 'task that adds, of a hook',
  TP: 'task that adds, of a page',
  TL: 'task that adds, of a line',
  TR: 'task that reduces',
  TX: 'task that protects',
  EP: 'stop of an entry that fills late',
  'CM+': 'copier at the market, adding',
  'CM-': 'copier at the market, reducing',
  'CC+': 'copier that chases, adding',
  'CC-': 'copier that chases, reducing',
} as const
export type Column = keyof typeof COLUMNS

/** Far more than anything takes. */
const LATEST_MS = 60_000

/** A replay's price goes down and up, so that an entry at `LOW` fills once in each period. */
const PERIOD_MS = 4_000
const CANDLES_EACH = 8
const SWING = 0.003
const MIDDLE = 60_000
const LOW = MIDDLE * (1 - 0.8 * SWING)
const SPEED = (60_000 * CANDLES_EACH) / PERIOD_MS

/** Behind the master: reducing and adding copiers, at the market and chasing. */
export const COPIERS = { 'CM-': 'am', 'CC-': 'ac', 'CM+': 'bm', 'CC+': 'bc' } as const
/** `m` is the master that reduces, `n` the one that adds. */
const ACCOUNTS = ['paper', 'm', 'n', ...Object.values(COPIERS)]
const ADDS = 'repeat 900 (buy 0.001 BTCUSDT; sleep 250ms)'
export const TWAP = 'twap buy 0.060 BTCUSDT into 60 over 60s'
const NOT_SENT: ReadonlySet<string> = new Set(['refused', 'simulated'])
const HOOKS = { h: ADDS, th: TWAP } as const

export class StopStage {
  readonly directory = tempDirectory()
  listener!: RunningHookline
  engine!: RunningEngine
  readonly hooks = new Map<string, CreatedHook>()
  page!: WsClient
  clientId = ''
  line: ChildProcess | undefined
  #startedAt = 0
  #read = 0
  readonly #intents = new Map<string, Sent>()
  readonly sent: Sent[] = []
  /** Changes of which nothing is known yet, and when each was written down: right before the guards were asked. */
  readonly #changing = new Map<string, number>()

  static async start(): Promise<StopStage> {
    const stage = new StopStage()
    const candles = join(stage.directory, 'wave.csv')
    writeFileSync(candles, wave())
    const each = ACCOUNTS.map(
      (name) =>
        `${name === 'paper' ? '' : `account add ${name} paper; `}paper replay ${candles} --account ${name} --speed ${SPEED} --background`,
    )
    const { 'CM-': am, 'CC-': ac, 'CM+': bm, 'CC+': bc } = COPIERS
    const rows = (master: string, market: string, chase: string) =>
      `cross-trade add --master ${master} --copier ${market} --enabled; cross-trade add --master ${master} --copier ${chase} --mode Chase --enabled`
    await stage.exec(`${each.join('; ')}; ${rows('m', am, ac)}; ${rows('n', bm, bc)}`)
    // The account in focus cannot be removed.
    writeFileSync(join(stage.directory, 'config.json'), JSON.stringify({ defaultAccount: 'm' }))
    stage.#startedAt = readPaperAccount(stage.directory, 'paper')?.replay?.startedAt ?? 0
    await stage.listen()
    await Promise.all([stage.isDriver(), stage.makeHooks()])
    await stage.copy()
    await stage.exec('buy 0.300 BTCUSDT', 'm')
    await stage.exec('buy 0.300 BTCUSDT')
    await stage.until('the copiers follow', () => stage.count('CM-', 0) > 0 && stage.count('CC-', 0) > 0)
    return stage
  }

  async listen(): Promise<void> {
    this.listener = await RunningHookline.listening(this.directory)
  }

  /** Before there is another that could drive the tasks. */
  async isDriver(): Promise<void> {
    const path = join(this.directory, 'tasks-driver.json')
    await this.until('the listener drives the tasks', () => {
      return existsSync(path) && JSON.parse(readFileSync(path, 'utf8')).pid === this.listener.pid
    })
  }

  /** Those that a stop has taken away are made again. */
  async makeHooks(): Promise<void> {
    await Promise.all(
      Object.entries(HOOKS).map(async ([name, command]) => {
        if (this.hooks.has(name)) return
        this.hooks.set(name, await createHook(this.directory, name, command, '--account', 'paper'))
      }),
    )
  }

  async copy(): Promise<void> {
    this.engine = startEngine(this.directory)
    await this.engine.until(COPIES)
  }

  /** @throws it failed */
  async exec(line: string, account?: string): Promise<string> {
    const { code, stdout, stderr } = await this.tried(line, account)
    if (code !== 0) throw new Error(`${line} ended with ${code}: ${stdout}${stderr}`)
    return stdout
  }

  tried(line: string, account = 'paper'): Promise<Ended> {
    return run(this.directory, ['exec', '--account', account, line])
  }

  /** The pages and hooks that the cycle needs, whatever has become of those before. */
  async admit(): Promise<void> {
    await this.makeHooks()
    this.clientId = randomUUID()
    const client = { clientId: this.clientId, label: 'tab', origin: ORIGIN, approvedAt: 1 }
    writeFileSync(join(this.directory, 'trusted-clients.json'), JSON.stringify({ clients: [client] }))
    this.page = await WsClient.hello({ clientId: this.clientId })
    await this.page.nextFrame('welcome')
  }

  fire(name: keyof typeof HOOKS): Promise<{ readonly status: number }> {
    const { url = '', token = '' } = this.hooks.get(name) ?? {}
    return post(url, token)
  }

  type(command: string): void {
    this.page.send({ t: 'cmd:exec', id: randomUUID(), command, account: 'paper', detach: true })
  }

  /** Everybody acts; resolves once each has. */
  async arrange(): Promise<void> {
    await this.admit()
    const from = Date.now()
    this.line = this.#spawn(ADDS)
    const begun = this.exec(`buy 0.1 BTCUSDT; ${TWAP}; twap sell 0.060 BTCUSDT into 60 over 60s reduce; trail 2% add`)
    await Promise.all([this.fire('h'), this.fire('th'), begun])
    this.type(ADDS)
    this.type(TWAP)
    await this.until('everybody acts', () =>
      (['H', 'P', 'L', 'TH', 'TP', 'TL', 'TR', 'TX'] as const).every((column) => this.count(column, from) > 0),
    )
  }

  /** An entry that rests, and fills at the next low, which is not near. */
  async enter(): Promise<void> {
    const phase = (Date.now() - this.#startedAt) % PERIOD_MS
    // The low is at the beginning of each period.
    await sleep(phase < 500 ? 500 - phase : phase > 1_500 ? PERIOD_MS + 500 - phase : 0)
    const from = Date.now()
    this.type(`buy 0.001 BTCUSDT at ${LOW} stop -3% --far`)
    this.#readOn()
    await this.until('the entry rests', () => {
      this.#readOn()
      return this.sent.some(({ at, source, isLimit }) => at >= from && source === 'web' && isLimit)
    })
  }

  /** One master reduces and the other adds, also under a stop that lets nothing add: an order that rested before fills by itself. */
  async lead(): Promise<void> {
    const isResting = () => readPaperAccount(this.directory, 'n')?.openOrders.length !== 0
    await this.exec('sell 0.002 BTCUSDT reduce', 'm')
    if (isResting()) await this.until('the order of the master fills', () => !isResting())
    else await this.tried('buy 0.002 BTCUSDT', 'n')
    await this.tried(`buy 0.002 BTCUSDT at ${LOW} --far`, 'n')
  }

  /** Nothing of it goes on. */
  async clear(): Promise<void> {
    // Of this account alone: the chases of copiers are their own.
    await this.tried('runs stop --all; nuke --yes')
    // An order that a killed line leaves without an answer would keep the others from adding.
    if (this.line?.exitCode === null && this.line.signalCode === null)
      await Promise.race([once(this.line, 'close'), sleep(5_000)])
    this.line?.kill('SIGKILL')
    await this.page.leave().catch(() => {})
  }

  /** The listener stands still, and no change of an order of its tasks is under way. */
  async holdBetweenChanges(): Promise<void> {
    const isUnderWay = () => {
      this.#readOn()
      return this.#changing.size > 0
    }
    for (const end = Date.now() + LATEST_MS; Date.now() < end; ) {
      this.listener.signal('SIGSTOP')
      await sleep(20)
      if (!isUnderWay()) return
      this.listener.signal('SIGCONT')
      await sleep(30)
    }
    throw new Error('not in time: no change is under way')
  }

  /** Before another one can begin on the same port. */
  async end(): Promise<void> {
    this.line?.kill('SIGKILL')
    this.listener.child.kill('SIGCONT')
    this.listener.signal('SIGKILL')
    await this.listener.ended()
    this.engine.child.kill('SIGCONT')
    this.engine.child.kill('SIGTERM')
    await this.engine.ended
  }

  /** Copiers whose chase is under way. */
  chasing(): readonly Column[] {
    const accounts = this.tasks().flatMap(({ kind, status, account }) =>
      kind === 'chase' && status === 'running' ? [account] : [],
    )
    return (['CC+', 'CC-'] as const).filter((column) => accounts.includes(COPIERS[column]))
  }

  tasks(): readonly TaskRow[] {
    const path = join(this.directory, 'tasks.json')
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).tasks : []
  }

  /** What this one has sent since then. */
  sentBy(column: Column, from: number): readonly Sent[] {
    this.#readOn()
    return this.sent.filter((each) => each.at > from && this.#isOf(column, each))
  }

  count(column: Column, from: number): number {
    return this.sentBy(column, from).length
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    for (const end = Date.now() + LATEST_MS; !holds(); await sleep(50))
      if (Date.now() > end) throw new Error(`not in time: ${what}\n${this.listener.stdout}\n${this.engine?.said()}`)
  }

  #isOf(column: Column, { account, source, taskId, copier, isTrigger, isLimit, isCancel, side, pid }: Sent): boolean {
    // A chase whose order may not follow the price cancels it half a second later: cancels are sent under every stop.
    if (column in COPIERS)
      return account === COPIERS[column as keyof typeof COPIERS] && !isCancel && (copier || taskId !== undefined)
    if (account !== 'paper') return false
    const isOfTask = taskId !== undefined
    switch (column) {
      case 'H':
        return source === 'hook' && !isOfTask
      case 'P':
        return source === 'web' && !isOfTask && !isTrigger && !isLimit
      case 'L':
        return !isOfTask && pid === this.line?.pid
      case 'EP':
        return source === 'web' && !isOfTask && isTrigger
      case 'TX':
        return isOfTask && isTrigger
      case 'TR':
        return isOfTask && side === 'sell' && !isTrigger
      default: {
        const begunBy = { TH: 'hook', TP: 'web', TL: 'exec' }[column as string]
        return isOfTask && side === 'buy' && source === begunBy
      }
    }
  }

  #readOn(): void {
    const text = readFileSync(join(this.directory, 'orders.jsonl'), 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    for (const line of whole.slice(this.#read).split('\n').filter(Boolean)) this.#take(JSON.parse(line))
    this.#read = whole.length
  }

  // biome-ignore lint/suspicious/noExplicitAny: a line of any kind
  #take(line: any): void {
    if (line.t === 'intent') {
      const { at, account, by = {}, order, owner } = line
      this.#intents.set(line.id, {
        at,
        account,
        source: by.source,
        side: order.side,
        taskId: by.taskId,
        pid: owner?.pid,

        copier: by.copier !== undefined,
        isTrigger: order.triggerPrice !== undefined,
        isLimit: order.type === 'limit',
        isCancel: false,
      })
    }
    if (line.t === 'changing') this.#changing.set(line.id, line.at)
    const changedAt = this.#changing.get(line.id) ?? line.at
    if (line.t === 'changed' || line.t === 'unchanged') this.#changing.delete(line.id)
    const intent = this.#intents.get(line.id)
    if (line.t === 'outcome' && !NOT_SENT.has(line.outcome) && intent !== undefined) this.sent.push(intent)
    if (line.t === 'changed' && line.by?.taskId !== undefined)
      this.sent.push({
        at: changedAt,
        account: line.account,
        source: line.by.source,
        side: undefined,
        taskId: line.by.taskId,
        copier: false,
        isTrigger: true,
        isLimit: false,
        isCancel: line.change === 'canceled',
        pid: undefined,
      })
  }

  #spawn(line: string): ChildProcess {
    const child = spawn(process.execPath, [BINARY, 'exec', '--account', 'paper', line], {
      env: environmentOf(this.directory),
      stdio: 'ignore',
    })
    const closed = once(child, 'close')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await closed
    })
    return child
  }
}

/** Candles of a minute whose price goes from the low up and down again. */
function wave(): string {
  const price = (index: number): string => {
    const step = index % CANDLES_EACH
    const up = step <= CANDLES_EACH / 2 ? step : CANDLES_EACH - step
    return (MIDDLE * (1 + (up / (CANDLES_EACH / 2) - 0.5) * 2 * SWING)).toFixed(1)
  }
  const lines = Array.from({ length: 20_000 }, (_, index) => {
    const [open, close] = [price(index), price(index + 1)]
    const [low, high] = Number(open) < Number(close) ? [open, close] : [close, open]
    return `${1_700_000_000 + 60 * index},${open},${high},${low},${close},1000`
  })
  return `time,open,high,low,close,volume\n${lines.join('\n')}\n`
}
