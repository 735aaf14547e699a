// One hook: its command, the message of the alert, its limits and its fires. Its token never reaches this page.
import { lazy, Suspense, useState } from 'react'
import { useLocation } from 'wouter'
import { alertMessage } from '../../../language/alert.ts'
import { sampleValues } from '../../../language/hook-chain.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../../../protocol/address.ts'
import type { HookRow } from '../../../protocol/frames.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { type Question, useConfirm } from '../../components/dialog.tsx'
import { Gain } from '../../components/figure.tsx'
import { HeldButton } from '../../components/held-button.tsx'
import { StateBadge } from '../../components/icon.tsx'
import { type Tab, Tabs } from '../../components/tabs.tsx'
import { toast } from '../../components/toasts.tsx'
import type { HookChange } from '../../console.ts'
import { showTime } from '../../figures.ts'
import { RunList } from '../../runs/run-list.tsx'
import { endOf, showSpan, useRuns } from '../../runs/use-runs.ts'
import {
  focusOf,
  type HookRun,
  holdingsKey,
  hookName,
  isLive,
  type OutputLine,
  portfolioOf,
  runsOfHook,
  whyNoCommands,
} from '../../state/console-state.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'
import { marksOf } from './editor/grammar.ts'
import { Block, FireTest } from './fire-test.tsx'
import { dayWords, type HookDay, type HookLeft, noPnlWords, PNL_DAYS, useHookPnl } from './hook-days.ts'
import { HookEdit } from './hook-forms.tsx'
import {
  careRows,
  hookWord,
  pauseText,
  resumeLine,
  slotsOf,
  type TermRow,
  takes,
  termRows,
  triggerRows,
} from './hook-lines.ts'
import { FiresBar } from './hook-list.tsx'

const HookReplay = lazy(() => import('./hook-replay.tsx'))

interface HookDetailProps {
  readonly hook: HookRow
  readonly day: HookDay | undefined
  readonly left: HookLeft | undefined
  /** When these arrived; ms since the epoch. */
  readonly at: number
  readonly hookRuns: readonly HookRun[]
  readonly onPause: (hook: HookRow) => void
}

export function HookDetail({ hook, day, left, at, hookRuns, onPause }: HookDetailProps) {
  const [edited, setEdited] = useState<string>()
  const { name, account, id, paused } = hook
  const isEditing = edited === id
  const edit = () => setEdited(isEditing ? undefined : id)
  return (
    <div className="gap-5 grid hook-detail">
      <header className="cluster">
        <h3 className="text-4 cut">{name}</h3>
        <code className="muted">{id.slice(0, 8)}</code>
        <HookAccount account={account} />
        <HookActions hook={hook} isEditing={isEditing} onEdit={edit} onPause={onPause} />
      </header>
      {paused && <Paused hook={hook} paused={paused} />}
      <HookFigures hook={hook} day={day} />
      {isEditing ? (
        <Block title="Edit">
          <HookEdit key={id} hook={hook} onDone={() => setEdited(undefined)} />
        </Block>
      ) : (
        <Block title="Command">
          <HookCommand hook={hook} />
        </Block>
      )}
      {hook.when && (
        <Block title="Fires by itself">
          <FiresItself when={hook.when} />
        </Block>
      )}
      {hook.when && (
        <Block title="Replay">
          <Suspense fallback={<p className="muted">Loading</p>}>
            <HookReplay key={`replay ${id}`} hook={hook} />
          </Suspense>
        </Block>
      )}
      <HookAlert key={`alert ${id}`} hook={hook} />
      <FireTest key={`test ${id}`} hook={hook} />
      <HookJournal hook={hook} />
      <Block title="Limits">
        <HookLimits hook={hook} left={left} at={at} />
      </Block>
      <HookRuns runs={runsOfHook(hookRuns, id)} hooks={[hook]} />
    </div>
  )
}

/** Why, since when, and the line that ends it: at the terminal only. */
function Paused({ hook, paused }: { readonly hook: HookRow; readonly paused: NonNullable<HookRow['paused']> }) {
  const line = resumeLine(hook)
  return (
    <div className="soft warning" role="note">
      <p>{`Paused since ${showTime(paused.since, Date.now())}: ${pauseText(paused)}. Its fires are answered but run nothing.`}</p>
      <span className="cluster line-to-type">
        Type in the hookline terminal: <code>{line}</code>
        <CopyButton text={line} name="Copy the line that resumes it" />
      </span>
    </div>
  )
}

/** The condition or the times, and how far it is from being so. */
function FiresItself({ when }: { readonly when: NonNullable<HookRow['when']> }) {
  const { text, symbol } = when
  const rows = triggerRows(when, Date.now())
  return (
    <>
      <code className="inset boxed round sunken breaks">{symbol === undefined ? text : `${symbol} ${text}`}</code>
      {rows.length === 0 && <p className="muted">Another hookline judges it, or none does yet.</p>}
      <dl className="gap-2 facts hook-limits">
        {rows.map((row) => (
          <Term key={row.title} {...row} />
        ))}
      </dl>
    </>
  )
}

function HookJournal({ hook }: { readonly hook: HookRow }) {
  const [, navigate] = useLocation()
  const [filters, setFilters] = useState({ hook: hook.id })
  if (filters.hook !== hook.id) setFilters({ hook: hook.id })
  const { runs, error, hasOlder, loadOlder } = useRuns(filters, false)
  const address = `?hook=${encodeURIComponent(hook.name)}`
  return (
    <Block
      title="Journal"
      action={
        <button type="button" className="button small" onClick={() => navigate(`/journal${address}`)}>
          All in the journal
        </button>
      }
    >
      {runs?.length === 0 && <p className="muted">It has not fired yet.</p>}
      {runs === undefined && error !== undefined && <p className="muted">{error}</p>}
      {runs !== undefined && runs.length > 0 && (
        <div className="hook-journal">
          <RunList
            label={`Runs of ${hook.name}`}
            runs={runs}
            selected={undefined}
            onOpen={({ runId }) => navigate(`/journal/${runId}${address}`)}
            onEnd={() => hasOlder && loadOlder()}
          />
        </div>
      )}
    </Block>
  )
}

/** A hook without an account of its own runs on the terminal's, whatever this tab shows. */
export function HookAccount({ account }: { readonly account: string | undefined }) {
  const focused = useDesk((state) => focusOf(state)?.account)
  return (
    <span className="tag">
      {account ?? (focused === undefined ? 'the focus of the terminal' : `${focused}, the focus of the terminal`)}
    </span>
  )
}

// How the fires of a hook went: a bar and five figures.

interface HookFiguresProps {
  readonly hook: HookRow
  readonly day: HookDay | undefined
}

export function HookFigures({ hook, day }: HookFiguresProps) {
  const inFocus = useDesk((state) => focusOf(state)?.account)
  const account = hook.account ?? inFocus
  const held = useDesk((state) => holdingsKey(account === undefined ? undefined : portfolioOf(state, account)))
  const pnl = useHookPnl(hook.name, account, `${day?.last?.runId} ${held}`)
  const none = pnl && noPnlWords(pnl)
  const { fires = 0, ok = 0, failed = 0, skipped = 0, medianMs, p95Ms } = day ?? {}
  return (
    <section className="boxed round clips gap-0 grid figures hook-figures" aria-label="Last 24 hours">
      <div className="wide">
        <span className="muted">Last 24 hours</span>
        <FiresBar day={day} />
        <p className="muted">{dayWords(day)}</p>
      </div>
      <Figure title="Succeeded" value={`${ok}`} aside={`of ${ok + failed}`} />
      <Figure title="Failed" value={`${failed}`} tone={failed > 0 ? 'loss' : undefined} />
      <Figure title="Skipped" value={`${skipped}`} aside={`of ${fires}, by a limit or a pause`} />
      <Figure
        title="Median time"
        value={medianMs === undefined ? '–' : showSpan(medianMs)}
        aside={p95Ms === undefined ? undefined : `p95 ${showSpan(p95Ms)}`}
      />
      <div>
        <span className="muted">{`Net PnL, ${PNL_DAYS} days`}</span>
        <b className="text-4 numeric">
          {pnl === undefined ? '–' : none?.value}
          {pnl?.sums.map(({ currency, net }) => (
            <span key={currency}>
              <Gain text={net} /> <span className="muted">{currency} </span>
            </span>
          ))}
        </b>
        {pnl && <span className="muted">{none === undefined ? `its positions on ${account}` : none.aside}</span>}
      </div>
    </section>
  )
}

interface FigureProps {
  readonly title: string
  readonly value: string
  readonly aside?: string | undefined
  readonly tone?: 'loss' | undefined
}

function Figure({ title, value, aside, tone }: FigureProps) {
  return (
    <div>
      <span className="muted">{title}</span>
      <span>
        <b className={`text-4 numeric ${tone ?? ''}`}>{value}</b>{' '}
        {aside !== undefined && <span className="muted">{aside}</span>}
      </span>
    </div>
  )
}

// The limits of a hook, and what is left of them.

interface HookLimitsProps {
  readonly hook: HookRow
  readonly left: HookLeft | undefined
  /** When it arrived; ms since the epoch. */
  readonly at: number
}

function HookLimits({ hook, left, at }: HookLimitsProps) {
  const own = termRows(hook, left, at)
  return (
    <>
      {own.length === 0 && <p className="muted">No limits: every fire runs.</p>}
      <dl className="gap-2 facts hook-limits">
        {[...own, ...careRows(hook)].map((row) => (
          <Term key={row.title} {...row} />
        ))}
      </dl>
    </>
  )
}

function Term({ title, value, aside }: TermRow) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        <span>{value}</span> {aside !== undefined && <span className="muted">{aside}</span>}
      </dd>
    </div>
  )
}

// The command of a hook as it is, with its slots in the grammar's colours, and what each slot takes.

function HookCommand({ hook: { name, command } }: { readonly hook: HookRow }) {
  const slots = slotsOf(command)
  return (
    <div className="grid">
      <div className="inset boxed round sunken top spread row command-shown">
        <code>
          <Marked text={command} />
        </code>
        <CopyButton text={command} name={`Copy the command of ${name}`} />
      </div>
      {slots.length > 0 && (
        <dl className="gap-2 facts slots">
          {slots.map((slot) => (
            <div key={slot.name}>
              <dt>
                <code>{slot.name}</code>
              </dt>
              <dd className="muted">{takes(slot)}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  )
}

function Marked({ text }: { readonly text: string }) {
  const marks = marksOf(text)
  return (
    <>
      {marks.map(({ kind, from, to }, index) => (
        <span key={from}>
          {text.slice(marks[index - 1]?.to ?? 0, from)}
          <span className={`tok-${kind}`}>{text.slice(from, to)}</span>
        </span>
      ))}
      {text.slice(marks.at(-1)?.to ?? 0)}
    </>
  )
}

// The message that fills the slots, and the address, to paste into the charting platform or another sender.

const FORMS = [
  { id: 'alert-tradingview', title: 'TradingView' },
  { id: 'alert-json', title: 'JSON' },
  { id: 'alert-pairs', title: 'key=value' },
  { id: 'alert-curl', title: 'curl' },
] as const satisfies readonly Tab<string>[]
type Form = (typeof FORMS)[number]['id']

export function HookAlert({ hook }: { readonly hook: HookRow }) {
  const { id, name, command } = hook
  const slots = slotsOf(command)
  const message = alertMessage(slots)
  const forms = message === undefined ? FORMS.slice(-1) : FORMS
  const [chosen, setChosen] = useState<Form>('alert-tradingview')
  const shown = forms.find((form) => form.id === chosen) ?? forms[0]
  const [values = {}] = sampleValues(slots)
  const texts: Record<Form, string> = {
    'alert-tradingview': pretty(message?.json ?? '{}'),
    'alert-json': pretty(JSON.stringify(values)),
    'alert-pairs': message?.pairs ?? '',
    'alert-curl': curlLine(id, message === undefined ? undefined : JSON.stringify(values)),
  }
  const { title } = shown ?? FORMS[3]
  const text = texts[shown?.id ?? 'alert-curl']
  return (
    <Block
      title="Alert message"
      action={<Tabs label="Form of the message" tabs={forms} shown={shown?.id ?? 'alert-curl'} onShow={setChosen} />}
    >
      {message === undefined && <p className="muted">It has no slots: the text of the alert is ignored.</p>}
      <div
        className="boxed round sunken alert-message"
        role="tabpanel"
        id={`tabpanel-${shown?.id}`}
        aria-labelledby={`tab-${shown?.id}`}
      >
        <pre>{text}</pre>
        <div className="gap-3 row alert-foot">
          <code className="fill text-2 cut muted">{addressOf(id)}</code>
          <CopyButton text={text} label={title === 'curl' ? 'Copy curl' : 'Message'} name={copyName(title, name)} />
          <CopyButton text={addressOf(id)} label="Address" name={`Copy address of hook ${name}`} />
        </div>
      </div>
      <p className="muted">
        TradingView cannot reach this address: it needs your proxy. <code>hookline proxy</code> makes its file.
      </p>
      <span className="cluster line-to-type muted">
        The token is shown in the hookline terminal only: <code>{`hook show ${hookWord(hook)}`}</code>
      </span>
    </Block>
  )
}

function copyName(title: string, hook: string): string {
  return title === 'curl' ? `Copy curl line of hook ${hook}` : `Copy ${title} message of hook ${hook}`
}

function addressOf(id: string): string {
  return `http://${LISTENER_HOST}:${LISTENER_PORT}/hook/${id}`
}

/** Ready to paste, but for the token. Names and values of slots have no apostrophe. */
function curlLine(id: string, body: string | undefined): string {
  const data = body === undefined ? '' : `-d '${body}' `
  return `curl -sS -X POST -H 'X-Hook-Token: <token>' ${data}${addressOf(id)}`
}

function pretty(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2)
}

// Live output of hooks: the last fires that this page received, newest first.

const SHOWN = 5
/** Of each fire, the last. */
const SHOWN_LINES = 20

function HookRuns({
  runs,
  hooks,
}: {
  readonly runs: readonly HookRun[]
  readonly hooks: readonly HookRow[] | undefined
}) {
  if (runs.length === 0) return null
  return (
    <section className="block" aria-label="Hook runs">
      <h3>Last fires</h3>
      <div>
        <ol className="runs">
          {runs.slice(0, SHOWN).map((run) => (
            <li key={run.runId}>
              <div className="baseline cluster run-head">
                <b>{hookName(hooks, run.hookId) ?? 'a hook'}</b>
                <span className="muted">{showTime(run.at, Date.now())}</span>
                <Result run={run} />
              </div>
              <Unbegun run={run} />
              <Lines runId={run.runId} />
            </li>
          ))}
        </ol>
      </div>
    </section>
  )
}

function Result({ run: { result } }: { readonly run: HookRun }) {
  return <StateBadge state={result === undefined ? 'running' : endOf(result)} />
}

/** A fire that never began has printed nothing. */
function Unbegun({ run: { result } }: { readonly run: HookRun }) {
  if (result?.unbegun === undefined || result.error === undefined) return null
  return <Line line={{ kind: 'warn', text: result.error }} />
}

function Lines({ runId }: { readonly runId: string }) {
  const lines = useDesk(({ hookLines }) => hookLines.get(runId))
  return lines?.slice(-SHOWN_LINES).map((line, index) => (
    // Rows of output have nothing else to be known by.
    // biome-ignore lint/suspicious/noArrayIndexKey: see above
    <Line key={index} line={line} />
  ))
}

function Line({ line: { kind, text } }: { readonly line: OutputLine }) {
  return <div className={`breaks output ${kind}`}>{text}</div>
}

// --- What a page may do to a hook: pause it, edit it, give it a new token, delete it.

interface HookActionsProps {
  readonly hook: HookRow
  readonly isEditing: boolean
  readonly onEdit: () => void
  /** Pauses it, or says how it goes on. */
  readonly onPause: (hook: HookRow) => void
}

function HookActions({ hook, isEditing, onEdit, onPause }: HookActionsProps) {
  const console = useConsole()
  const confirm = useConfirm()
  const isUsable = useDesk(isLive)
  const noCommands = useDesk(whyNoCommands)
  const { id, name, paused } = hook
  const change = async (request: HookChange, done: string) => {
    const error = await console.changeHook(request)
    toast(error === undefined ? { tone: 'success', text: done } : { tone: 'error', text: error })
  }
  const rotate = async () => {
    if (!(await confirm(rotateQuestion(hook)))) return
    const show = `\`hook show ${id.slice(0, 8)}\` in the hookline terminal shows it.`
    await change({ op: 'rotate', hookId: id }, `${name} has a new token; the old one no longer works. ${show}`)
  }
  return (
    <span className="gap-2 cluster hook-actions">
      <button
        type="button"
        className="button small"
        disabled={paused === undefined && noCommands !== undefined}
        aria-label={`${paused === undefined ? 'Pause' : 'How to resume'} hook ${name}`}
        title={(paused === undefined ? noCommands : undefined) ?? 'Space, on its row of the list'}
        onClick={() => onPause(hook)}
      >
        {paused === undefined ? 'Pause' : 'How to resume'}
      </button>
      <button
        type="button"
        className="button small"
        aria-expanded={isEditing}
        aria-label={`${isEditing ? 'Stop editing' : 'Edit'} hook ${name}`}
        onClick={onEdit}
      >
        {isEditing ? 'Stop editing' : 'Edit'}
      </button>
      <button
        type="button"
        className="button small"
        disabled={!isUsable}
        aria-label={`Rotate token of hook ${name}`}
        onClick={() => void rotate()}
      >
        Rotate
      </button>
      <HeldButton
        className="button small"
        label={`Revoke hook ${name}`}
        title="Hold to delete it"
        disabled={!isUsable}
        question={revokeQuestion(hook)}
        onHeld={() => void change({ op: 'revoke', hookId: id }, `Revoked ${name}.`)}
      >
        Revoke
      </HeldButton>
    </span>
  )
}

function rotateQuestion({ name }: HookRow): Question {
  return {
    title: `Give ${name} a new token?`,
    body: <p>The old token stops working at once. Whatever fires this hook must be given the new one.</p>,
    yes: 'Rotate',
    no: 'Keep the token',
  }
}

function revokeQuestion({ name, command }: HookRow): Question {
  return {
    title: `Revoke ${name}?`,
    body: (
      <>
        <p>The hook is deleted. Whatever fires it gets 404 from now on.</p>
        <code>{command}</code>
      </>
    ),
    yes: 'Revoke',
    no: 'Keep it',
    isDestructive: true,
  }
}
