// A pair that is being typed: hookline says while one types what it would say no to, and at the field; saving writes what hookline has read.
import { useEffect, useRef, useState } from 'react'
import { defined } from '../../../base/defined.ts'
import type { Answer } from '../../../client/questions.ts'
import { isLive } from '../../console-state.ts'
import { describeFailure } from '../../describe-failure.ts'
import { useConsole, useDesk } from '../../use-console.ts'
import { addLine, type Draft } from './pair-draft.ts'
import { type CopyEdit, pairKey } from './pairs.ts'

type Checked = Answer<'copy:check'>

/** Where a save is. `waiting`: hookline takes so long that it may be asking its operator. */
export type Saving =
  | { readonly state: 'idle' | 'saving' | 'waiting' | 'saved' }
  | { readonly state: 'failed'; readonly why: string }

export interface PairSave {
  readonly problems: Checked['problems']
  readonly saving: Saving
  /** @returns the key of the pair as it was written; undefined: it was not */
  save(): Promise<string | undefined>
}

const IDLE: Saving = { state: 'idle' }
const TYPING_MS = 250
/** Longer than the answer of a hookline that asks nobody takes. */
const WAITING_MS = 1_000

/** @param configId of the row that the pair is in; undefined: it gets one of its own */
export function usePairSave(draft: Draft, configId: string | undefined): PairSave {
  const console = useConsole()
  const isConnected = useDesk(isLive)
  const [problems, setProblems] = useState<Checked['problems']>([])
  const text = JSON.stringify([configId, draft])
  const [last, setLast] = useState<{ readonly saving: Saving; readonly of: string }>({ saving: IDLE, of: text })
  const setSaving = (saving: Saving) => setLast({ saving, of: text })
  const latest = useRef(text)
  latest.current = text
  const check = () => console.ask.copyCheck({ ...draft, ...defined({ configId }) })
  const checkNow = useRef(check)
  checkNow.current = check
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed says when to ask
  useEffect(() => {
    if (!isConnected || (configId === undefined && addLine(draft) === undefined)) return undefined
    const timer = setTimeout(() => {
      checkNow.current().then(
        (checked) => latest.current === text && setProblems(checked.problems),
        // Said when it is saved.
        (error: unknown) => void describeFailure(error),
      )
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, isConnected])

  async function save(): Promise<string | undefined> {
    setSaving({ state: 'saving' })
    const slow = setTimeout(() => setSaving({ state: 'waiting' }), WAITING_MS)
    try {
      const checked = await check()
      setProblems(checked.problems)
      if (checked.config === undefined) {
        setSaving(IDLE)
        return undefined
      }
      await console.mutate.crossTradeConfig({ op: 'upsert', config: checked.config as CopyEdit })
      setSaving({ state: 'saved' })
      const { config } = checked
      const written = config.copiers.find((each) => each.account === draft.account.trim() && isSameSymbol(each, draft))
      return pairKey(config, written ?? config.copiers.at(-1) ?? { account: '', weight: 1, mode: '' })
    } catch (error) {
      setSaving({ state: 'failed', why: describeFailure(error) })
      return undefined
    } finally {
      clearTimeout(slow)
    }
  }

  // What was typed since is not what was saved.
  return { problems, saving: last.of === text ? last.saving : IDLE, save }
}

function isSameSymbol({ symbol = '' }: { readonly symbol?: string }, draft: Draft): boolean {
  return symbol.toLowerCase() === draft.symbol.trim().toLowerCase()
}
