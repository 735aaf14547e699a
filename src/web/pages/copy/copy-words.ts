// What became of an order of a copier, in a word: placed, refused or unknown, and what came after.
import type { Answer } from '../../../client/questions.ts'

export type Copy = Answer<'copies:query'>['copies'][number]

export interface Outcome {
  readonly tone: 'good' | 'busy' | 'warn' | 'bad' | ''
  readonly word: string
}

const OUTCOMES: ReadonlyMap<string, Outcome> = new Map(
  Object.entries<Outcome>({
    sent: { tone: 'busy', word: 'sent' },
    placed: { tone: 'busy', word: 'placed' },
    closed: { tone: 'good', word: 'filled' },
    refused: { tone: 'bad', word: 'refused' },
    rejected: { tone: 'bad', word: 'refused' },
    unknown: { tone: 'bad', word: 'unknown' },
    simulated: { tone: '', word: 'simulated' },
  }),
)

/** A later word is shown as it is. */
export function outcomeOf({ state, filled }: Pick<Copy, 'state' | 'filled'>): Outcome {
  if (state !== 'canceled' && state !== 'expired') return OUTCOMES.get(state) ?? { tone: '', word: state }
  return /[1-9]/.test(filled) ? { tone: 'warn', word: 'filled in part' } : { tone: 'warn', word: 'not filled' }
}
