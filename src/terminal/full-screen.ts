// A view that has the whole terminal for a while: the alternate screen, of which only rows that changed are written.
import type { Key } from 'node:readline'
import type { Writable } from 'node:stream'

export interface ScreenSize {
  readonly columns: number
  readonly rows: number
}

/** What a view may do to the terminal that it is on. */
export interface ViewHost {
  readonly coloured: boolean
  /** What it shows has changed. */
  redraw(): void
  /** Gives the terminal back. */
  close(): void
  /** Runs a line on the account as if it was typed; absent where the view only looks. */
  readonly run?: (line: string, account: string) => void
}

export interface FullView {
  /** Called once, before the first `draw`. @returns ends whatever it has begun */
  open(host: ViewHost): () => void
  /** At most `rows` rows, each at most `columns` cells wide besides its colours. */
  draw(size: ScreenSize): readonly string[]
  onKey(text: string | undefined, key: Key): void
  /** Several keys came at once: none of them is passed on. */
  onPaste?(): void
  /** Lines that the terminal would have shown by now. */
  received(lines: readonly string[]): void
}

interface FullScreenOptions {
  readonly output: Writable & { readonly columns?: number; readonly rows?: number }
  readonly view: FullView
  readonly coloured: boolean
  readonly run?: (line: string, account: string) => void
  /** Called once. @param bug what the view threw */
  readonly onClosed: (bug?: unknown) => void
}

/** A row that is too wide for the terminal's own count must not push the others down, so that wrapping is off. */
const ENTER = '\u001b[?1049h\u001b[?7l\u001b[?25l'
const LEAVE = '\u001b[?25h\u001b[?7h\u001b[?1049l'
/** A terminal that knows it shows what comes between at once; another ignores both. */
const BEGIN = '\u001b[?2026h'
const END = '\u001b[?2026l'
const CLEAR = '\u001b[2J'
/** Frames are at least this far apart. */
const FRAME_MS = 50
const FALLBACK: ScreenSize = { columns: 80, rows: 24 }

/**
 * The bytes that turn the rows shown into others. A row is erased before it is written: after a full row the cursor is on its last
 * cell, and an erase there takes that cell away.
 * @param before undefined: what is shown is not known
 */
export function changedRows(before: readonly string[] | undefined, after: readonly string[]): string {
  const count = Math.max(before?.length ?? 0, after.length)
  const written = Array.from({ length: count }, (_, row) => {
    const text = after[row] ?? ''
    return before !== undefined && (before[row] ?? '') === text
      ? ''
      : `\u001b[${row + 1};1H\u001b[0m\u001b[K${text}\u001b[0m`
  }).join('')
  const cleared = before === undefined ? `\u001b[0m${CLEAR}` : ''
  return written === '' && cleared === '' ? '' : `${BEGIN}${cleared}${written}${END}`
}

export class FullScreen {
  readonly #options: FullScreenOptions
  #end: () => void = () => {}
  /** Undefined: not known. */
  #shown: readonly string[] | undefined
  #isOn = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  #giveBackSize: () => void = () => {}

  constructor(options: FullScreenOptions) {
    this.#options = options
  }

  /** Takes the terminal at once. */
  open(): void {
    const { view, coloured, run } = this.#options
    process.on('exit', this.#onExit)
    this.resume()
    this.#guarded(() => {
      this.#end = view.open({
        coloured,
        redraw: () => this.#redrawSoon(),
        close: () => this.close(),
        ...(run === undefined ? {} : { run }),
      })
    })
    this.#draw()
  }

  onKey(text: string | undefined, key: Key): void {
    this.#guarded(() => this.#options.view.onKey(text, key))
    this.#redrawSoon()
  }

  onPaste(): void {
    this.#guarded(() => this.#options.view.onPaste?.())
    this.#redrawSoon()
  }

  received(lines: readonly string[]): void {
    this.#guarded(() => this.#options.view.received(lines))
    this.#redrawSoon()
  }

  /** Takes the terminal again, after `suspend`. */
  resume(): void {
    if (this.#isOn || this.#isClosed) return
    this.#isOn = true
    const { output } = this.#options
    // Readline would draw its prompt into the view.
    const owners = output.listeners('resize') as (() => void)[]
    const onResize = () => {
      this.#shown = undefined
      this.#redrawSoon()
    }
    output.removeAllListeners('resize').on('resize', onResize)
    this.#giveBackSize = () => {
      output.off('resize', onResize)
      for (const owner of owners) output.on('resize', owner)
    }
    output.write(ENTER)
    this.#shown = undefined
    this.#redrawSoon()
  }

  /** Shows what was there before, for a question or for the shell. */
  suspend(): void {
    if (!this.#isOn) return
    this.#isOn = false
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#giveBackSize()
    this.#options.output.write(LEAVE)
  }

  close(bug?: unknown): void {
    if (this.#isClosed) return
    this.suspend()
    this.#isClosed = true
    process.off('exit', this.#onExit)
    this.#end()
    this.#options.onClosed(bug)
  }

  /** However the process ends, the shell gets its screen and its cursor back. */
  readonly #onExit = (): void => {
    if (this.#isOn) this.#options.output.write(LEAVE)
  }

  #redrawSoon(): void {
    if (!this.#isOn || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#options.output.writableNeedDrain) this.#redrawSoon()
      else this.#draw()
    }, FRAME_MS)
  }

  #draw(): void {
    if (!this.#isOn) return
    const { output, view } = this.#options
    // Some terminals report a size of 0.
    const [columns, rows] = [output.columns || FALLBACK.columns, output.rows || FALLBACK.rows]
    this.#guarded(() => {
      const after = view.draw({ columns, rows }).slice(0, rows)
      const text = changedRows(this.#shown, after)
      this.#shown = after
      if (text !== '') output.write(text)
    })
  }

  /** A view that fails ends, and gives the terminal back: what trades goes on. */
  #guarded(act: () => void): void {
    try {
      act()
    } catch (error) {
      this.close(error)
    }
  }
}
