// Hooks: the list, and the one that is open. Which one that is, is in the address.
import { useCallback, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import type { HookRow } from '../../../protocol/frames.ts'
import { Empty } from '../../components/empty.tsx'
import { Nothing, Pane } from '../../components/pane.tsx'
import { isLive } from '../../console-state.ts'
import { useDesk, useDeskParts } from '../../use-console.ts'
import { useMedia } from '../../use-media.ts'
import { HookDetail } from './hook-detail.tsx'
import { HookList } from './hook-list.tsx'
import { leftText } from './hook-terms.ts'
import { NewHookDialog } from './new-hook-dialog.tsx'
import { useHookDays } from './use-hook-days.ts'
import { useWishedCommand } from './wished-command.ts'

/** Long enough to be read twice. */
const NOTE_MS = 20_000

interface Note {
  readonly kind: 'success' | 'error'
  readonly text: string
}

export function HooksPane() {
  const { hooks, hookRuns, accounts } = useDeskParts('hooks', 'hookRuns', 'accounts')
  const isConnected = useDesk(isLive)
  const isOff = useDesk((state) => isLive(state) && state.flags?.remoteExec === false)
  const { days, lefts, at } = useHookDays()
  const [path, navigate] = useLocation()
  const isNarrow = useMedia('(max-width: 799px)')
  const wished = useWishedCommand()
  const [isCreating, setCreating] = useState(wished !== undefined)
  const [note, setNote] = useNote()
  const wanted = hookIn(path)
  const open = wanted === undefined ? (isNarrow ? undefined : hooks?.[0]) : findHook(hooks, wanted)
  const show = useCallback(
    ({ name }: Pick<HookRow, 'name'>) => navigate(`/hooks/${encodeURIComponent(name)}`),
    [navigate],
  )
  const newHook = (
    <button type="button" className="button small primary" disabled={!isConnected} onClick={() => setCreating(true)}>
      New hook
    </button>
  )
  return (
    <div className="page page-hook-list" data-open={wanted !== undefined}>
      <Pane id="hooks" title="Hooks" aside={hooks && <span className="count">{hooks.length}</span>} actions={newHook}>
        {isCreating && (
          <NewHookDialog
            accounts={accounts ?? []}
            command={wished}
            onClose={() => setCreating(false)}
            onCreated={(name) => {
              setCreating(false)
              // In a narrow window the list stays, and with it what is said of the token.
              if (!isNarrow) show({ name })
              const where = 'Its token is shown only in the hookline terminal: type hook show and its name there.'
              setNote({ kind: 'success', text: `Created ${name}. ${where}` })
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
          <HookList hooks={hooks} hookRuns={hookRuns} days={days} isOff={isOff} selected={open?.id} onOpen={show} />
        )}
        <p className={`note ${note?.kind ?? ''}`} role="status">
          {note?.text}
        </p>
      </Pane>
      <Pane id="hook" title="Hook" actions={isNarrow ? <BackButton onClick={() => navigate('/hooks')} /> : undefined}>
        {open && (
          <HookDetail
            hook={open}
            day={days.get(open.id)}
            left={leftText(lefts.get(open.id), at)}
            hookRuns={hookRuns}
            onNote={(kind, text) => setNote({ kind, text })}
          />
        )}
        {!open && wanted !== undefined && hooks !== undefined && (
          <Empty title={`There is no hook ${wanted}`}>It was revoked, or never made on this hookline.</Empty>
        )}
      </Pane>
    </div>
  )
}

function BackButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button type="button" className="button small" onClick={onClick}>
      All hooks
    </button>
  )
}

function useNote() {
  const [note, setNote] = useState<Note>()
  useEffect(() => {
    if (note === undefined) return undefined
    const timer = setTimeout(() => setNote(undefined), NOTE_MS)
    return () => clearTimeout(timer)
  }, [note])
  return [note, setNote] as const
}

/** Of `/hooks/dip`: a name, or an id. */
function hookIn(path: string): string | undefined {
  const name = /^\/hooks\/([^/]+)/.exec(path)?.[1]
  try {
    return name === undefined ? undefined : decodeURIComponent(name)
  } catch {
    // A percent sign that stands for nothing.
    return name
  }
}

function findHook(hooks: readonly HookRow[] | undefined, wanted: string): HookRow | undefined {
  return hooks?.find(({ name }) => name === wanted) ?? hooks?.find(({ id }) => id === wanted)
}
