// Writers of store files, killed at any moment, again and again over what the last one has left.
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { readPaperAccount } from '../../harness/files/paper-account.ts'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { exec, RunningHookline } from '../../harness/process/hookline.ts'
import { writeHooks } from './fire-hook.ts'

const KILLS_PER_STORE = 100
/** Several disk pages, so that a torn file would show. */
const PADDING = 'x'.repeat(20_000)

interface KilledStore {
  readonly file: string
  /** Makes the file large. @returns the commands that write it each time they run */
  prepare(directory: string): string | Promise<string>
  /** What is stored. Default: the file as JSON. @throws where it cannot be read */
  read?(directory: string): unknown
  /** Whether the content is one that was written whole. */
  isWhole(content: never): boolean
}

export const KILLED: readonly KilledStore[] = [
  {
    file: 'config.json',
    prepare(directory) {
      writeFileSync(join(directory, 'config.json'), JSON.stringify({ mine: PADDING }))
      return 'symbol ETHUSDT; symbol BTCUSDT'
    },
    isWhole: ({ mine, defaultSymbol }: { mine: string; defaultSymbol: string }) =>
      mine === PADDING && ['ETHUSDT', 'BTCUSDT'].includes(defaultSymbol),
  },
  {
    file: 'hooks.json',
    prepare(directory) {
      const names = Array.from({ length: 100 }, (_, index) => `hook ${index}`)
      const [hook] = writeHooks(directory, Object.fromEntries(names.map((name) => [name, 'echo seen'])))
      return `hook rotate ${hook?.id}`
    },
    isWhole: ({ hooks }: { hooks: readonly { id: string; secret: string }[] }) =>
      hooks.length === 100 && hooks.every(({ id, secret }) => /^[0-9a-f]{64}$/.test(id + secret)),
  },
  {
    file: 'paper-paper.json',
    async prepare(directory) {
      await exec(directory, 'repeat 50 (buy 60.0 DOGEUSDT; sell 60.0 DOGEUSDT)')
      return 'buy 60.0 DOGEUSDT; sell 60.0 DOGEUSDT'
    },
    read: (directory) => readPaperAccount(directory, 'paper'),
    isWhole: ({ trades, nextTradeId }: { trades: readonly { id: string }[]; nextTradeId: number }) =>
      trades.length >= 100 && trades.at(-1)?.id === `t${nextTradeId - 1}`,
  },
]

export interface KillTally {
  kills: number
  /** Of those, writers of files whose lock shows that they are being written. */
  locked: number
  withinWrite: number
  torn: number
  mostTemporaries: number
  slowestNextMs: number
}

/** Kills writers of one file, one after another, over what the last one has left. */
export async function killWriters(store: KilledStore, tally: KillTally): Promise<void> {
  const directory = tempDirectory()
  const commands = await store.prepare(directory)
  const path = join(directory, store.file)
  for (let kill = 0; kill < KILLS_PER_STORE; kill++) {
    // As its age does after five seconds; the last one is left to age.
    rmSync(`${path}.lock`, { recursive: true, force: true })
    const writer = new RunningHookline(directory, ['exec', `repeat 1000 (${commands})`])
    await once(writer.child.stdout, 'data')
    await sleep(Math.random() * 8)
    await momentOfWrite(`${path}.lock`)
    writer.signal('SIGKILL')
    if ((await writer.ended()).code !== null) throw new Error(`the writer of ${store.file} ended by itself`)
    // What it left unanswered would keep the next writer from trading for a minute.
    rmSync(join(directory, 'orders.jsonl'), { force: true })
    tally.kills++
    if (store.read === undefined) tally.locked++
    if (existsSync(`${path}.lock`)) tally.withinWrite++
    const temporaries = readdirSync(directory).filter((name) => name.endsWith('.tmp')).length
    tally.mostTemporaries = Math.max(tally.mostTemporaries, temporaries)
    if (!isWhole(store, directory)) tally.torn++
  }
  const from = performance.now()
  await exec(directory, commands)
  tally.slowestNextMs = Math.max(tally.slowestNextMs, performance.now() - from)
}

/** Any moment of a write, as a rule: what a kill hits outside of one is the smaller part of what is asked. */
async function momentOfWrite(lock: string): Promise<void> {
  const until = performance.now() + 200
  while (!existsSync(lock) && performance.now() < until) await nextTurn()
  const pause = performance.now() + Math.random()
  while (performance.now() < pause);
}

function isWhole(store: KilledStore, directory: string): boolean {
  try {
    const content = store.read?.(directory) ?? JSON.parse(readFileSync(join(directory, store.file), 'utf8'))
    return store.isWhole(content as never)
  } catch {
    return false
  }
}
