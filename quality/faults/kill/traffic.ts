// The random workload of one round: everything that may be asked of a hookline that listens, until it is gone.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../../harness/random/random.ts'
import { type RawAnswer, RawClient } from '../../../harness/wire/raw-http.ts'
import { WsClient } from '../../../harness/wire/ws-client.ts'
import type { ServerFrame } from '../../../src/protocol/frames.ts'
import type { Hook } from '../../../src/stores/hooks.ts'
import type { Edit } from './edit-ledger.ts'
import type { HookEditor } from './hook-editor.ts'
import type { HookEdit } from './hook-ledger.ts'
import { MARK_SYMBOL } from './order-ledger.ts'
import { keyOf, type Promises, weightOf } from './promises.ts'

const FIRING = 4
/** Frames under way at once. */
const LANES = 6
const MOST_HOOKS = 12
const LONGEST_PAUSE_MS = 6
/** Of the fires of hooks that nobody edits, those that do more than print. */
const WORKING_SHARE = 0.05

export interface TrafficOptions {
  readonly random: Random
  readonly promises: Promises
  readonly editor: HookEditor
  readonly clientId: string
  /** Hooks that nobody edits; the first only prints. */
  readonly fixed: readonly Hook[]
}

type Reply = ServerFrame & { readonly id: string }

export class Traffic {
  readonly #options: TrafficOptions
  readonly #replies = new Map<string, (reply: Reply) => void>()
  #session: WsClient | undefined
  #lastId = 0
  #isOver = false
  #answers = 0
  #awaited: { readonly count: number; readonly reached: () => void } | undefined
  #welcomed = () => {}
  #working: Promise<unknown> = Promise.resolve()

  constructor(options: TrafficOptions) {
    this.#options = options
  }

  /** Begins; needs a hookline that listens. Resolves once the page is let in, and everything goes on at once. */
  start(): Promise<void> {
    const { random } = this.#options
    const whole = new Promise<void>((resolve) => {
      this.#welcomed = resolve
    })
    const firing = Array.from({ length: FIRING }, () => this.#keepFiring(random.fork()))
    const lanes = this.#openSession(random.fork())
    const editing = this.#keepEditing(random.fork())
    this.#working = Promise.all([...firing, lanes, editing])
    return whole
  }

  /** Resolves when so many answers of any kind have come. */
  answers(count: number): Promise<void> {
    return new Promise((reached) => {
      this.#awaited = { count, reached }
    })
  }

  /** hookline is dead: nothing new is asked. Resolves once all that was under way has failed or was answered. */
  async stop(): Promise<void> {
    this.#isOver = true
    this.#session?.ws.terminate()
    await this.#working
  }

  /** All ends as hookline does, in the middle of whatever is under way; what it said must still have made sense. */
  readonly #ended = (error: unknown): void => {
    if (!(error instanceof TypeError || error instanceof SyntaxError)) return
    this.#options.promises.broken.add('wrong', `an answer makes no sense: ${error.message}`)
  }

  #answered(): void {
    if (++this.#answers === this.#awaited?.count) this.#awaited.reached()
  }

  /** One keep-alive connection. */
  async #keepFiring(random: Random): Promise<void> {
    const client = new RawClient()
    const whileOpen = async () => {
      while (!this.#isOver) {
        await this.#fireSomething(client, random)
        if (random.chance(0.5)) await sleep(random.below(LONGEST_PAUSE_MS))
      }
    }
    await whileOpen().catch(this.#ended)
    client.close()
  }

  async #fireSomething(client: RawClient, random: Random): Promise<void> {
    const { fixed, promises } = this.#options
    const dead = random.chance(0.1) ? random.pickIfAny(promises.hooks.deadTokens()) : undefined
    if (dead) {
      const { status } = await fire(client, dead)
      this.#answered()
      // A revoke under way may have ended the hook altogether.
      const isRefused = status === dead.status || status === 404
      return promises.broken.expect(isRefused, 'lost', `a dead token of hook ${dead.id} was answered ${status}`)
    }
    const kind = random.chance(WORKING_SHARE) ? fixed : random.chance(0.2) ? promises.hooks.list() : []
    const hook = random.pickIfAny(kind) ?? (fixed[0] as Hook)
    const wasGood = fixed.includes(hook) || promises.hooks.isGood(hook)
    const { status, body } = await fire(client, hook)
    this.#answered()
    if (status === 200) return promises.accepted(JSON.parse(body).runId)
    const isGood = fixed.includes(hook) || promises.hooks.isGood(hook)
    promises.broken.expect(!(wasGood && isGood), 'wrong', `a fire of hook ${hook.name} was answered ${status}`)
  }

  async #openSession(random: Random): Promise<void> {
    const { clientId } = this.#options
    while (!this.#isOver && this.#session === undefined) {
      // `/health` is answered a moment before pages are let in.
      this.#session = await WsClient.hello({ clientId, label: 'random' }).catch(() => undefined)
      if (this.#session === undefined) await sleep(2)
    }
    const session = this.#session
    if (session === undefined || this.#isOver) return
    const lost = session.closed().then(() => Promise.reject(new Error('the session is over')))
    lost.catch(() => {})
    session.ws.on('message', (data) => this.#take(JSON.parse(data.toString())))
    const lane = async (own: Random) => {
      while (!this.#isOver) await Promise.race([this.#askSomething(own), lost])
    }
    const lanes = async () => {
      await session.nextFrame('welcome')
      this.#welcomed()
      session.send({ t: 'subscribe', topics: ['accounts', 'hooks', 'cross-trade'] })
      await Promise.all(Array.from({ length: LANES }, () => lane(random.fork())))
    }
    await lanes().catch(this.#ended)
    await session.closed()
  }

  #take(frame: ServerFrame): void {
    if (frame.t !== 'cmd:done' && frame.t !== 'mutate:ack' && frame.t !== 'mutate:err') return
    this.#answered()
    this.#replies.get(frame.id)?.(frame)
    this.#replies.delete(frame.id)
  }

  #ask(frame: object): Promise<Reply> {
    const id = `r${++this.#lastId}`
    const reply = new Promise<Reply>((resolve) => this.#replies.set(id, resolve))
    this.#session?.send({ ...frame, id })
    return reply
  }

  #askSomething(random: Random): Promise<void> {
    const { promises } = this.#options
    const roll = random.share()
    if (roll < 0.25) return this.#trade(random)
    if (roll < 0.35) return this.#run(random.pick(['echo a; echo b', 'positions', 'sleep 20ms & echo c']))
    if (roll < 0.55) return this.#editAccount(promises.accounts.begin(random))
    if (roll < 0.75) return this.#editConfig(promises.configs.begin(random))
    return this.#editHook(random)
  }

  async #trade(random: Random): Promise<void> {
    const { orders } = this.#options.promises
    const amount = orders.begin()
    // A bare 100 could be money: `.0` says that it is coins.
    const side = random.chance(0.5) ? 'buy' : 'sell'
    const done = await this.#ask({ t: 'cmd:exec', command: `${side} ${amount}.0 ${MARK_SYMBOL}` })
    orders.ended(amount, done.t === 'cmd:done' && done.success)
  }

  async #run(command: string): Promise<void> {
    await this.#ask({ t: 'cmd:exec', command })
  }

  async #editAccount(edit: Edit): Promise<void> {
    const { key: name, op, updatedAt } = edit
    const account = { name, exchange: 'paper', apiKey: keyOf(updatedAt) }
    const reply = await this.#ask({ t: 'mutate:account', op, updatedAt, ...(op === 'upsert' ? { account } : { name }) })
    this.#acknowledge(reply, (data) => this.#options.promises.accounts.acknowledged(edit, isApplied(data)))
  }

  async #editConfig(edit: Edit): Promise<void> {
    const { key: id, op, updatedAt } = edit
    const weight = weightOf(updatedAt)
    const copiers = [{ account: 'copier-0', weight, mode: 'Market' }]
    const config = { id, enabled: true, masterAccount: 'master-0', masterWeight: weight, copiers }
    const what = op === 'upsert' ? { config } : { configId: id }
    const reply = await this.#ask({ t: 'mutate:cross-trade-config', op, updatedAt, ...what })
    this.#acknowledge(reply, (data) => this.#options.promises.configs.acknowledged(edit, isApplied(data)))
  }

  async #editHook(random: Random): Promise<void> {
    const { hooks } = this.#options.promises
    const choice = chooseHookEdit(hooks.count, random)
    if (choice === 'create') {
      const created = await this.#ask({
        t: 'mutate:hook',
        op: 'create',
        name: hooks.beginCreate(),
        command: 'echo random',
      })
      return this.#acknowledge(created, (data) => hooks.created(this.#onDisk((data as Hook).id)))
    }
    const hook = hooks.beginEdit(choice, random)
    if (hook === undefined) return this.#run('echo no hook to edit')
    const reply = await this.#ask({ t: 'mutate:hook', op: choice, hookId: hook.id })
    this.#acknowledge(reply, () => {
      if (choice === 'rotate') hooks.rotated(this.#onDisk(hook.id))
      else hooks.revoked(hook.id)
    })
  }

  /** The wire never tells a token; the file does, at the moment of the answer. */
  #onDisk(id: string): Hook {
    const { promises } = this.#options
    const found = promises.registry().find((hook) => hook.id === id)
    promises.broken.expect(found !== undefined, 'lost', `hook ${id} was acknowledged and is not in the file`)
    return found ?? { id, name: '', secret: '', command: '', createdAt: 0 }
  }

  #acknowledge(reply: Reply, acknowledged: (data: unknown) => void): void {
    if (reply.t === 'mutate:ack') acknowledged(reply.data)
    else this.#options.promises.broken.add('wrong', `a mutation was refused: ${JSON.stringify(reply)}`)
  }

  /** Through the other process. */
  async #keepEditing(random: Random): Promise<void> {
    const editing = async () => {
      while (!this.#isOver) {
        await this.#editBeside(random)
        await sleep(random.below(LONGEST_PAUSE_MS))
      }
    }
    await editing().catch(this.#ended)
  }

  async #editBeside(random: Random): Promise<void> {
    const { editor, promises } = this.#options
    const { hooks } = promises
    const choice = chooseHookEdit(hooks.count, random)
    const hook = choice === 'create' ? undefined : hooks.beginEdit(choice, random)
    if (choice !== 'create' && hook === undefined) return
    const reply = await editor.ask(
      choice === 'create'
        ? { op: choice, name: hooks.beginCreate(), command: 'echo beside' }
        : { op: choice, id: (hook as Hook).id },
    )
    if ('error' in reply) return promises.broken.add('wrong', `the other process was refused: ${reply.error}`)
    if (choice === 'create') hooks.created(reply.hook)
    else if (choice === 'rotate') hooks.rotated(reply.hook)
    else hooks.revoked(reply.hook.id)
  }
}

function chooseHookEdit(count: number, random: Random): HookEdit | 'create' {
  if (count === 0 || (count < MOST_HOOKS && random.chance(0.3))) return 'create'
  return random.chance(0.6) ? 'rotate' : 'revoke'
}

function isApplied(data: unknown): boolean {
  return (data as { applied?: boolean }).applied !== false
}

function fire(client: RawClient, { id, secret }: Pick<Hook, 'id' | 'secret'>): Promise<RawAnswer> {
  const lines = [`POST /hook/${id} HTTP/1.1`, 'Host: 127.0.0.1:53219', 'Content-Length: 0', `X-Hook-Token: ${secret}`]
  return client.send(`${lines.join('\r\n')}\r\n\r\n`).answer()
}
