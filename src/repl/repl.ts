// The operator's terminal: lines in, output of their own and of everyone else's runs out. Whether a person or a pipe feeds it
// is decided once, here.
import type { Readable, Writable } from 'node:stream'
import { defined } from '../base/defined.ts'
import type { CompletionNames } from '../commands/kit/command.ts'
import type { Terminal } from '../commands/kit/ports.ts'
import type { OutputKind, RunResult, RunSink } from '../runs/run.ts'
import type { StoreProblem } from '../stores/store-error.ts'
import type { FullView } from '../terminal/full-screen.ts'
import { createJsonPrinter } from '../terminal/json-printer.ts'
import { createPrinter, type Printer } from '../terminal/printer.ts'
import { mayColour } from '../terminal/render.ts'
import { createScreen, type Screen } from '../terminal/screen.ts'
import { completeLine } from './completer.ts'
import type { EndReason, Front, FrontPorts } from './front.ts'
import { type History, openHistory } from './history.ts'
import type { OverQuestion, Urgency } from './immediate.ts'
import { openPipeFront } from './pipe-front.ts'
import { type PromptState, promptText } from './prompt.ts'
import { openTerminalFront, type TerminalFront } from './terminal-front.ts'

export interface ReplPorts {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable & { readonly isTTY?: boolean; readonly columns?: number }
  readonly env: NodeJS.ProcessEnv
  /** Prints data instead of text: for a pipe. */
  readonly json?: boolean
  /** Runs a typed line with source `repl`. Resolves when it has finished; never rejects. @param account default: the one in focus */
  run(line: string, onWait?: () => void, account?: string): Promise<RunResult>
  addSink(sink: RunSink): () => void
  /** Offers a line to the pending question before it is run. @returns whether it was taken as the answer */
  answer?(line: string): boolean
  /** When the line runs while another does. Default: in its turn. */
  urgencyOf?(line: string): Urgency
  /** What the line does over an open question. Default: `panic` and `halt` alone run, and answer it with n. */
  /** Whether it does more when it runs twice. */
  ordersTwice?(line: string): boolean
  overQuestion?(line: string): OverQuestion | undefined
  /** Whether the line may ask for secrets. Default: none does. */
  asks?(line: string): boolean
  /** Cuts short the runs of the lines being executed; without it, Ctrl-C only ever quits. */
  interrupt?(): void
  /** Read at every Tab. */
  completion(): CompletionNames
  /** Read after every line and once a second. */
  promptState(): PromptState
  readonly historyFile: string
  /** What the history keeps of a line. Default: all. */
  hideSecrets?(line: string): string
  /** Fed by a pipe: stop at the first line that fails (behaviour 35). */
  readonly strict?: boolean
}

interface ReplEnd {
  /** Lines whose run did not succeed. */
  readonly failedLines: number
  /** `exit` (the command, or `stop()`), `end` of input or of the terminal, `interrupt` (Ctrl-C twice), or `failed` (of a pipe). */
  readonly reason: EndReason
}

export interface Repl {
  /** A notice, above the prompt. */
  print(kind: OutputKind, text: string): void
  readonly terminal: Terminal
  /** Resolves once no more lines are read and what was printed by then is flushed. Runs go on printing until `finish()`. */
  readonly closed: Promise<ReplEnd>
  /** Reads no more lines. */
  stop(): void
  /** Prints no more runs. Resolves when all output was handed to the system. */
  finish(): Promise<void>
}

/** Starts reading at once. A terminal gets a prompt and colours; anything else is read line by line (behaviour 35). */
export function startRepl(ports: ReplPorts): Repl {
  return new StartedRepl(ports)
}

class StartedRepl implements Repl {
  readonly terminal: Terminal
  readonly closed: Promise<ReplEnd>
  readonly #ports: ReplPorts
  readonly #screen: Screen
  readonly #printer: Printer
  readonly #front: Front
  readonly #removeSink: () => void
  #resolveClosed: (end: ReplEnd) => void = () => {}
  #failedLines = 0
  /** Lines being executed: besides the one whose turn it is, those that run at once. */
  #executing = 0
  #quitting = false
  #ended = false

  constructor(ports: ReplPorts) {
    const { input, output, env } = ports
    const interactive = input.isTTY === true && output.isTTY === true && env.TERM !== 'dumb'
    const notKept = ({ message }: StoreProblem): void => this.print('warn', `the history is not kept: ${message}`)
    const history = openHistory(ports.historyFile, notKept, ports.hideSecrets)
    this.#ports = ports
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve
    })
    this.#screen = createScreen({ output })
    // Where lines come from changes nothing: a file or a pipe that is written to has no width.
    const columns = output.isTTY === true && ports.json !== true ? () => output.columns || undefined : undefined
    this.#printer = ports.json
      ? createJsonPrinter((line) => this.#screen.show([line]))
      : createPrinter(this.#screen, interactive && mayColour(output, env), columns, () => ports.promptState().account)
    const { strict = false } = ports
    this.#front = interactive ? this.#openTerminal(history) : openPipeFront({ ...this.#frontPorts(), input, strict })
    // The reader of our output went away (EPIPE), or the terminal did.
    output.on('error', () => this.#end('end'))
    this.#removeSink = ports.addSink(this.#printer.sink)
    this.terminal = {
      askHidden: (question) => this.#front.askHidden(question),
      ask: (question) => this.#front.ask(question),
      ...(this.#front.confirm === undefined
        ? {}
        : { confirm: (question: string) => this.#front.confirm?.(question) ?? Promise.resolve(false) }),
      ...(this.#front.show === undefined ? {} : { show: async (view: FullView) => this.#front.show?.(view) }),
      ...defined({ columns }),
      times: { zone: 'utc' },
      clear: () => this.#screen.clear(),
      history: () => history.lines(),
      quit: () => this.#quit(),
    }
  }

  print(kind: OutputKind, text: string): void {
    this.#printer.print(kind, text)
  }

  stop(): void {
    this.#end('exit')
  }

  async finish(): Promise<void> {
    this.#removeSink()
    await this.#screen.close()
  }

  #frontPorts(): FrontPorts {
    return {
      execute: (line, onWait, account) => this.#execute(line, onWait, account),
      answer: (line) => this.#ports.answer?.(line) ?? false,
      asks: (line) => this.#ports.asks?.(line) ?? false,
      print: (kind, text) => this.print(kind, text),
      end: (reason) => this.#end(reason),
    }
  }

  #openTerminal(history: History): TerminalFront {
    const ports = this.#ports
    const front = openTerminalFront({
      ...this.#frontPorts(),
      input: ports.input,
      output: ports.output,
      history,
      coloured: mayColour(ports.output, ports.env),
      hold: (onLines) => this.#screen.hold(onLines),
      prompt: (counts) => promptText(ports.promptState(), counts, ports.output.columns),
      complete: (beforeCursor) => completeLine(beforeCursor, ports.completion()),
      urgencyOf: (line) => ports.urgencyOf?.(line) ?? 'in-turn',
      overQuestion: (line) => ports.overQuestion?.(line),
      ordersTwice: (line) => ports.ordersTwice?.(line) ?? false,
      ...(ports.interrupt ? { interrupt: () => ports.interrupt?.() } : {}),
    })
    this.#screen.setFooter(front.footer)
    return front
  }

  async #execute(line: string, onWait?: () => void, account?: string): Promise<boolean> {
    this.#executing++
    const { success } = await this.#ports.run(line, onWait, account)
    this.#executing--
    if (!success) this.#failedLines++
    if (this.#quitting) this.#end('exit')
    else this.#front.refresh()
    return success
  }

  /** The line that quits is counted like any other: the end waits for its result. */
  #quit(): void {
    this.#quitting = true
    if (this.#executing === 0) this.#end('exit')
  }

  #end(reason: EndReason): void {
    if (this.#ended) return
    this.#ended = true
    this.#front.close()
    void this.#screen.close().then(() => this.#resolveClosed({ failedLines: this.#failedLines, reason }))
  }
}
