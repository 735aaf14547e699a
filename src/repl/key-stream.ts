// The keys of a terminal without its pastes: what readline reads. A paste comes between two marks (bracketed paste, mode 2004) from a
// terminal that knows them, and from others as several lines in one piece, which nobody types.
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { printable } from '../language/printable.ts'

interface KeyStreamPorts {
  readonly input: Readable & { setRawMode?(isRaw: boolean): unknown }
  /** Several lines were pasted; without control characters and blank lines. */
  onBlock(lines: readonly string[]): void
  onTooLong(): void
  /** Something was pasted while a question waits for its key; it is dropped. */
  onPastedOverQuestion(): void
  /** A piece of a line that begins with the letter of an answer was typed while a question waits for its key; it answers nothing. */
  onPieceOverQuestion(text: string): void
}

/** Asks the terminal to mark pastes, and no longer to. https://invisible-island.net/xterm/ctlseqs/ctlseqs.html#h2-Bracketed-Paste-Mode */
export const MARK_PASTES = '\u001b[?2004h'
export const LEAVE_PASTES = '\u001b[?2004l'

const START = '\u001b[200~'
const END = '\u001b[201~'
const MARKS = /\u001b\[20[01]~/g
/** Arrows, Home, End and Enter. */
const ONLY_KEYS = /^(?:\u001b(?:\[|O)[A-DFH]|[\r\n])+$/
const CTRL_C = '\u0003'
/** A piece of a line, as a slow connection delivers what a person types. */
const PIECE = /^[ -~]+\r?$/
/** What answers with Enter. */
const WHOLE_ANSWER = /^(?:y|yes|n|no)\r$/i
/** Its letters in one piece, before Enter. */
const ANSWER_WORD = /^(?:yes|no)$/i
/** `nuke`, as opposed to the words that answer with no. */
const PIECE_FROM_N = /^n(?!o?\r?$)[ -~]+\r?$/i
/** A mark may arrive in two pieces. Shorter beginnings are keys of their own: Esc, Alt-[. */
const MIN_START = 3
const REST_OF_MARK_MS = 50
/** A paste whose end does not come ends by itself, or no key would ever be one again. */
const REST_OF_PASTE_MS = 1_000
const MAX_PASTE = 65_536

export class KeyStream extends Readable {
  readonly #ports: KeyStreamPorts
  readonly #decoder = new StringDecoder('utf8')
  /** The beginning of what may be a mark. */
  #held = ''
  /** What came of a paste so far. */
  #pasted: string | undefined
  #timer: NodeJS.Timeout | undefined
  #asking: 'no' | 'key' | 'line' = 'no'
  /** What was typed over the question since the last Enter. */
  #typedOver = ''

  constructor(ports: KeyStreamPorts) {
    super({ encoding: 'utf8' })
    this.#ports = ports
    const { input } = ports
    input.on('data', this.#onData)
    input.once('end', () => this.push(null))
    // Once closed, nobody listens for the end of a terminal that is gone.
    this.on('error', () => {})
    input.on('error', (error) => this.destroy(error))
  }

  /**
   * `key`: of several keys at once none comes through, since a paste must not choose. `line`: a piece of a line does, which a question takes for none of
   * its answers.
   */
  set asking(asking: 'no' | 'key' | 'line') {
    this.#asking = asking
    this.#typedOver = ''
  }

  setRawMode(isRaw: boolean): this {
    this.#ports.input.setRawMode?.(isRaw)
    return this
  }

  override _read(): void {
    this.#ports.input.resume()
  }

  /** Takes nothing more from the terminal. */
  close(): void {
    clearTimeout(this.#timer)
    this.#ports.input.off('data', this.#onData)
    this.#ports.input.pause()
  }

  readonly #onData = (chunk: Buffer | string): void => {
    this.#take(typeof chunk === 'string' ? chunk : this.#decoder.write(chunk))
  }

  #take(chunk: string): void {
    clearTimeout(this.#timer)
    let rest = this.#held + chunk
    this.#held = ''
    while (rest !== '') rest = this.#pasted === undefined ? this.#takeKeys(rest) : this.#takePaste(rest)
    if (this.#held !== '') this.#timer = setTimeout(() => this.#flushHeld(), REST_OF_MARK_MS).unref()
    if (this.#pasted !== undefined) this.#timer = setTimeout(() => this.#endPaste(), REST_OF_PASTE_MS).unref()
  }

  /** @returns what comes after the mark of a paste */
  #takeKeys(text: string): string {
    const at = text.indexOf(START)
    const end = text.indexOf(END)
    if (end !== -1 && (at === -1 || end < at)) {
      // An end without a beginning: what was pasted held the mark itself, to pass its rest off as typed.
      this.#pasted = ''
      return text
    }
    const until = at === -1 ? text.length - beginningOfStart(text) : at
    this.#typed(text.slice(0, until))
    if (at === -1) {
      this.#held = text.slice(until)
      return ''
    }
    this.#pasted = ''
    return text.slice(at + START.length)
  }

  /** @returns what comes after the paste */
  #takePaste(text: string): string {
    const all = (this.#pasted ?? '') + text
    // The last one, since what is pasted may hold the mark.
    const at = all.lastIndexOf(END)
    if (at === -1) {
      // More than is taken need not be kept, but its end must be recognised.
      this.#pasted = all.length > 2 * MAX_PASTE ? all.slice(0, MAX_PASTE + 1) + all.slice(-END.length) : all
      return ''
    }
    this.#pasted = all.slice(0, at)
    this.#endPaste()
    return all.slice(at + END.length)
  }

  #flushHeld(): void {
    const held = this.#held
    this.#held = ''
    this.#typed(held)
  }

  #endPaste(): void {
    const text = (this.#pasted ?? '').replaceAll(MARKS, '\n')
    this.#pasted = undefined
    if (this.#asking !== 'no') return this.#ports.onPastedOverQuestion()
    if (text.length > MAX_PASTE) return this.#ports.onTooLong()
    const lines = linesOf(text)
    if (lines.length > 1) this.#ports.onBlock(lines)
    // One line goes where the cursor is; Enter is for a person to press.
    else if (lines[0] !== undefined) this.push(lines[0])
  }

  /** Whether `text` is one key, or a piece of a line that cannot answer. */
  #isTyped(text: string): boolean {
    const isOne = text.length === 1 || text.startsWith('\u001b')
    const isPiece = this.#asking === 'line' && PIECE.test(text) && /[^yn]/i.test(this.#typedOver || text.charAt(0))
    if (!isOne && !isPiece) return false
    if (text.endsWith('\r')) this.#typedOver = ''
    else if (text === '\u007f') this.#typedOver = this.#typedOver.slice(0, -1)
    else if (/^[ -~]+$/.test(text)) this.#typedOver += text
    return true
  }

  #typed(text: string): void {
    if (text === '') return
    // An answer and Enter, and nothing else, as a slow connection delivers them, in one piece or two. A marked paste does not come here; any other
    // that begins with `y` answers nothing.
    if (this.#asking === 'line' && (this.#typedOver === '' || ANSWER_WORD.test(this.#typedOver))) {
      const answer = this.#typedOver + text
      if (WHOLE_ANSWER.test(answer)) {
        this.#typedOver = ''
        this.push(answer.charAt(0).toLowerCase())
        return
      }
      if (ANSWER_WORD.test(answer)) {
        this.#typedOver = answer
        return
      }
    }
    if (this.#asking === 'line' && this.#typedOver === '' && PIECE_FROM_N.test(text)) {
      if (!text.endsWith('\r')) this.#typedOver = text
      return this.#ports.onPieceOverQuestion(text)
    }
    if (this.#asking !== 'no' && !this.#isTyped(text)) return this.#ports.onPastedOverQuestion()
    // Whatever was typed before it is void.
    const from = Math.max(0, text.lastIndexOf(CTRL_C))
    const keys = text.slice(from)
    // Up and Enter, twice in one piece, are keys: no text is in it.
    const lines = /[\r\n]/.test(keys) && !ONLY_KEYS.test(keys) ? linesOf(keys) : []
    if (lines.length < 2) this.push(keys)
    else if (keys.length > MAX_PASTE) this.#ports.onTooLong()
    else this.#ports.onBlock(lines)
  }
}

/** How much of the end of `text` may be the beginning of a paste's mark. */
function beginningOfStart(text: string): number {
  for (let length = START.length - 1; length >= MIN_START; length--) {
    if (text.endsWith(START.slice(0, length))) return length
  }
  return 0
}

function linesOf(text: string): string[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => printable(line))
    .filter((line) => line.trim() !== '')
}
