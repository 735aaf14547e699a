// The preview of a line or a fire: queried after a pause in typing, and again as prices move; the newest answer wins.
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { defined } from '../../base/defined.ts'
import { ClientError } from '../../client/pending-calls.ts'
import type { HookRow, Portfolio } from '../../protocol/frames.ts'
import type { Preview } from '../../protocol/preview.ts'
import { useRefusedYes } from '../components/dialog.tsx'
import { Words } from '../components/words.tsx'
import { holdingsKey, isOldHere, portfolioOf, stopsKey, whyNoCommands } from '../state/console-state.ts'
import { useConsole, useDesk } from '../state/use-console.ts'
import { type Consequence, consequencesOf, feesTitle, isHeldFire, refusalAlone, refusalsOf } from './consequences.ts'

const PAUSE_MS = 150
const AGAIN_MS = 3_000

export interface Previewed {
  /** Of what is there now; undefined: not known yet. */
  readonly preview: Preview | undefined
  readonly problem: string | undefined
  readonly askNow: () => void
}

interface Answer {
  readonly key: string
  readonly preview?: Preview
  readonly problem?: string
}

/** @param line undefined: there is none */
export function usePreview(
  line: string | undefined,
  account: string | undefined,
  symbol: string | undefined,
): Previewed {
  const { looks } = useConsole()
  const isComplete = line !== undefined && account !== undefined && symbol !== undefined
  const held = useDesk((state) => holdingsKey(portfolioOf(state, account)))
  const stops = useDesk((state) => stopsKey(state, account))
  return useAsked(
    isComplete ? `${account} ${symbol} ${stops} ${line}` : undefined,
    () => (isComplete ? looks.preview(line, { account, symbol }) : undefined),
    held,
  )
}

/** @param body of the alert; absent: it has none */
function useFirePreview(hookId: string, body: string | undefined): Previewed {
  const { looks } = useConsole()
  const stops = useDesk((state) => stopsKey(state, undefined))
  return useAsked(`${hookId} ${stops} ${body}`, () => looks.testHook(hookId, body))
}

/** Open ones. hookline works out one preview of a page at a time: what lies behind a question does not take its place. */
let questions = 0

/** Of a question that is open. */
function useFirstPlace(): void {
  useEffect(() => {
    questions++
    return () => {
      questions--
    }
  }, [])
}

const isUncovered = (depth: number) => questions <= depth && document.visibilityState === 'visible'

/** @param facts on which the answer rests: it is asked anew as they change */
function useAsked(key: string | undefined, ask: () => Promise<Preview> | undefined, facts = ''): Previewed {
  const [answer, setAnswer] = useState<Answer>()
  const newest = useRef({ number: 0, ask })
  useEffect(() => {
    newest.current.ask = ask
  })
  const askNow = useCallback(() => {
    const number = ++newest.current.number
    if (key === undefined) return
    const take = (taken: Omit<Answer, 'key'>) => number === newest.current.number && setAnswer({ key, ...taken })
    newest.current.ask()?.then(
      (preview) => take({ preview }),
      (error: unknown) => {
        if (!(error instanceof ClientError)) throw error
        if (error.code !== 'superseded') take({ problem: error.message })
      },
    )
  }, [key])
  const asked = useRef({ depth: 0, facts })
  useEffect(() => {
    asked.current.depth = questions
    const askUncovered = () => isUncovered(asked.current.depth) && askNow()
    const pause = setTimeout(askNow, PAUSE_MS)
    const again = setInterval(askUncovered, AGAIN_MS)
    return () => {
      clearTimeout(pause)
      clearInterval(again)
    }
  }, [askNow])
  useEffect(() => {
    if (asked.current.facts !== facts && isUncovered(asked.current.depth)) askNow()
    asked.current.facts = facts
  }, [facts, askNow])
  const isCurrent = key !== undefined && answer?.key === key
  return { preview: isCurrent ? answer.preview : undefined, problem: isCurrent ? answer.problem : undefined, askNow }
}

// --- what it would bring, and why it would not

interface ConsequencesProps extends Pick<Previewed, 'preview' | 'problem'> {
  /** There is no line to edit. */
  readonly isFixed?: boolean
  /** It is said elsewhere why nothing is sent. */
  readonly isHeld?: boolean
}

export function Consequences({ preview, problem, isFixed, isHeld = false }: ConsequencesProps) {
  const noCommands = useDesk(whyNoCommands)
  const unforeseen = problem === undefined ? [] : [noCommands ?? problem]
  const foreseen = preview ? refusalsOf(preview, isFixed) : unforeseen
  const refusals = isHeld ? [] : foreseen
  const isOld = useDesk(isOldHere)
  return (
    <div className="fill text-2 consequences" data-stale={isOld}>
      {preview && <ConsequenceRows rows={consequencesOf(preview, isOld)} />}
      {/* Figures change with every price: only why nothing would happen is spoken. */}
      <div aria-live="polite">
        {refusals.map((text) => (
          <p key={text} className="refusal">
            <Words text={text} />
          </p>
        ))}
      </div>
      {preview?.notes.map((text) => (
        <p key={text} className="ticket-note">
          <Words text={text} />
        </p>
      ))}
    </div>
  )
}

export function ConsequenceRows({ rows }: { readonly rows: readonly Consequence[] }) {
  const numbered = rows.map((row, index) => ({ ...row, key: `${index} ${row.title}` }))
  return (
    <dl className="ledger">
      {numbered.map(({ key, title, value, tone }) => (
        <div key={key}>
          <dt title={feesTitle(title)}>{title}</dt>
          <dd className={tone && `toned ${tone}`}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

// --- in a question: what would happen, and below it the line that would run

/** Instead of a line. */
export const UNTYPABLE = 'This name cannot be typed: it has both kinds of quotes or unprintable characters.'

interface LinePreviewProps {
  /** undefined: it cannot be typed. */
  readonly line: string | undefined
  readonly scope: { readonly account: string; readonly symbol: string }
  /** A line that is refused cannot be run; a close is tried whatever was foreseen. */
  readonly isOffWhenRefused?: boolean
}

function isRefused({ preview }: Previewed): boolean {
  return preview !== undefined && refusalsOf(preview).length > 0
}

export function LinePreview({ line, scope, isOffWhenRefused = false }: LinePreviewProps) {
  const previewed = usePreview(line, scope.account, scope.symbol)
  useRefusedYes(isOffWhenRefused && isRefused(previewed))
  return (
    <Foreseen {...previewed} isFixed>
      <LineBelow line={line} />
    </Foreseen>
  )
}

interface FirePreviewProps {
  readonly hook: Pick<HookRow, 'id'>
  /** Of the alert; undefined: it has none. */
  readonly body: string | undefined
  readonly line: string
}

/** Its limits are counted in: a fire that would not run cannot be sent. */
export function FirePreview({ hook, body, line }: FirePreviewProps) {
  const { preview, ...others } = useFirePreview(hook.id, body)
  const isHeld = preview !== undefined && isHeldFire(preview)
  useRefusedYes(isHeld)
  return (
    <>
      {preview?.blocked === undefined && <p>This is a real fire: its limits count it, and its orders are sent.</p>}
      <Foreseen preview={isHeld ? refusalAlone(preview) : preview} {...others}>
        <LineBelow line={line} />
      </Foreseen>
    </>
  )
}

interface LineDraftProps extends LinePreviewProps {
  readonly line: string
  readonly onType: (line: string) => void
}

/** The line is a beginning: a person puts it right before it runs. */
export function LineDraft({ line, scope, isOffWhenRefused = false, onType }: LineDraftProps) {
  const [typed, setTyped] = useState(line)
  const isBlank = typed.trim() === ''
  const previewed = usePreview(isBlank ? undefined : typed, scope.account, scope.symbol)
  useRefusedYes(isBlank || (isOffWhenRefused && isRefused(previewed)))
  return (
    <>
      <label className="gap-2 text-1 grid muted line-draft">
        <span>Command</span>
        <input
          className="full mono"
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value)
            onType(event.target.value)
          }}
        />
      </label>
      <Foreseen {...previewed} />
    </>
  )
}

/** Of what an account has now. */
export type WarningsOf = (held: Pick<Portfolio, 'positions' | 'orders'>) => readonly string[]

interface WarningsProps {
  readonly account: string
  readonly of: WarningsOf
}

/** Above what a line would bring; what begins or ends while the question is open is in them. */
export function Warnings({ account, of }: WarningsProps) {
  const { positions = [], orders = [] } = useDesk((state) => portfolioOf(state, account)) ?? {}
  return (
    <div className="gap-2 grid" aria-live="polite">
      {of({ positions, orders }).map((text) => (
        <p key={text}>
          <Words text={text} />
        </p>
      ))}
    </div>
  )
}

/** For what places no orders too. */
export function LineBelow({ line }: Pick<LinePreviewProps, 'line'>) {
  return (
    <p className="text-2 muted line-below">
      {line !== undefined && <span>Runs</span>} <code>{line ?? UNTYPABLE}</code>
    </p>
  )
}

interface ForeseenProps extends Previewed, Pick<ConsequencesProps, 'isFixed'> {
  readonly children?: ReactNode
}

function Foreseen({ preview, problem, isFixed, children }: ForeseenProps) {
  useFirstPlace()
  const isSilent = useDesk(({ silentSince }) => silentSince !== undefined)
  const waits = isSilent ? 'hookline does not answer: the effect is not known.' : 'Calculating the effect…'
  return (
    <>
      {preview === undefined && problem === undefined ? (
        <p className="round raised foreseen" aria-live="polite">
          {waits}
        </p>
      ) : (
        <div className="round raised foreseen">
          <Consequences preview={preview} problem={problem} {...defined({ isFixed })} />
          {preview && isEmpty(preview) && 'Nothing would be sent: nothing is open.'}
        </div>
      )}
      {children}
    </>
  )
}

function isEmpty(preview: NonNullable<Previewed['preview']>): boolean {
  return consequencesOf(preview).length + refusalsOf(preview).length + preview.notes.length === 0
}
