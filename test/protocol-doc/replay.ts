// Plays a worked session of PROTOCOL.md against the real listener: sends what its client sends, does what its operator and its
// sender do, and expects of hookline what is written.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, vi } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { type RunningApp, startApp } from '../../harness/process/running-app.ts'
import { type RawAnswer, rawRequest } from '../../harness/wire/raw-http.ts'
import { ORIGIN, WsClient } from '../../harness/wire/ws-client.ts'
import { initialState } from '../../src/exchanges/paper/state.ts'
import { encodePaperState } from '../../src/exchanges/paper/state-file.ts'
import { APPROVAL_LIMITS } from '../../src/listener/approvals/approvals.ts'
import { LISTENER_LIMITS } from '../../src/listener/listener-limits.ts'
import type { Fence, Step, WorkedSession } from './document.ts'
import { DocumentedValues } from './documented-values.ts'

const KNOWN_CLIENT = { clientId: '0b6f4c1e-7c1f-4b32-9b7e-52f3a1f5d0aa', label: 'Console', origin: ORIGIN }
/** The paper market is a function of the seed and the time: BTCUSDT is at 65,763.6 here and 0.67 % lower ten minutes on. */
const SEED = 'seed 81'
const START = Date.UTC(2026, 2, 11, 14, 30)
const LATER_MS = 10 * 60_000

export async function replay({ title, steps }: WorkedSession): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: START })
  onTestFinished(() => void vi.useRealTimers())
  const directory = tempDirectory()
  const state = initialState({ seed: SEED, balance: '10000' })
  writeFileSync(join(directory, 'paper-paper.json'), encodePaperState(state), { mode: 0o600 })
  const stage = new Stage(await startApp({ directory }))
  if (title !== 'First pairing' && title !== 'Denied') await stage.trustKnownClient()
  if (!steps[0]?.text.startsWith('connects')) await stage.beginWelcomed()
  for (const step of steps) await stage.play(step)
  await stage.expectNothingElse()
}

class Stage {
  readonly #values = new DocumentedValues()
  #running: RunningApp
  #client: WsClient | undefined
  #framesTaken = 0
  #answer: RawAnswer | undefined

  constructor(running: RunningApp) {
    this.#running = running
  }

  async trustKnownClient(): Promise<void> {
    await this.#running.app.ports.trustedClients.add(KNOWN_CLIENT)
  }

  async beginWelcomed(): Promise<void> {
    await this.#connect()
    this.#client?.send({ t: 'hello', ...KNOWN_CLIENT })
    expect(JSON.parse(await this.#nextFrame())).toMatchObject({ t: 'welcome' })
  }

  async play({ actor, text, fences }: Step): Promise<void> {
    switch (actor) {
      case 'client':
        if (text.startsWith('connects')) await this.#connect()
        for (const line of linesOf(fences, 'json client')) this.#client?.send(this.#values.actual(line))
        return
      case 'hookline':
        return this.#expectOfHookline(text, fences)
      case 'operator':
        return this.#operate(text)
      case 'sender':
        this.#answer = await rawRequest(await this.#request(linesOf(fences, 'http request')))
        return
      case 'market':
        vi.setSystemTime(START + LATER_MS)
        return
      default:
        throw new Error(`nobody plays the ${actor}`)
    }
  }

  /** hookline has sent no frame that is not in the document, nor has it one in hand: snapshots are held back for a moment. */
  async expectNothingElse(): Promise<void> {
    const client = this.#client
    await pause(2 * LISTENER_LIMITS.snapshotMs)
    if (client?.ws.readyState === client?.ws.OPEN) await client?.settled()
    expect(client?.untaken).toEqual([])
  }

  async #connect(): Promise<void> {
    this.#client = await WsClient.open()
    this.#framesTaken = 0
  }

  /** As it was sent: decoding would hide a field that the document does not have. */
  async #nextFrame(): Promise<string> {
    await this.#client?.nextFrame()
    return this.#client?.received[this.#framesTaken++] ?? ''
  }

  async #expectOfHookline(text: string, fences: readonly Fence[]): Promise<void> {
    for (const line of linesOf(fences, 'json server')) this.#values.expectLike(await this.#nextFrame(), line)
    for (const fence of fences.filter(({ info }) => info === 'http answer')) this.#expectAnswer(fence)
    const code = /closes with `(\d+)`/.exec(text)?.[1]
    if (code !== undefined) expect(await this.#client?.closed()).toMatchObject({ code: Number(code) })
  }

  #expectAnswer({ lines }: Fence): void {
    const [statusLine = '', ...rest] = lines
    const [head, body] = [rest.slice(0, rest.indexOf('')), rest.slice(rest.indexOf('') + 1)]
    expect(statusLine.split(' ')[1]).toBe(String(this.#answer?.status))
    for (const header of head) {
      const [name = '', value] = header.split(': ')
      expect(this.#answer?.headers[name.toLowerCase()]).toBe(value)
    }
    this.#values.expectLike(this.#answer?.body ?? '', body.join('\n'))
  }

  async #operate(text: string): Promise<void> {
    const { app, directory, writeConfig } = this.#running
    const typed = /types `([^`]+)`/.exec(text)?.[1]
    const config = /writes `([^`]+)` to `config.json`/.exec(text)?.[1]
    if (text.startsWith('starts hookline again')) this.#running = await startApp({ directory })
    else if (config !== undefined) writeConfig(JSON.parse(config))
    else if (typed === 'y' || typed === 'n') await this.#decide(typed === 'y' ? 'approved' : 'denied')
    else if (typed === 'exit') await app.stop(0)
    else if (typed === undefined) throw new Error(`the operator does not know how to: ${text}`)
    else await app.runner.run({ runId: 'typed', source: 'repl', command: this.#values.actual(typed) })
  }

  async #decide(decision: 'approved' | 'denied'): Promise<void> {
    await vi.waitUntil(() => this.#running.questions.at(-1)?.question)
    // An operator reads before answering.
    await pause(APPROVAL_LIMITS.readMs + 100)
    expect((await this.#running.app.answer(decision)).outcome).toBe(decision)
  }

  /** The request's bytes. A hook that no step has made was made before; a token that was shown is taken from the screen. */
  async #request(lines: readonly string[]): Promise<string> {
    const documented = lines.join('\r\n')
    const [id = '', token = ''] = [/\/hook\/(\w+)/, /X-Hook-Token: (\w+)/].map((part) => part.exec(documented)?.[1])
    if (!this.#values.knows(id)) {
      const hook = await this.#running.createHook()
      this.#values.bind(id, hook.id)
      this.#values.bind(token, hook.secret)
    } else if (!this.#values.knows(token)) {
      this.#values.bind(token, /token +([0-9a-f]{32})/.exec(this.#running.output.join('\n'))?.[1] ?? '')
    }
    return `${this.#values.actual(documented)}\r\n\r\n`
  }
}

function linesOf(fences: readonly Fence[], info: string): readonly string[] {
  return fences.filter((fence) => fence.info === info).flatMap(({ lines }) => lines)
}
