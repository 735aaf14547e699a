// One pair: its state, its fields and its actions. On a narrow window it is a screen of its own.
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { defined } from '../../../base/defined.ts'
import type { Answer } from '../../../client/questions.ts'
import { typedLine } from '../../../language/print.ts'
import { LineToType } from '../../components/copy-button.tsx'
import { HeldButton } from '../../components/held-button.tsx'
import { Empty, Pane } from '../../components/pane.tsx'
import { toast } from '../../components/toasts.tsx'
import { describeFailure } from '../../console.ts'
import { showFigure } from '../../figures.ts'
import { LineBelow } from '../../preview/preview.tsx'
import { type CrossTrade, isLive, whyNoCommands } from '../../state/console-state.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'
import { Gauge, type PairView } from './matrix-pane.tsx'
import {
  addLine,
  type CopyEdit,
  type Draft,
  disableLine,
  divergenceOf,
  draftOf,
  enableLine,
  MODES,
  newDraft,
  type Pair,
  pairKey,
  rowName,
  STOP_LINE,
  standingOf,
} from './pairs.ts'

interface PairPaneProps {
  readonly engine: CrossTrade | undefined
  readonly pairs: readonly Pair[]
  readonly view: PairView
}

export function PairPane({ engine, pairs, view }: PairPaneProps) {
  const pair = pairs.find(({ key }) => key === view.open)
  const close = (
    <button type="button" className="button small" onClick={view.close}>
      Close
    </button>
  )
  return (
    <Pane id="pair" title={pair === undefined ? 'New pair' : nameOf(pair)} actions={close}>
      {view.adding !== undefined && <NewPair from={view.adding} view={view} />}
      {pair !== undefined && <OpenPair pair={pair} isRunning={engine?.running === true} view={view} />}
      {view.open !== undefined && pair === undefined && engine !== undefined && (
        <Empty title="This pair is gone">The pair was removed. Positions of its copier stay open.</Empty>
      )}
    </Pane>
  )
}

/** `paper BTCUSDT → swing`. */
function nameOf({ row: { masterAccount, masterSymbol }, copier }: Pair): string {
  const onto = copier.symbol === undefined ? '' : ` ${copier.symbol}`
  return `${masterAccount}${masterSymbol === undefined ? '' : ` ${masterSymbol}`} → ${copier.account}${onto}`
}

function NewPair({ from, view }: { readonly from: Partial<Draft>; readonly view: PairView }) {
  const [draft, setDraft] = useState(() => newDraft(from))
  const { problems, saving, save } = usePairSave(draft, undefined)
  const line = addLine(draft)
  const create = async () => {
    const key = await save()
    if (key !== undefined) view.show(key)
  }
  return (
    <PairForm draft={draft} isNew problems={problems} onChange={setDraft} onSubmit={() => void create()}>
      {line !== undefined && <LineToType line={line} label="The same in the hookline terminal:" />}
      <p className="muted">A new pair is off. Only the hookline terminal turns it on.</p>
      <Save title="Add the pair" saving={saving} isReady={line !== undefined && problems.length === 0} />
    </PairForm>
  )
}

interface OpenPairProps {
  readonly pair: Pair
  readonly isRunning: boolean
  readonly view: PairView
}

function OpenPair({ pair, isRunning, view }: OpenPairProps) {
  const stored = draftOf(pair)
  // Typed fields override stored ones; once they are the same, an edit made elsewhere shows.
  const [typed, setTyped] = useState<Partial<Draft>>({})
  const draft = { ...stored, ...typed }
  const { problems, saving, save } = usePairSave(draft, pair.row.id)
  const isChanged = FIELDS.some((field) => !isSame(stored[field], draft[field]))
  useEffect(() => {
    if (!isChanged) setTyped({})
  }, [isChanged])
  const { tone, word } = standingOf(pair, isRunning)
  return (
    <>
      <p className="inset cluster">
        <span className={`tag ${tone}`}>{word}</span>
        <span className="muted">{othersInRow(pair)}</span>
      </p>
      <PairFacts pair={pair} isRunning={isRunning} />
      <PairForm draft={draft} isNew={false} problems={problems} onChange={setTyped} onSubmit={() => void save()}>
        {pair.row.enabled && isChanged && (
          <p className="muted">Nothing is traded for the change: it counts from the master’s next one on.</p>
        )}
        <Save title="Save the change" saving={saving} isReady={isChanged && problems.length === 0} />
      </PairForm>
      <div className="row pair-ends">
        <TurnRowOff row={pair.row} />
        <RemovePair pair={pair} name={nameOf(pair)} onRemoved={view.close} />
      </div>
      {!pair.row.enabled && <LineToType line={enableLine(pair.row)} label="To turn it on, in the hookline terminal:" />}
      {pair.waits !== undefined && (
        <LineToType line={enableLine(pair.row)} label="It copies after a yes in the hookline terminal:" />
      )}
      {word === 'paused' && <LineToType line={enableLine(pair.row)} label="To wake it, in the hookline terminal:" />}
      {pair.row.enabled && pair.waits === undefined && isRunning && word !== 'in step' && (
        <LineToType
          line={typedLine`cross-trade resync ${pair.row.id.slice(0, 8)}`}
          label="To close the gap, in the hookline terminal:"
        />
      )}
    </>
  )
}

/** Turning off goes for the whole row. */
function othersInRow({ row: { copiers } }: Pair): string {
  if (copiers.length === 1) return ''
  return copiers.length === 2 ? 'One more account copies by this row.' : `${copiers.length - 1} more copy by this row.`
}

const FIELDS = Object.keys(newDraft({})) as (keyof Draft)[]

/** `0.50` is what was stored as `0.5`. */
function isSame(a: string, b: string): boolean {
  return a === b || (/\d/.test(a) && /\d/.test(b) && Number(a) === Number(b))
}

const SAVING_TEXT: Readonly<Record<Exclude<Saving['state'], 'failed'>, string>> = {
  idle: '',
  saving: 'Saving.',
  waiting: 'Waiting for hookline. If its terminal asks, answer there.',
  saved: 'Saved.',
}

function Save({
  title,
  saving,
  isReady,
}: {
  readonly title: string
  readonly saving: Saving
  readonly isReady: boolean
}) {
  const whyNot = useWhyNot('connection')
  const isBusy = saving.state === 'saving' || saving.state === 'waiting'
  return (
    <div className="cluster">
      <button
        type="submit"
        className="button primary"
        disabled={!isReady || isBusy || whyNot !== undefined}
        title={whyNot}
      >
        {title}
      </button>
      <p role="status" className={saving.state === 'failed' ? 'field-problem' : 'muted'}>
        {saving.state === 'failed' ? saving.why : SAVING_TEXT[saving.state]}
      </p>
    </div>
  )
}

// The position that a copier should hold and the one it holds, by symbol, and the reason for a difference.

function PairFacts({ pair: { row, states }, isRunning }: { readonly pair: Pair; readonly isRunning: boolean }) {
  if (!row.enabled || !isRunning)
    return (
      <p className="hint">
        {row.enabled ? 'The engine is off: nothing is known of it now.' : 'Nothing is copied by it.'}
      </p>
    )
  if (states.length === 0) return <p className="hint">The engine has not reported it yet.</p>
  return states.map(({ symbol, desired, owned, why }) => {
    const divergence = divergenceOf(desired, owned)
    return (
      <section key={symbol} className="inset ruled gap-3 grid pair-facts" aria-label={symbol}>
        <h3>{symbol === '*' ? 'Nothing copied yet' : symbol}</h3>
        <dl className="ledger">
          <Fact title="Should hold" text={showFigure(desired)} />
          <Fact title="Its orders hold" text={showFigure(owned)} />
          {divergence && <Fact title="Apart" text={divergence.words} tone={divergence.tone} />}
        </dl>
        {divergence && <Gauge divergence={divergence} />}
        {why !== undefined && (
          <p className="soft warning" role="note">
            {why}
          </p>
        )}
      </section>
    )
  })
}

function Fact({ title, text, tone }: { readonly title: string; readonly text: string; readonly tone?: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd className={tone === undefined ? 'figure' : `figure toned ${tone}`}>{text}</dd>
    </div>
  )
}

// The fields of a pair. hookline's reason to refuse one is shown beside it.

interface PairFormProps {
  readonly draft: Draft
  /** Master and copier can be chosen. */
  readonly isNew: boolean
  readonly problems: PairSave['problems']
  readonly onChange: (draft: Draft) => void
  readonly onSubmit: () => void
  /** Below the fields. */
  readonly children: ReactNode
}

function PairForm({ draft, isNew, problems, onChange, onSubmit, children }: PairFormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  const problemOf = (field: string) => problems.find((each) => each.field === field)?.why
  const text = (field: keyof Draft, label: string, placeholder = '') => (
    <TextField
      label={label}
      placeholder={placeholder}
      value={draft[field]}
      problem={problemOf(field)}
      onChange={(value) => onChange({ ...draft, [field]: value })}
    />
  )
  const account = (field: 'masterAccount' | 'account', label: string) => (
    <AccountField
      label={label}
      value={draft[field]}
      problem={problemOf(field)}
      onChange={(value) => onChange({ ...draft, [field]: value })}
    />
  )
  return (
    <form className="grid form pair-form" onSubmit={submit} noValidate>
      {isNew && (
        <div className="grid pair-fields">
          {account('masterAccount', 'Master')}
          {text('masterSymbol', 'Its symbol', 'every symbol')}
          {account('account', 'Copier')}
          {text('symbol', 'Onto', 'the same symbol')}
        </div>
      )}
      <div className="grid pair-fields">
        {text('weight', 'Weight')}
        {text('masterWeight', 'Master’s weight')}
      </div>
      <p className="muted">
        The copier holds weight ÷ master’s weight of what the master does. A weight below 0 trades the other way.
      </p>
      <Modes mode={draft.mode} onChange={(mode) => onChange({ ...draft, mode })} />
      {draft.mode === 'LimitSlippage' && text('slippage', 'Slippage in percent', '0.5')}
      <FieldProblem why={problemOf('configId') ?? problemOf('mode') ?? (isNew ? undefined : problemOf('account'))} />
      {children}
    </form>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly problem: string | undefined
  readonly onChange: (value: string) => void
}

function TextField({ label, value, problem, placeholder, onChange }: FieldProps & { readonly placeholder: string }) {
  const id = useId()
  return (
    <div>
      <label>
        <span>{label}</span>
        <input
          value={value}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={problem !== undefined}
          aria-describedby={id}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
      <FieldProblem id={id} why={problem} />
    </div>
  )
}

function AccountField({ label, value, problem, onChange }: FieldProps) {
  const id = useId()
  const accounts = useDesk((state) => state.accounts)
  const names = new Set([...(value === '' ? [] : [value]), ...(accounts ?? []).map(({ name }) => name)])
  return (
    <div>
      <label>
        <span>{label}</span>
        <select
          value={value}
          aria-invalid={problem !== undefined}
          aria-describedby={id}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">choose an account</option>
          {[...names].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <FieldProblem id={id} why={problem} />
    </div>
  )
}

function FieldProblem({ id, why }: { readonly id?: string; readonly why: string | undefined }) {
  return (
    <p id={id} className="field-problem">
      {why}
    </p>
  )
}

function Modes({ mode, onChange }: { readonly mode: string; readonly onChange: (mode: string) => void }) {
  const description = MODES.find(({ id }) => id === mode)?.description
  return (
    <fieldset className="gap-2 grid pair-modes">
      <legend>How it orders</legend>
      <div className="gap-1 round grid segments">
        {MODES.map(({ id, title }) => (
          <label key={id} className="relative centred soft muted" data-chosen={id === mode}>
            <input type="radio" name="mode" checked={id === mode} onChange={() => onChange(id)} />
            <span>{title}</span>
          </label>
        ))}
      </div>
      <p className="muted">{description ?? `${mode}, which this page does not know`}</p>
    </fieldset>
  )
}

// A pair that is being typed: hookline says while one types what it would say no to, and at the field; saving writes what hookline has read.

type Checked = Answer<'copy:check'>

/** Where a save is. `waiting`: hookline takes so long that it may be asking its operator. */
type Saving =
  | { readonly state: 'idle' | 'saving' | 'waiting' | 'saved' }
  | { readonly state: 'failed'; readonly why: string }

interface PairSave {
  readonly problems: Checked['problems']
  readonly saving: Saving
  /** @returns the key of the pair as it was written; undefined: it was not */
  save(): Promise<string | undefined>
}

const IDLE: Saving = { state: 'idle' }
const TYPING_MS = 250
/** Longer than hookline takes to answer without a question at its terminal. */
const WAITING_MS = 1_000

/** @param configId of the row that the pair is in; undefined: it gets one of its own */
function usePairSave(draft: Draft, configId: string | undefined): PairSave {
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
        // Shown when it is saved.
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

  // The result of a save is not for text typed since.
  return { problems, saving: last.of === text ? last.saving : IDLE, save }
}

function isSameSymbol({ symbol = '' }: { readonly symbol?: string }, draft: Draft): boolean {
  return symbol.toLowerCase() === draft.symbol.trim().toLowerCase()
}

// --- Stopping the engine and turning a row off: held presses, that run the command a person would type.

/** undefined: it may. @param needs edits of rows need no more than a connection */
function useWhyNot(needs: 'commands' | 'connection' = 'commands'): string | undefined {
  const isConnected = useDesk(isLive)
  const whyNot = useDesk(whyNoCommands)
  return needs === 'commands' || !isConnected ? whyNot : undefined
}

export function StopCopying() {
  const console = useConsole()
  const whyNot = useWhyNot()
  return (
    <HeldButton
      className="button small danger"
      title={whyNot ?? 'Hold to stop the engine; copiers keep their positions'}
      disabled={whyNot !== undefined}
      onHeld={() => void console.runFromPanel(STOP_LINE)}
      question={{
        title: 'Stop copying?',
        body: (
          <>
            <p>All copying stops. Positions of copiers stay open. Only the hookline terminal starts it again.</p>
            <LineBelow line={STOP_LINE} />
          </>
        ),
        yes: 'Stop copying',
        no: 'Go on copying',
        isDestructive: true,
      }}
    >
      Stop copying
    </HeldButton>
  )
}

function TurnRowOff({ row }: { readonly row: CrossTrade['configs'][number] }) {
  const console = useConsole()
  const whyNot = useWhyNot()
  if (!row.enabled) return null
  const name = rowName(row)
  return (
    <HeldButton
      className="button small"
      label={`Turn off ${name}`}
      title={whyNot ?? 'Hold to stop copying by this row; its copiers keep their positions'}
      disabled={whyNot !== undefined}
      onHeld={() => void console.runFromPanel(disableLine(row))}
      question={{
        title: `Turn off ${name}?`,
        body: (
          <>
            <p>What its copiers hold stays. Only the hookline terminal turns it on again.</p>
            <LineBelow line={disableLine(row)} />
          </>
        ),
        yes: 'Turn it off',
        no: 'Leave it on',
        isDestructive: true,
      }}
    >
      Turn off
    </HeldButton>
  )
}

interface RemovePairProps {
  readonly pair: Pair
  readonly name: string
  readonly onRemoved: () => void
}

/** The row goes with its last copier. */
function RemovePair({ pair: { row, copier }, name, onRemoved }: RemovePairProps) {
  const console = useConsole()
  const whyNot = useWhyNot('connection')
  const remove = async () => {
    const copiers = row.copiers.filter((each) => each !== copier)
    // Without `enabled`: a row that was turned off meanwhile stays off.
    const { enabled: _, updatedAt: __, ...config } = row
    const change =
      copiers.length === 0
        ? console.mutate.crossTradeConfig({ op: 'delete', configId: row.id })
        : console.mutate.crossTradeConfig({ op: 'upsert', config: { ...config, copiers } as CopyEdit })
    try {
      await change
      toast({ tone: 'success', text: `${name} is removed; what the copier holds stays` })
      onRemoved()
    } catch (error) {
      toast({ tone: 'error', text: `${name} is not removed: ${describeFailure(error)}` })
    }
  }
  return (
    <HeldButton
      className="button small"
      label={`Remove ${name}`}
      title={whyNot ?? 'Hold to remove the pair; what the copier holds stays'}
      disabled={whyNot !== undefined}
      onHeld={() => void remove()}
      question={{
        title: `Remove ${name}?`,
        body: <p>It stops copying. The copier’s positions stay open.</p>,
        yes: 'Remove it',
        no: 'Keep it',
        isDestructive: true,
      }}
    >
      Remove
    </HeldButton>
  )
}
