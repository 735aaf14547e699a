// Pasted text: one line goes into the line being typed, several are shown first and run one by one. A paste is never cut: half an order
// is another order.
import { create } from 'zustand'

/** The wire takes no longer command. */
export const MAX_LENGTH = 8_192

type Pasted =
  /** The field takes it as it is. */
  | { readonly kind: 'text' }
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  | { readonly kind: 'too-long'; readonly length: number }

/** @param around how many characters of what is typed stay */
export function readPasted(text: string, around: number): Pasted {
  const lines = text
    .split(/\r\n|\r|\n/)
    .map((line) => line.replace(/\t/g, ' '))
    .filter((line) => line.trim() !== '')
  const longest = Math.max(0, ...lines.map(({ length }) => length))
  if (longest > MAX_LENGTH) return { kind: 'too-long', length: longest }
  if (lines.length > 1) return { kind: 'lines', lines }
  const length = around + text.length
  return length > MAX_LENGTH ? { kind: 'too-long', length } : { kind: 'text' }
}

export function tooLong(length: number): string {
  return `nothing was pasted: the line would have ${count(length)} characters, and hookline takes ${count(MAX_LENGTH)}`
}

function count(characters: number): string {
  return characters.toLocaleString('en-US')
}

/** Invisible and bidirectional characters by their code, so that the line shown is the line that runs. */
export function shownWhole(line: string): string {
  return line.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (unit) => {
    const code = (unit.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
    return `⟨U+${code}⟩`
  })
}

// --- pasted lines under way: one after the other, each once the one before has ended. A line that fails ends it, and so does a person.

interface PasteRun {
  readonly lines: readonly string[]
  /** Of the line that runs. */
  readonly index: number
  /** Stops before the next line. */
  readonly isStopping: boolean
}

export const usePasteRun = create<{ readonly run: PasteRun | undefined }>(() => ({ run: undefined }))

type PasteEnd =
  | { readonly kind: 'done' }
  /** `left` lines were not run. */
  | { readonly kind: 'failed' | 'stopped'; readonly left: number }

/** @param runLine whether the line succeeded */
export async function runPasted(
  lines: readonly string[],
  runLine: (line: string) => Promise<boolean>,
): Promise<PasteEnd> {
  try {
    for (const [index, line] of lines.entries()) {
      if (usePasteRun.getState().run?.isStopping) return { kind: 'stopped', left: lines.length - index }
      usePasteRun.setState(({ run }) => ({ run: { lines, index, isStopping: run?.isStopping ?? false } }))
      const left = lines.length - index - 1
      if (!(await runLine(line)) && left > 0) return { kind: 'failed', left }
    }
    return { kind: 'done' }
  } finally {
    usePasteRun.setState({ run: undefined })
  }
}

export function stopPasted(): void {
  usePasteRun.setState(({ run }) => ({ run: run && { ...run, isStopping: true } }))
}

export function describeEnd(end: PasteEnd): string | undefined {
  if (end.kind === 'done') return undefined
  const lines = end.left === 1 ? '1 pasted line was' : `${end.left} pasted lines were`
  return end.kind === 'failed' ? `${lines} not run: the one before failed` : `${lines} not run: you stopped them`
}
