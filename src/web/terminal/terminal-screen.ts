// xterm.js with a prompt at its foot: what is printed goes above the line being typed and never breaks it. The only file that draws.
import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import { layOut } from './input-layout.ts'
import { type EditedLine, EMPTY_LINE } from './line-editor.ts'
import { terminalTheme } from './terminal-theme.ts'

export interface TerminalScreen {
  /** Each ends with a line break. */
  print(lines: readonly string[]): void
  show(prompt: string, line: EditedLine): void
  /** Leaves the line where it is, as typed, and begins a new one. */
  commit(): void
  clear(): void
  focus(): void
  retheme(): void
  dispose(): void
}

export interface TerminalScreenOptions {
  readonly element: HTMLElement
  readonly label: string
  onData(data: string): void
  /** @returns false: the page takes this key */
  isForTerminal(event: KeyboardEvent): boolean
}

const BRACKETED_PASTE = '\x1b[?2004h'

export function openTerminalScreen(options: TerminalScreenOptions): TerminalScreen {
  const { element } = options
  const terminal = new Terminal({
    convertEol: true,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    fontFamily: getComputedStyle(element).getPropertyValue('--mono'),
    fontSize: 13,
    lineHeight: 1.25,
    scrollback: 5_000,
    screenReaderMode: true,
    minimumContrastRatio: 4.5,
    theme: terminalTheme(element),
  })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  terminal.open(element)
  terminal.textarea?.setAttribute('aria-label', options.label)
  terminal.write(BRACKETED_PASTE)
  const input = new DrawnInput(terminal)
  const onData = terminal.onData((data) => options.onData(data))
  terminal.attachCustomKeyEventHandler((event) => {
    // As everywhere else: Ctrl-V pastes, and with something selected Ctrl-C copies. xterm.js would send both as characters.
    const isClipboards = event.ctrlKey && (event.code === 'KeyV' || (event.code === 'KeyC' && terminal.hasSelection()))
    return !isClipboards && options.isForTerminal(event)
  })
  const fitted = new ResizeObserver(() => {
    // Hidden behind another tab it has no size, and fitting would squeeze it to two columns.
    if (element.clientWidth > 0) input.aroundResize(() => fit.fit())
  })
  fitted.observe(element)
  return {
    print: (lines) => input.around(() => terminal.write(lines.map((line) => `${line}\r\n`).join(''))),
    show: (prompt, line) => input.show(prompt, line),
    commit: () => input.commit(),
    clear: () => input.around(() => terminal.write('\x1b[2J\x1b[H')),
    focus: () => terminal.focus(),
    retheme() {
      terminal.options.theme = terminalTheme(element)
    },
    dispose() {
      fitted.disconnect()
      onData.dispose()
      terminal.dispose()
    },
  }
}

/** What of prompt and line is on the screen, so that it can be erased. */
class DrawnInput {
  readonly #terminal: Terminal
  #prompt = ''
  #line = EMPTY_LINE
  #cursorRow = 0
  /** What waits for a resize. */
  #held: (() => void)[] | undefined

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  show(prompt: string, line: EditedLine): void {
    this.#perform(() => {
      this.#erase()
      this.#prompt = prompt
      this.#line = line
      this.#draw()
    })
  }

  /** Takes the input away, does it, and draws the input again. */
  around(action: () => void): void {
    this.#perform(() => {
      this.#erase()
      action()
      this.#draw()
    })
  }

  commit(): void {
    this.#perform(() => {
      this.#erase()
      this.#terminal.write(`${this.#styledPrompt()}${this.#line.text}\r\n`)
      this.#line = EMPTY_LINE
      this.#draw()
    })
  }

  /** What is written is drawn a moment later: it must be, before its rows are counted anew for another width. */
  aroundResize(resize: () => void): void {
    this.#perform(() => {
      const held: (() => void)[] = []
      this.#held = held
      this.#erase()
      this.#terminal.write('', () => {
        this.#held = undefined
        resize()
        this.#draw()
        for (const action of held) this.#perform(action)
      })
    })
  }

  #perform(action: () => void): void {
    if (this.#held) this.#held.push(action)
    else action()
  }

  #erase(): void {
    const up = this.#cursorRow > 0 ? `\x1b[${this.#cursorRow}A` : ''
    this.#terminal.write(`${up}\r\x1b[J`)
    this.#cursorRow = 0
  }

  #draw(): void {
    const { text, cursor } = this.#line
    const { cols } = this.#terminal
    const layout = layOut(this.#prompt + text.slice(0, cursor), text.slice(cursor), cols)
    // A full last row: only the next character would begin a new one, and the cursor may have to go there.
    const isFull = layout.end.column >= cols
    const endRow = layout.end.row + (isFull ? 1 : 0)
    const up = endRow - layout.cursor.row
    const { column } = layout.cursor
    this.#terminal.write(
      `${this.#styledPrompt()}${text}${isFull ? '\r\n' : ''}` +
        `${up > 0 ? `\x1b[${up}A` : ''}\r${column > 0 ? `\x1b[${column}C` : ''}`,
    )
    this.#cursorRow = layout.cursor.row
  }

  #styledPrompt(): string {
    return `\x1b[36m${this.#prompt}\x1b[39m`
  }
}
