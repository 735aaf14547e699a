// Lines typed before: step by step under the arrows, by a piece of them after Ctrl R, and as a ghost behind what is being typed.

export interface Recall {
  /** How many lines back; 0: what is being typed. */
  readonly back: number
  /** What was typed before the history was entered. */
  readonly draft: string
}

export const NOT_RECALLING: Recall = { back: 0, draft: '' }

/** @param history oldest first @param by 1: older @returns undefined where there is no such line */
export function recalled(
  typed: string,
  { back, draft }: Recall,
  by: 1 | -1,
  history: readonly string[],
): { readonly text: string; readonly recall: Recall } | undefined {
  const next = back + by
  if (next < 0 || next > history.length) return undefined
  const kept = back === 0 ? typed : draft
  return { text: next === 0 ? kept : (history.at(-next) ?? ''), recall: { back: next, draft: kept } }
}

/** Newest first, each once. */
export function matching(history: readonly string[], query: string): readonly string[] {
  const wanted = query.toLowerCase()
  return [...new Set([...history].reverse())].filter((line) => line.toLowerCase().includes(wanted))
}

/** What the last line that began so went on with. */
export function ghostOf(typed: string, history: readonly string[]): string {
  if (typed.trim() === '') return ''
  return history.findLast((line) => line.startsWith(typed) && line !== typed)?.slice(typed.length) ?? ''
}
