// The load of the soak, bundled and run as a process of its own. What it keeps is bounded: it counts, and remembers only the runs whose
// lines are still to come. The plan comes over IPC, the tally goes back the same way.
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'

export interface SoakPlan {
  readonly durationMs: number
  readonly firesPerSecond: number
  /** Of hooks that print one line. */
  readonly hooks: readonly { readonly id: string; readonly secret: string }[]
  /** Of trusted clients: these pages stay. */
  readonly staying: readonly string[]
  /** These leave and come back, one after another. */
  readonly restless: readonly string[]
  readonly reconnectsPerSecond: number
}

export interface SoakTally {
  fires: number
  /** By what came in place of 200. */
  readonly refused: Record<string, number>
  /** Lines that pages that stay got of fires' runs. */
  lines: number
  /** Lines that such a page never got, or got twice. */
  astray: number
  reconnects: number
  /** Pages that hookline hung up on. */
  hungUp: number
  commands: number
  edits: number
  /** What a command or an edit was refused with. */
  readonly failed: string[]
}

const ORIGIN = 'http://127.0.0.1:53220'
/** `cmd:output` and `cmd:done`. */
const LINES_PER_RUN = 2
const COMMAND_MS = 500
const EDIT_MS = 5_000
const SETTLE_MS = 10_000
const COMMANDS = ['echo soak', 'buy 60.0 DOGEUSDT', 'positions', 'sell 60.0 DOGEUSDT', 'runs', 'status', 'orders']

type Reply = { readonly t: string; readonly id?: string; readonly hookId?: string; readonly [field: string]: unknown }

const tally: SoakTally = {
  fires: 0,
  refused: {},
  lines: 0,
  astray: 0,
  reconnects: 0,
  hungUp: 0,
  commands: 0,
  edits: 0,
  failed: [],
}

/** An approved page that follows `hook-output`. */
class Page {
  /** How many lines of a run are still to come; below zero while its fire's answer is. */
  readonly owed = new Map<string, number>()
  readonly #ws: WebSocket
  readonly #isCounted: boolean
  readonly #replies = new Map<string, (reply: Reply) => void>()
  #asked = 0
  #isLeaving = false

  /** @param isCounted its lines are compared with what was fired */
  static async open(clientId: string, isCounted: boolean): Promise<Page> {
    const page = new Page(isCounted)
    await once(page.#ws, 'open')
    const welcome = page.#reply('welcome')
    page.#send({ t: 'hello', clientId, label: 'soak' })
    await welcome
    page.#send({ t: 'subscribe', topics: ['hook-output'] })
    const taken = once(page.#ws, 'pong')
    page.#ws.ping()
    await taken
    return page
  }

  private constructor(isCounted: boolean) {
    this.#isCounted = isCounted
    this.#ws = new WebSocket('ws://127.0.0.1:53219/ws', { origin: ORIGIN, perMessageDeflate: false })
    this.#ws.on('message', (data: Buffer) => this.#take(JSON.parse(data.toString())))
    this.#ws.on('close', () => {
      if (!this.#isLeaving) tally.hungUp++
    })
  }

  /** Half of them as a closed tab does, half as a browser that was killed. */
  async leave(): Promise<void> {
    this.#isLeaving = true
    const closed = once(this.#ws, 'close')
    if (randomInt(2) === 0) this.#ws.close()
    else this.#ws.terminate()
    await closed
  }

  /** Sends a frame under an id of its own. @returns what ends it: `cmd:done`, `mutate:ack` or a refusal */
  ask(frame: object): Promise<Reply> {
    const id = `s${++this.#asked}`
    const reply = this.#reply(id)
    this.#send({ ...frame, id })
    return reply
  }

  owe(runId: string, lines: number): void {
    const owed = (this.owed.get(runId) ?? 0) + lines
    if (owed === 0) this.owed.delete(runId)
    else this.owed.set(runId, owed)
  }

  #take(frame: Reply): void {
    if (frame.hookId !== undefined && frame.id !== undefined) {
      if (!this.#isCounted) return
      tally.lines++
      this.owe(frame.id, -1)
    } else if (frame.t !== 'cmd:output') {
      const key = frame.id ?? frame.t
      this.#replies.get(key)?.(frame)
      this.#replies.delete(key)
    }
  }

  #reply(key: string): Promise<Reply> {
    return new Promise((resolve) => this.#replies.set(key, resolve))
  }

  #send(frame: object): void {
    this.#ws.send(JSON.stringify(frame))
  }
}

function fire(agent: Agent, { id, secret }: SoakPlan['hooks'][number]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: 53219, path: `/hook/${id}`, method: 'POST', agent }
    const sent = request({ ...options, headers: { 'X-Hook-Token': secret } }, (response) => {
      text(response).then((body) => {
        if (response.statusCode === 200) resolve(JSON.parse(body).runId)
        else reject(new Error(String(response.statusCode)))
      }, reject)
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** Does `work` so many times a second, in step with the clock, until the time is up; then waits for what is under way. */
async function pace(perSecond: number, untilMs: number, work: (count: number) => Promise<void>): Promise<void> {
  const startedAt = performance.now()
  const underWay = new Set<Promise<void>>()
  for (let count = 0; ; ) {
    const now = performance.now()
    if (now >= untilMs) break
    for (const due = ((now - startedAt) * perSecond) / 1_000; count < due; count++) {
      const doing: Promise<void> = work(count).finally(() => underWay.delete(doing))
      underWay.add(doing)
    }
    await sleep(2)
  }
  await Promise.all(underWay)
}

async function fireAll(plan: SoakPlan, untilMs: number, pages: readonly Page[]): Promise<void> {
  // Each in its turn, so that none is idle for as long as hookline closes it.
  const agent = new Agent({ keepAlive: true, maxSockets: 8, scheduling: 'fifo' })
  await pace(plan.firesPerSecond, untilMs, async (count) => {
    const hook = plan.hooks[count % plan.hooks.length] as SoakPlan['hooks'][number]
    try {
      const runId = await fire(agent, hook)
      tally.fires++
      for (const page of pages) page.owe(runId, LINES_PER_RUN)
    } catch (error) {
      const { message } = error as Error
      tally.refused[message] = (tally.refused[message] ?? 0) + 1
    }
  })
  agent.destroy()
}

async function reconnectAll({ restless, reconnectsPerSecond }: SoakPlan, untilMs: number): Promise<void> {
  const pages = await Promise.all(restless.map((clientId) => Page.open(clientId, false)))
  // One that has not come back by its next turn has nothing to leave.
  const away = new Set<number>()
  await pace(reconnectsPerSecond, untilMs, async (count) => {
    const index = count % pages.length
    if (away.has(index)) return
    away.add(index)
    await (pages[index] as Page).leave()
    pages[index] = await Page.open(restless[index] as string, false)
    tally.reconnects++
    away.delete(index)
  })
  await Promise.all(pages.map((page) => page.leave()))
}

async function command(pages: readonly Page[], count: number): Promise<void> {
  const page = pages[count % pages.length] as Page
  const done = await page.ask({ t: 'cmd:exec', command: COMMANDS[count % COMMANDS.length] })
  if (done.success === true) tally.commands++
  else tally.failed.push(`${COMMANDS[count % COMMANDS.length]}: ${done.error}`)
}

/** A hook that is made, given a new token, and revoked: no edit leaves the registry larger than it was. */
async function edit(pages: readonly Page[], count: number): Promise<void> {
  const page = pages[count % pages.length] as Page
  const made = await page.ask({ t: 'mutate:hook', op: 'create', name: `soak-${count}`, command: 'echo never' })
  const hookId = (made.data as { id?: string } | undefined)?.id
  const rotated = await page.ask({ t: 'mutate:hook', op: 'rotate', hookId })
  const revoked = await page.ask({ t: 'mutate:hook', op: 'revoke', hookId })
  for (const reply of [made, rotated, revoked]) {
    if (reply.t === 'mutate:ack') tally.edits++
    else tally.failed.push(`edit: ${reply.error}`)
  }
}

/** Resolves once every line has come, or none is to be expected any more. */
async function settled(pages: readonly Page[]): Promise<void> {
  const deadline = performance.now() + SETTLE_MS
  while (pages.some(({ owed }) => owed.size > 0) && performance.now() < deadline) await sleep(20)
}

async function soak(plan: SoakPlan): Promise<void> {
  const pages = await Promise.all(plan.staying.map((clientId) => Page.open(clientId, true)))
  const untilMs = performance.now() + plan.durationMs
  await Promise.all([
    fireAll(plan, untilMs, pages),
    reconnectAll(plan, untilMs),
    pace(1_000 / COMMAND_MS, untilMs, (count) => command(pages, count)),
    pace(1_000 / EDIT_MS, untilMs, (count) => edit(pages, count)),
  ])
  await settled(pages)
  for (const { owed } of pages) for (const lines of owed.values()) tally.astray += Math.abs(lines)
  await Promise.all(pages.map((page) => page.leave()))
}

process.once('message', (plan: SoakPlan) => {
  void soak(plan).then(() => process.send?.(tally, () => process.exit()))
})
