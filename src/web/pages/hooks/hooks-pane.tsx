// Hooks: what a POST runs, how it went the last time. Tokens never reach this page.
import { memo, useCallback, useEffect, useRef, useState } from 'react'
import { LISTENER_HOST, LISTENER_PORT } from '../../../protocol/address.ts'
import type { HookRow } from '../../../protocol/frames.ts'
import { StateBadge } from '../../components/badge.tsx'
import { type Question, useConfirm } from '../../components/confirm.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Empty } from '../../components/empty.tsx'
import { Nothing, Pane } from '../../components/pane.tsx'
import { useRoving } from '../../components/roving.ts'
import type { HookChange } from '../../console.ts'
import { type HookRun, isLive, runsOfHook } from '../../console-state.ts'
import { showTime } from '../../figures.ts'
import { useConsole, useDesk, useDeskParts } from '../../use-console.ts'
import { HookRuns } from '../journal/hook-runs.tsx'
import { limitsText, pauseText } from './hook-terms.ts'
import { NewHookDialog } from './new-hook-dialog.tsx'

/** Long enough to be read twice. */
const NOTE_MS = 20_000

export function HooksPane() {
  const { hooks, hookRuns, accounts } = useDeskParts('hooks', 'hookRuns', 'accounts')
  const isConnected = useDesk(isLive)
  const isOff = useDesk((state) => isLive(state) && state.flags?.remoteExec === false)
  const console = useConsole()
  const [isCreating, setCreating] = useState(false)
  const [note, setNote] = useState<Note>()
  useEffect(() => {
    if (note === undefined) return undefined
    const timer = setTimeout(() => setNote(undefined), NOTE_MS)
    return () => clearTimeout(timer)
  }, [note])
  const change = useCallback(
    async (request: HookChange, done: string) => {
      const error = await console.changeHook(request)
      setNote(error === undefined ? { kind: 'success', text: done } : { kind: 'error', text: error })
    },
    [console],
  )
  const newHook = (
    <button type="button" className="button small primary" disabled={!isConnected} onClick={() => setCreating(true)}>
      New hook
    </button>
  )
  return (
    <Pane id="hooks" title="Hooks" aside={hooks && <span className="count">{hooks.length}</span>} actions={newHook}>
      {isCreating && (
        <NewHookDialog
          accounts={accounts ?? []}
          onClose={() => setCreating(false)}
          onCreated={(name) => {
            setCreating(false)
            setNote({
              kind: 'success',
              text: `Created ${name}. Its token is shown only in the hookline terminal: type hook show and its name there.`,
            })
          }}
        />
      )}
      {isOff && (
        <p className="warning" role="note">
          Fires are answered 423 and run nothing: listener.remoteExec is off. Turn it on in config.json.
        </p>
      )}
      {hooks === undefined && <Nothing what="Hooks" rows={3} />}
      {hooks?.length === 0 && (
        <Empty>
          No hooks. A hook is a command that a POST to this machine runs, such as an alert from a charting platform.
        </Empty>
      )}
      {hooks !== undefined && hooks.length > 0 && (
        <>
          <HookList hooks={hooks} hookRuns={hookRuns} change={change} />
          <p className="hint">
            The copied line has <code>{'<token>'}</code> in place of the secret. <code>hook show</code> and the name,
            typed in the hookline terminal, reveals it.
          </p>
        </>
      )}
      <HookRuns runs={hookRuns} hooks={hooks} />
      <p className={`note ${note?.kind ?? ''}`} role="status">
        {note?.text}
      </p>
    </Pane>
  )
}

interface Note {
  readonly kind: 'success' | 'error'
  readonly text: string
}

interface HookListProps {
  readonly hooks: readonly HookRow[]
  readonly hookRuns: readonly HookRun[]
  readonly change: HookItemProps['change']
}

function HookList({ hooks, hookRuns, change }: HookListProps) {
  const list = useRef<HTMLUListElement>(null)
  const roving = useRoving(list, 'li.hook')
  return (
    <ul className="hooks" aria-label="Hooks" ref={list} {...roving}>
      {hooks.map((hook) => (
        <HookItem key={hook.id} hook={hook} lastRun={runsOfHook(hookRuns, hook.id)[0]} change={change} />
      ))}
    </ul>
  )
}

interface HookItemProps {
  readonly hook: HookRow
  readonly lastRun: HookRun | undefined
  readonly change: (request: HookChange, done: string) => Promise<void>
}

/** Drawn anew only when it changed itself: there may be hundreds. */
const HookItem = memo(({ hook, lastRun, change }: HookItemProps) => {
  const confirm = useConfirm()
  const isUsable = useDesk(isLive)
  const ask = async (question: Question, request: HookChange, done: string) => {
    if (await confirm(question)) await change(request, done)
  }
  const { id, name, command, account } = hook
  const short = id.slice(0, 8)
  return (
    <li className="hook" tabIndex={-1}>
      <div className="hook-name">
        <b className="long">{name}</b>
        <code className="muted">{short}</code>
        <span className="muted">{account === undefined ? 'on the account in focus' : `on ${account}`}</span>
        <LastRun run={lastRun} />
      </div>
      <code className="hook-command">{command}</code>
      <HookTerms hook={hook} />
      <div className="hook-actions">
        <CopyButton text={curlLine(id)} label="Copy curl" name={`Copy curl line of hook ${name}`} />
        <button
          type="button"
          className="button small"
          disabled={!isUsable}
          aria-label={`Rotate token of hook ${name}`}
          onClick={() =>
            void ask(
              rotateQuestion(hook),
              { op: 'rotate', hookId: id },
              `${name} has a new token; the old one no longer works. hook show ${short} in the hookline terminal reveals it.`,
            )
          }
        >
          Rotate
        </button>
        <button
          type="button"
          className="button small"
          disabled={!isUsable}
          aria-label={`Revoke hook ${name}`}
          onClick={() => void ask(revokeQuestion(hook), { op: 'revoke', hookId: id }, `Revoked ${name}.`)}
        >
          Revoke
        </button>
      </div>
    </li>
  )
})

function HookTerms({ hook }: { readonly hook: HookRow }) {
  const limits = limitsText(hook)
  if (limits === '' && hook.paused === undefined) return null
  return (
    <span className="hook-terms muted">
      {hook.paused && <StateBadge state="paused" detail={pauseText(hook.paused)} />} {limits}
    </span>
  )
}

function LastRun({ run }: { readonly run: HookRun | undefined }) {
  if (run === undefined) return <span className="tag off">not fired since you came</span>
  if (run.result === undefined) return <span className="tag busy">running</span>
  const { success, unbegun = 'failed' } = run.result
  return <StateBadge state={success ? 'ok' : unbegun} detail={showTime(run.at, Date.now())} />
}

/** Ready to paste, but for the token. */
export function curlLine(id: string): string {
  return `curl -sS -X POST -H 'X-Hook-Token: <token>' http://${LISTENER_HOST}:${LISTENER_PORT}/hook/${id}`
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
