// Pasted lines under way: one after the other, each once the one before has ended. A line that fails ends it, and so does a person.
import { create } from 'zustand'

export interface PasteRun {
  readonly lines: readonly string[]
  /** Of the line that runs. */
  readonly index: number
  /** It ends before the next line. */
  readonly isStopping: boolean
}

export const usePasteRun = create<{ readonly run: PasteRun | undefined }>(() => ({ run: undefined }))

export type PasteEnd =
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
