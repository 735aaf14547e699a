// A person at a terminal: lines typed ahead wait their turn, an answer to a pending question and what stops or only looks do not, and
// Ctrl-C means the nearest thing it can (the running lines, the typed line, the program).
import type { Readable, Writable } from 'node:stream'
import { defined } from '../base/defined.ts'
import { printable } from '../language/printable.ts'
import type { FullView } from '../terminal/full-screen.ts'
import type { Footer } from '../terminal/screen.ts'
import { withoutComment } from './comment.ts'
import type { Completion } from './completer.ts'
import type { Front, FrontPorts } from './front.ts'
import type { History } from './history.ts'
import type { OverQuestion, Urgency } from './immediate.ts'
import type { LineCounts } from './prompt.ts'
import { TerminalLine } from './terminal-line.ts'

interface TerminalFrontPorts extends FrontPorts {
  readonly input: Readable
  readonly output: Writable
  readonly history: History
  readonly coloured: boolean
  prompt(counts: LineCounts): string
  hold(onLines: (lines: readonly string[]) => void): () => void
  complete(beforeCursor: string): Completion
  urgencyOf(line: string): Urgency
  overQuestion(line: string): OverQuestion | undefined
  ordersTwice(line: string): boolean
  /** Cuts the running lines short. */
  interrupt?(): void
}

export interface TerminalFront extends Front {
  /** The line being edited, below the output. */
  readonly footer: Footer
  /** Gives the terminal to a view until that closes. */
  show(view: FullView): void
}

const QUIT_WINDOW_MS = 2_000
/** A line that has ended by then was never shown as running: the prompt would only flicker. */
const SHOW_RUNNING_MS = 150
const MAX_SHOWN_LINE = 200
/** The same line again by then is a slip of a key, or a paste that came twice. */
const AGAIN_MS = 1_000
/** A line that has run for so long is held by a venue or by itself: what protects a position goes past it. */
const LONG_MS = 2_000

interface RunOptions {
  readonly onWait?: () => void
  readonly account?: string
}

/** Lines being executed, for the prompt. */
class RunningLines {
  /** When each began. */
  readonly #lines = new Set<{ readonly at: number }>()
  readonly #execute: FrontPorts['execute']
  /** The prompt may have to change. */
  readonly #changed: () => void

  constructor(execute: FrontPorts['execute'], changed: () => void) {
    this.#execute = execute
    this.#changed = changed
  }

  get count(): number {
    return this.#lines.size
  }

  /** Those that have run for long enough to be shown. */
  shown(): number {
    const before = performance.now() - SHOW_RUNNING_MS
    return [...this.#lines].filter(({ at }) => at <= before).length
  }

  /** Whether each has run for longer than what follows it would wait for. */
  get isHeld(): boolean {
    const before = performance.now() - LONG_MS
    return [...this.#lines].every(({ at }) => at <= before)
  }

  async run(line: string, { onWait, account }: RunOptions = {}): Promise<boolean> {
    const start = { at: performance.now() }
    this.#lines.add(start)
    const timer = setTimeout(this.#changed, SHOW_RUNNING_MS + 1)
    const succeeded = await this.#execute(line, onWait, account)
    clearTimeout(timer)
    this.#lines.delete(start)
    this.#changed()
    return succeeded
  }
}

class PersonFront implements TerminalFront {
  readonly footer: TerminalLine
  readonly #ports: TerminalFrontPorts
  readonly #running: RunningLines
  readonly #queue: LineQueue
  /** Ctrl-C was pressed, and some of what ran then may still be running. */
  #interrupted = false
  #quitAskedAt = Number.NEGATIVE_INFINITY
  #last = { text: '', at: Number.NEGATIVE_INFINITY }

  constructor(ports: TerminalFrontPorts) {
    this.#ports = ports
    this.#running = new RunningLines(ports.execute, () => {
      this.#interrupted &&= this.#running.count > 0
      this.footer.refresh()
    })
    this.#queue = createLineQueue({
      execute: ({ text, isLate, account }, onWait) => {
        if (isLate) ports.print('info', `> ${shown(text)}`)
        let isReported = false
        const reportWait = () => {
          if (onWait === undefined || isReported) return
          isReported = true
          ports.print('info', 'this line runs in the background; `runs` lists it, Ctrl-C or `cancel <run>` ends it')
          onWait()
        }
        return this.#running.run(text, { onWait: reportWait, ...defined({ account }) })
      },
      onBlockFailed: (notRun) => {
        ports.print('warn', `that line failed, so ${describeLines(notRun)} after it did not run`)
      },
    })
    this.footer = this.#openEditor()
  }

  askHidden(question: string): Promise<string> {
    return this.footer.askHidden(question)
  }

  ask(question: string): Promise<string> {
    return this.footer.ask(question)
  }

  confirm(question: string): Promise<boolean> {
    return this.footer.confirm(question)
  }

  refresh(): void {
    this.footer.refresh()
  }

  show(view: FullView): void {
    this.footer.show(view)
  }

  close(): void {
    this.#queue.drop()
    this.footer.close()
  }

  #openEditor(): TerminalLine {
    const { input, output, history, coloured, complete, print, prompt, hold, end, overQuestion } = this.#ports
    return new TerminalLine({
      input,
      output,
      history,
      coloured,
      complete,
      print,
      hold,
      overQuestion,
      prompt: () => prompt(this.#counts()),
      submit: (line, account) => this.#submit(line, account),
      submitBlock: (lines) => this.#submitBlock(lines),
      stopRunning: () => this.#stopRunning(),
      onInterrupt: () => this.#onInterrupt(),
      onEnd: () => end('end'),
    })
  }

  #counts(): LineCounts {
    const queued = this.#queue.waiting
    return { running: queued > 0 ? this.#running.count : this.#running.shown(), queued }
  }

  #submit(line: string, account?: string): boolean {
    const { answer } = this.#ports
    if (line.trim() === '' || answer(line)) return false
    const command = withoutComment(line)
    if (command.trim() === '') return true
    this.#interrupted = false
    const before = this.#last
    this.#last = { text: command.trim(), at: performance.now() }
    const ago = this.#last.at - before.at
    if (ago <= AGAIN_MS && before.text === this.#last.text && this.#ports.ordersTwice(command)) {
      void this.#askAgain(command, account, ago)
      return true
    }
    return this.#take(command, account)
  }

  #take(command: string, account?: string): boolean {
    const { print } = this.#ports
    if (this.#queue.busy) {
      const urgency = this.#ports.urgencyOf(command)
      const isAtOnce = urgency === 'at-once' || (urgency === 'asks' && this.#queue.waiting === 0)
      if (isAtOnce || (urgency === 'protects' && this.#queue.waiting === 0 && this.#running.isHeld)) {
        void this.#running.run(command, defined({ account }))
        return true
      }
      if (urgency === 'asks') {
        void this.#askToOvertake(command, account)
        return true
      }
      print('info', `queued: ${shown(command)}`)
    }
    this.#queue.add(command, account)
    return true
  }

  async #askAgain(command: string, account: string | undefined, ago: number): Promise<void> {
    const seconds = (ago / 1_000).toFixed(1)
    if (await this.confirm(`\`${shown(command)}\` was entered ${seconds} s ago; run it again? y or n > `)) {
      this.#take(command, account)
    } else this.#ports.print('info', 'canceled: the line runs once')
  }

  /** What the waiting lines place would come after it, and stay. */
  async #askToOvertake(command: string, account: string | undefined): Promise<void> {
    const waiting = describeLines(this.#queue.waiting)
    const isNow = await this.confirm(
      `run \`${shown(command)}\` before ${waiting} in the queue? n keeps its turn; y or n > `,
    )
    if (isNow) void this.#running.run(command, defined({ account }))
    else this.#queue.add(command, account)
  }

  #submitBlock(lines: readonly string[]): void {
    this.#interrupted = false
    for (const line of lines) this.#ports.history.add(line)
    this.#queue.addBlock(lines.map(withoutComment).filter((line) => line.trim() !== ''))
  }

  #stopRunning(): boolean {
    const { interrupt, print } = this.#ports
    if (this.#running.count === 0 || this.#interrupted || !interrupt) return false
    this.#interrupted = true
    const dropped = this.#queue.drop()
    if (dropped > 0) print('warn', `${describeLines(dropped)} in the queue dropped`)
    interrupt()
    return true
  }

  #onInterrupt(): void {
    const now = performance.now()
    if (now - this.#quitAskedAt < QUIT_WINDOW_MS) return this.#ports.end('interrupt')
    this.#quitAskedAt = now
    this.#ports.print('info', 'press Ctrl-C again or type exit to quit')
  }
}

export function openTerminalFront(ports: TerminalFrontPorts): TerminalFront {
  return new PersonFront(ports)
}

function shown(line: string): string {
  return printable(line, MAX_SHOWN_LINE)
}

function describeLines(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`
}

// Typed lines run one after another, in the order typed, also when they come faster than they end. A line that waits holds no other. The lines
// of a block belong together: each ends before the next begins, and when one fails, those after it do not run.

interface QueuedLine {
  readonly text: string
  /** It did not run as it was typed, so its text is far above its output. */
  readonly isLate: boolean
  /** Default: the account in focus when it runs. */
  readonly account?: string
}

interface LineQueuePorts {
  /** Never rejects. @param onWait the line waits, and the next one may begin; absent: the next one waits for its end @returns whether the line succeeded */
  execute(line: QueuedLine, onWait?: () => void): Promise<boolean>
  /** A line of a block failed; `notRun` lines of it are forgotten. */
  onBlockFailed(notRun: number): void
}

interface LineQueue {
  add(line: string, account?: string): void
  addBlock(lines: readonly string[]): void
  /** A line is being executed. */
  readonly busy: boolean
  /** Lines not yet started. */
  readonly waiting: number
  /** Forgets the lines not yet started. @returns how many */
  drop(): number
}

interface Entry extends QueuedLine {
  /** The same object for all lines of a block. */
  readonly block?: object
}

function createLineQueue({ execute, onBlockFailed }: LineQueuePorts): LineQueue {
  let waiting: Entry[] = []
  let busy = false

  async function work(): Promise<void> {
    if (busy) return
    busy = true
    for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
      if (line.block === undefined) {
        await endedOrWaiting(line)
      } else if (!(await execute(line))) {
        endBlock(line.block)
      }
    }
    busy = false
  }

  function endedOrWaiting(line: Entry): Promise<unknown> {
    return new Promise((resolve) => void execute(line, () => resolve(undefined)).then(resolve))
  }

  function endBlock(block: object): void {
    const others = waiting.filter((line) => line.block !== block)
    const notRun = waiting.length - others.length
    waiting = others
    if (notRun > 0) onBlockFailed(notRun)
  }

  return {
    add(text, account) {
      waiting.push({ text, isLate: busy, ...defined({ account }) })
      void work()
    },
    addBlock(lines) {
      const block = {}
      waiting.push(...lines.map((text) => ({ text, isLate: true, block })))
      void work()
    },
    get busy() {
      return busy
    },
    get waiting() {
      return waiting.length
    },
    drop() {
      const { length } = waiting
      waiting = []
      return length
    },
  }
}
