// The line being typed on a terminal: node:readline plus what it lacks, which is output above the line, a prompt that changes
// while one types, answers that are not shown, pastes that do not run by themselves, and a search of the history.
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { CommandError } from '../commands/kit/errors.ts'
import { printable } from '../language/printable.ts'
import type { OutputKind } from '../runs/run.ts'
import { fitLines } from '../terminal/fit.ts'
import { FullScreen, type FullView } from '../terminal/full-screen.ts'
import type { Footer } from '../terminal/screen.ts'
import { askAboutBlock, blockQuestion, describeBlock } from './block-question.ts'
import type { Completion } from './completer.ts'
import { readHiddenAnswer } from './hidden-answer.ts'
import { HISTORY_LINES, type History } from './history.ts'
import { type Found, HistorySearch, type SearchEnd } from './history-search.ts'
import type { OverQuestion } from './immediate.ts'
import { takeKeys } from './key-owner.ts'
import { KeyStream, LEAVE_PASTES, MARK_PASTES } from './key-stream.ts'
import { repairReadline, replaceLine, startAtThisRow } from './readline-repairs.ts'

/** Something else than the line gets the keys and shows its own prompt. */
interface Mode {
  cancel(): void
  take?(text: string): void
  readonly isHidden?: true
}

const REFRESH_MS = 1_000
/** The prompt stays as it is while keys come. */
const TYPING_MS = 250
/** Longer, and Esc would seem not to work; shorter, and a slow connection would tear the arrow keys apart. */
const ESCAPE_MS = 100
const MAX_QUESTION = 400
const MAX_SHOWN_QUERY = 40
/** A question takes the first letter of `nuke` for its answer. */
const REST_OF_NUKE = /^uke(?:\s|$)/i

export class TerminalLine implements Footer {
  readonly #ports: TerminalLinePorts
  readonly #keys: KeyStream
  readonly #rl: Interface
  readonly #refreshing: NodeJS.Timeout
  readonly #suspension
  #shown: string
  #lastKeyAt = 0
  #closed = false
  #mode: Mode | undefined
  #view: FullScreen | undefined
  /** Present while the view has the terminal: ends that. */
  #giveBack: (() => void) | undefined
  #comeBack: () => void = () => {}
  #lastQuestion: Promise<unknown> = Promise.resolve()
  /** Readline's own list of lines, youngest first. */
  #recent: string[] = []
  /** The line from before a question, until the next Enter. `rest`: of the word that answered. */
  #broughtBack: { readonly line: string; readonly cursor: number; readonly rest: string } | undefined

  /** Puts the terminal in raw mode and draws the prompt. */
  constructor(ports: TerminalLinePorts) {
    const { output, history } = ports
    this.#ports = ports
    this.#shown = ports.prompt()
    this.#keys = new KeyStream({
      input: ports.input,
      onBlock: (lines) => this.#onBlock(lines),
      onPastedOverQuestion: () => {
        if (this.#mode !== undefined) this.#warnOfQuestion()
        else this.#view?.onPaste()
      },
      onPieceOverQuestion: (text) => this.#mode?.take?.(text),
      onTooLong: () => ports.print('warn', 'the paste is too long and was not taken'),
    })
    this.#rl = createInterface({
      input: this.#keys,
      output,
      terminal: true,
      prompt: this.#shown,
      history: history.lines().toReversed(),
      historySize: HISTORY_LINES,
      completer: (beforeCursor: string) => ports.complete(beforeCursor),
      escapeCodeTimeout: ESCAPE_MS,
    })
    repairReadline(this.#rl, this.#keys)
    this.#suspension = createSuspension({
      leave: () => this.#leaveTerminal(),
      restore: () => this.#restoreTerminal(),
      onNotStopped: () => ports.print('info', 'Ctrl-Z needs a shell that can continue hookline; no such shell found'),
    })
    this.#listen()
    this.#refreshing = setInterval(() => this.#refreshWhenIdle(), REFRESH_MS).unref()
    output.write(MARK_PASTES)
    this.#rl.prompt()
  }

  erase(): void {
    const { output } = this.#ports
    moveCursor(output, 0, -this.#rl.getCursorPos().rows)
    cursorTo(output, 0)
    clearScreenDown(output)
  }

  draw(): void {
    if (this.#closed) return
    startAtThisRow(this.#rl)
    this.#rl.prompt(true)
  }

  /** Shows the prompt as it should be now, if it looks different. */
  refresh(): void {
    const prompt = this.#ports.prompt()
    if (this.#closed || this.#mode || this.#giveBack || prompt === this.#shown) return
    this.#shown = prompt
    this.#redraw(prompt)
  }

  /**
   * Shows `question`, and nothing of what is typed. The line typed so far comes back afterwards. One question at a time.
   * @throws {CommandError} `cancelled`
   */
  askHidden(question: string): Promise<string> {
    return this.#inTurn(() => this.#ask(asked(question)))
  }

  /** As `askHidden`, and shows what is typed. */
  ask(question: string): Promise<string> {
    const shown = asked(question)
    return this.#inTurn(() => this.#ask(shown, (typed) => this.#redraw(`${shown}${printable(typed, MAX_QUESTION)}`)))
  }

  /** One key answers; anything but `y` means no. */
  confirm(question: string): Promise<boolean> {
    return this.#inTurn(() => this.#confirm(asked(question)))
  }

  #inTurn<T>(ask: () => Promise<T>): Promise<T> {
    const answer = this.#lastQuestion.then(async () => {
      const comeBack = this.#leaveView()
      return ask().finally(comeBack)
    })
    // The asker handles a canceled question; the next one is asked all the same.
    this.#lastQuestion = answer.catch(() => {})
    return answer
  }

  /** Gives the terminal to a view until that closes. Questions leave it and come back to it. */
  show(view: FullView): void {
    if (this.#closed) return
    const { output, coloured, print } = this.#ports
    // Its next keys would be taken for keys of the view.
    if (this.#rl.line !== '' || this.#mode) return print('info', 'the line that is being typed comes first')
    this.#view?.close()
    const screen = new FullScreen({
      output,
      view,
      coloured,
      run: (line, account) => this.#runFromView(line, account),
      onClosed: (bug) => {
        this.#view = undefined
        this.#giveBack?.()
        if (bug !== undefined) print('error', `the view has ended: ${printable(String(bug), MAX_QUESTION)}`)
      },
    })
    this.#view = screen
    this.#giveTerminal(screen)
    screen.open()
  }

  #giveTerminal(view: FullScreen): void {
    const release = this.#ports.hold((lines) => view.received(lines))
    this.erase()
    const giveBackKeys = takeKeys(this.#keys, (text, key) => {
      if (key.ctrl && key.name === 'z') this.#suspension.suspend()
      else view.onKey(text, key)
    })
    // A paste must neither choose nor run anything.
    this.#keys.asking = 'key'
    this.#giveBack = () => {
      this.#giveBack = undefined
      this.#keys.asking = 'no'
      giveBackKeys()
      this.#shown = this.#ports.prompt()
      this.#rl.setPrompt(this.#shown)
      const { output } = this.#ports
      output.cork()
      this.draw()
      release()
      output.uncork()
    }
  }

  /** Shows the line instead of the view. @returns shows the view again, if it is still there */
  #leaveView(): () => void {
    const view = this.#view
    if (view === undefined || this.#giveBack === undefined) return () => {}
    view.suspend()
    this.#giveBack()
    return () => {
      if (this.#view !== view || this.#closed) return
      this.#giveTerminal(view)
      view.resume()
    }
  }

  #runFromView(line: string, account: string): void {
    const { print, submit, history } = this.#ports
    print('info', `> ${printable(line)}`)
    if (submit(line, account)) history.add(line)
    this.#takeHistory()
  }

  close(): void {
    if (this.#closed) return
    this.#view?.close()
    this.#closed = true
    clearInterval(this.#refreshing)
    this.#suspension.close()
    this.#mode?.cancel()
    this.#ports.output.write(LEAVE_PASTES)
    this.#rl.close()
    this.#keys.close()
  }

  #listen(): void {
    const rl = this.#rl
    const end = () => this.#end()
    this.#keys.on('keypress', () => {
      this.#lastKeyAt = performance.now()
    })
    // Readline takes a half-typed line for a whole one when the terminal goes away. Enter was not pressed: it must not run.
    this.#keys.prependOnceListener('end', end)
    rl.on('error', end)
    rl.on('close', end)
    rl.on('history', (lines) => {
      this.#recent = lines
    })
    rl.on('line', (line) => this.#submit(line))
    rl.on('SIGINT', () => {
      if (this.#ports.stopRunning()) return
      if (rl.line === '') this.#ports.onInterrupt()
      else this.#clearLine()
    })
    rl.on('SIGTSTP', () => this.#suspension.suspend())
    this.#keys.on('keypress', (_text, key) => {
      if (key.ctrl && key.name === 'r' && !this.#mode && !this.#closed) this.#search()
    })
  }

  #submit(line: string): void {
    if (this.#closed) return
    const nuke = this.#nukeAfterAnswer(line)
    if (nuke !== undefined) return this.#submitOver(nuke)
    if (this.#isOfAnswer(line)) return
    const { submit, history, prompt } = this.#ports
    if (submit(line)) history.add(line)
    this.#takeHistory()
    this.#shown = prompt()
    this.#rl.setPrompt(this.#shown)
    this.draw()
  }

  /** A line that was typed over a question, with an Enter of its own. */
  #submitOver(line: string): void {
    this.#broughtBack = undefined
    this.#submit(line)
  }

  /** After an answer, the line from before comes back. The first Enter may still belong to the answer, as may the rest of its word. */
  #bringBack(line: string, cursor: number, rest = ''): void {
    this.#broughtBack = { line, cursor, rest }
    this.#redraw(this.#shown, line, cursor)
  }

  /** The first letter of `nuke`, typed over a question, has answered it with n. @returns the line, where what was entered is its rest */
  #nukeAfterAnswer(entered: string): string | undefined {
    if (this.#broughtBack?.rest !== 'o') return undefined
    const { line, cursor } = this.#broughtBack
    const [before, after] = [line.slice(0, cursor), line.slice(cursor)]
    if (!entered.startsWith(before) || !entered.endsWith(after)) return undefined
    const rest = entered.slice(before.length, entered.length - after.length)
    if (!REST_OF_NUKE.test(rest)) return undefined
    this.#ports.print('info', `> ${printable(`n${rest}`.trim())}`)
    return `n${rest}`.trim()
  }

  #isOfAnswer(entered: string): boolean {
    const before = this.#broughtBack
    this.#broughtBack = undefined
    if (before === undefined) return false
    const { line, cursor, rest } = before
    const isWord = rest !== '' && entered === line.slice(0, cursor) + rest + line.slice(cursor)
    if (!isWord && (line === '' || entered !== line)) return false
    if (line !== '') this.#ports.print('info', `\`${printable(line, MAX_SHOWN_QUERY)}\` did not run: Enter runs it now`)
    this.#takeHistory()
    this.#redraw(this.#shown, line, cursor)
    return true
  }

  /** Readline keeps every line; ours leaves some out. */
  #takeHistory(): void {
    this.#recent.splice(0, this.#recent.length, ...this.#ports.history.lines().toReversed())
  }

  async #ask(question: string, show?: (typed: string) => void): Promise<string> {
    if (this.#closed) throw new CommandError('cancelled', 'canceled: the terminal is closed')
    this.#mode?.cancel()
    const { line } = this.#rl
    this.#clearLine()
    this.#redraw(question)
    const hidden = readHiddenAnswer(this.#keys, show)
    this.#mode = { cancel: hidden.cancel, isHidden: true }
    try {
      return await hidden.answer
    } finally {
      this.#mode = undefined
      this.#ports.output.write('\n')
      this.#rl.setPrompt(this.#shown)
      this.draw()
      if (!this.#closed) this.#bringBack(line, line.length)
    }
  }

  async #confirm(question: string): Promise<boolean> {
    if (this.#closed) return false
    this.#mode?.cancel()
    const { line, cursor } = this.#rl
    this.#redraw(this.#fitted(question), '')
    this.#keys.asking = 'line'
    let stop: string | undefined
    const answer = await new Promise<boolean | undefined>((resolve) => {
      this.#mode = askAboutBlock(this.#keys, resolve, (typed) => {
        stop = this.#answerIn(typed, line)
        if (stop !== undefined) this.#mode?.cancel()
        else if (!this.#look(typed)) this.#warnOfQuestion(typed)
      })
    })
    this.#keys.asking = 'no'
    this.#mode = undefined
    const isYes = answer === true
    if (!this.#closed) {
      this.#keepAnswer(question, answer, stop)
      if (stop === undefined) this.#bringBack(line, cursor, isYes ? 'es' : 'o')
      else this.#redraw(this.#shown, '')
    }
    if (stop !== undefined) this.#submitOver(stop)
    return isYes
  }

  /** The question leaves the screen with its prompt: its line stays. @param stop the line that was typed over it, and withdrew it */
  #keepAnswer(question: string, answer: boolean | undefined, stop?: string): void {
    const key = answer === undefined ? '' : answer ? 'y' : 'n'
    this.#ports.print('print', `${question}${key}`.trimEnd())
    if (answer !== undefined) return
    const typed = stop === undefined ? '' : `: you typed ${printable(stop, MAX_SHOWN_QUERY)}`
    this.#ports.print('info', `withdrawn${typed}`)
  }

  /**
   * A line that closes, cancels, stops or protects waits for no answer: the question is answered with n.
   * @param before what was being typed when the question came @returns undefined: `typed` is another line
   */
  #answerIn(typed: string, before = ''): string | undefined {
    const isAnswer = (line: string) => {
      // These work whatever else the line has.
      if (/^(?:panic|halt)(?:\s|$)/i.test(line)) return true
      const kind = this.#ports.overQuestion(line)
      // The end of `buy $100 stop -2%` alone is another line than its typist means.
      return kind === 'answers' || (kind === 'protects' && (before.trim() === '' || line !== typed.trim()))
    }
    // The first letter was a key of its own, and came before the question could be read.
    return [REST_OF_NUKE.test(typed) ? `n${typed}` : typed, before + typed].map((line) => line.trim()).find(isAnswer)
  }

  /** Runs a line that only reads; the question stays. @returns whether it is one */
  #look(typed: string): boolean {
    const line = typed.trim()
    if (this.#ports.overQuestion(line) !== 'looks') return false
    this.#ports.print('info', `> ${printable(line)}`)
    if (this.#ports.submit(line)) this.#ports.history.add(line)
    this.#takeHistory()
    return true
  }

  /** @param typed over it: it does not run, and Up brings it back */
  #warnOfQuestion(typed = ''): void {
    const line = typed.trim()
    if (line !== '') {
      this.#ports.history.add(line)
      this.#takeHistory()
    }
    const subject = line === '' ? '' : `\`${printable(line, MAX_SHOWN_QUERY)}\` did not run: `
    const runs = 'lines that read, protect, close, cancel or stop still run, except `watch`'
    this.#ports.print('warn', `${subject}press y or n first; ${runs}`)
  }

  #search(): void {
    const { line, cursor } = this.#rl
    this.#mode = new HistorySearch({
      input: this.#keys,
      lines: this.#ports.history
        .lines()
        .map((each) => printable(each))
        .toReversed(),
      show: (query, found) => this.#showSearch(query, found),
      end: (end) => this.#endSearch(end, line, cursor),
    })
  }

  #showSearch(query: string, found: Found | undefined): void {
    const none = query !== '' && found === undefined ? ' (not found)' : ''
    this.#redraw(`search: ${printable(query, MAX_SHOWN_QUERY)}${none} > `, found?.line ?? '', found?.at)
  }

  #endSearch(end: SearchEnd, line: string, cursor: number): void {
    this.#mode = undefined
    if (end.type === 'leave') this.#redraw(this.#shown, line, cursor)
    else this.#redraw(this.#shown, end.line)
    if (end.type === 'run') this.#rl.write(null, { name: 'return' })
  }

  #onBlock(lines: readonly string[]): void {
    if (this.#closed) return
    if (this.#mode?.isHidden) {
      return this.#ports.print('warn', 'this answer is one line, so the pasted lines were not taken')
    }
    this.#mode?.cancel()
    const { line, cursor } = this.#rl
    this.#ports.print('info', describeBlock(lines))
    this.#redraw(blockQuestion(lines), '')
    this.#keys.asking = 'line'
    let stop: string | undefined
    this.#mode = askAboutBlock(
      this.#keys,
      (answer) => {
        const isYes = answer === true
        this.#keys.asking = 'no'
        this.#mode = undefined
        this.#keepAnswer(blockQuestion(lines), answer, stop)
        if (!isYes) this.#ports.print('info', 'none of them ran')
        else this.#ports.submitBlock(lines)
        this.#takeHistory()
        this.#bringBack(line, cursor, isYes ? 'es' : 'o')
      },
      (typed) => {
        stop = this.#answerIn(typed, line)
        if (stop === undefined) return this.#look(typed) || this.#warnOfQuestion(typed)
        this.#mode?.cancel()
        this.#submitOver(stop)
      },
    )
  }

  #refreshWhenIdle(): void {
    const typing = performance.now() - this.#lastKeyAt < TYPING_MS
    if (!typing && !this.#ports.output.writableNeedDrain) this.refresh()
  }

  /** @param line what is being edited from now on; default: as it is */
  #redraw(prompt: string, line?: string, cursor?: number): void {
    const { output } = this.#ports
    output.cork()
    this.erase()
    this.#rl.setPrompt(prompt)
    if (line !== undefined) replaceLine(this.#rl, line, cursor)
    this.draw()
    output.uncork()
  }

  /** A terminal by itself breaks a long question within a word. */
  #fitted(question: string): string {
    const { columns = Number.POSITIVE_INFINITY } = this.#ports.output as { readonly columns?: number }
    // The keys that answer it stay together.
    const joined = question.trimEnd().replace(/y or n >$/, (keys) => keys.replaceAll(' ', '\u00a0'))
    const lines = fitLines([joined], columns - ' y'.length)
    return `${lines.join('\n').replaceAll('\u00a0', ' ')} `
  }

  #clearLine(): void {
    this.#rl.write(null, { ctrl: true, name: 'e' })
    this.#rl.write(null, { ctrl: true, name: 'u' })
  }

  #leaveTerminal(): void {
    this.#comeBack = this.#leaveView()
    this.erase()
    this.#ports.output.write(`stopped: nothing runs and hooks get no answer until you type \`fg\`\n${LEAVE_PASTES}`)
    this.#keys.setRawMode(false)
  }

  #restoreTerminal(): void {
    if (this.#closed) return
    // The shell has changed the mode meanwhile, which Node does not know: what is on already would not be set again.
    this.#keys.setRawMode(false)
    this.#keys.setRawMode(true)
    this.#ports.output.write(MARK_PASTES)
    // The shell has used the screen: what the view last wrote is not there.
    if (this.#giveBack !== undefined) this.#comeBack = this.#leaveView()
    this.draw()
    this.#comeBack()
    this.#comeBack = () => {}
  }

  #end(): void {
    if (this.#closed) return
    this.close()
    this.#ports.onEnd()
  }
}

function asked(question: string): string {
  return `${printable(question).trimEnd()} `
}

// What the line being typed needs from its surroundings.

interface TerminalLinePorts {
  readonly input: Readable
  readonly output: Writable
  readonly history: History
  readonly coloured: boolean
  /** The prompt as it should be now. */
  prompt(): string
  /** Writes nothing of what is printed until the end of that, and gives it to `heard`. @returns ends it */
  hold(onLines: (lines: readonly string[]) => void): () => void
  complete(beforeCursor: string): Completion
  print(kind: OutputKind, text: string): void
  /** Takes a line. @param account where it runs; default: the one in focus @returns whether it belongs in the history */
  submit(line: string, account?: string): boolean
  /** Takes the lines of a paste, once the operator wants them run. */
  submitBlock(lines: readonly string[]): void
  /** What the line does over a question; undefined: it waits for the answer. */
  overQuestion(line: string): OverQuestion | undefined
  /** Ctrl-C: stops what runs. @returns whether there was anything; if not, the typed line is cleared */
  stopRunning(): boolean
  /** Ctrl-C on an empty line, while nothing runs. */
  onInterrupt(): void
  /** Ctrl-D on an empty line, or the terminal is gone. */
  onEnd(): void
}

// Ctrl-Z: hookline and all that was started with it (npm, a shell script) stop, and the shell gets the terminal back. A terminal in raw
// mode leaves this to us; the system would signal the whole process group as well.

interface SuspensionPorts {
  /** Gives the terminal to the shell. */
  leave(): void
  /** Takes the terminal again, also when something else stopped and continued us. */
  restore(): void
  /** There was no shell to stop for. */
  onNotStopped(): void
}

interface Suspension {
  suspend(): void
  close(): void
}

/** The system stops us within this time, or never: without job control the signal is ignored. */
const NOTICE_MS = 200

function createSuspension(ports: SuspensionPorts): Suspension {
  let isLeft = false
  let timer: NodeJS.Timeout | undefined
  const comeBack = () => {
    isLeft = false
    clearTimeout(timer)
    ports.restore()
  }
  const lookWhetherStopped = () => {
    if (!isLeft) return
    comeBack()
    ports.onNotStopped()
  }
  process.on('SIGCONT', comeBack)
  return {
    suspend() {
      if (isLeft || process.platform === 'win32') return
      isLeft = true
      ports.leave()
      process.kill(0, 'SIGTSTP')
      // After a stop, this is due as soon as we go on. The signal that let us go on has been handled when the immediate comes.
      timer = setTimeout(() => setImmediate(lookWhetherStopped), NOTICE_MS)
    },
    close() {
      clearTimeout(timer)
      process.off('SIGCONT', comeBack)
    },
  }
}
