// Hooks: what a POST runs.
import { createElement, Fragment, type ReactNode, useCallback } from 'react'
import { useLocation, useSearch } from 'wouter'
import type { HookRow } from '../../../protocol/frames.ts'
import { type Question, useConfirm } from '../../components/dialog.tsx'
import { Empty, Nothing, Pane } from '../../components/pane.tsx'
import { toast } from '../../components/toasts.tsx'
import { Words } from '../../components/words.tsx'
import { LineBelow } from '../../preview/preview.tsx'
import { type ConsoleState, isLive, whyNoCommands } from '../../state/console-state.ts'
import { NARROW, useConsole, useDesk, useDeskParts, useMedia } from '../../state/use-console.ts'
import { useHookDays } from './hook-days.ts'
import { HookDetail } from './hook-detail.tsx'
import { NewHookDialog } from './hook-forms.tsx'
import { createdNews, hookWord, NEW_HOOK, resumeLine, useWishedCommand, wantedCommand } from './hook-lines.ts'
import { HookList } from './hook-list.tsx'
import './hooks.css'
import './hook-forms.css'

export function HooksPage() {
  return <HooksPane />
}

// Pauses a hook after a question. What lets it go on is typed in the hookline terminal: it is copied from here.

export function useHookPause(): (hook: HookRow) => Promise<void> {
  const console = useConsole()
  const confirm = useConfirm()
  return async (hook) => {
    if (hook.paused !== undefined) {
      // Where the clipboard is closed, the line can still be read.
      if (await confirm(resumeQuestion(hook))) await navigator.clipboard.writeText(resumeLine(hook)).catch(() => {})
      return
    }
    const whyNot = whyNoCommands(console.getState())
    if (whyNot !== undefined) return toast({ tone: 'error', text: `${hook.name} is not paused. ${whyNot}` })
    if (await confirm(pauseQuestion(hook))) await console.runFromPanel(pauseLine(hook))
  }
}

function pauseLine(hook: HookRow): string {
  return `hook pause ${hookWord(hook)}`
}

function pauseQuestion(hook: HookRow): Question {
  const effect =
    'Fires are answered but run nothing. Running lines finish. Only the hookline terminal resumes the hook.'
  const line = createElement(LineBelow, { line: pauseLine(hook) })
  const body = createElement(Fragment, null, createElement('p', null, effect), line)
  return { title: `Pause ${hook.name}?`, body, yes: 'Pause', no: 'Let it run' }
}

function resumeQuestion(hook: HookRow): Question {
  return {
    title: `${hook.name} is paused`,
    body: createElement('p', null, 'Type in the hookline terminal: ', createElement('code', null, resumeLine(hook))),
    yes: 'Copy the line',
    no: 'Close',
  }
}

// Hooks: the list, and the one that is open. Which one that is, is in the address.

export function HooksPane() {
  const { hooks, hookRuns } = useDeskParts('hooks', 'hookRuns')
  const whyOff = useDesk((state) => (isLive(state) ? whyNoCommands(state) : undefined))
  const isOff = whyOff !== undefined
  const { days, lefts, at } = useHookDays()
  const [path, navigate] = useLocation()
  const pause = useHookPause()
  const isNarrow = useMedia(NARROW)
  const [wished, wish] = useWishedCommand()
  const wanted = hookIn(path)
  const open = wanted === undefined ? (isNarrow ? undefined : hooks?.[0]) : findHook(hooks, wanted)
  const show = useCallback(
    // A name that is an address of the page's own is left to it.
    ({ name, id }: Pick<HookRow, 'name'> & { readonly id?: string }, options?: { readonly replace: boolean }) =>
      navigate(`/hooks/${encodeURIComponent(name === 'new' ? (id ?? '') : name)}`, options),
    [navigate],
  )
  const leaveForm = () => {
    wish(undefined)
    navigate('/hooks', { replace: true })
  }
  const made = (name: string) => {
    wish(undefined)
    show({ name }, { replace: true })
    toast({ tone: 'success', text: createdNews(name) })
  }
  return (
    <div className="page page-hook-list" data-open={wanted !== undefined}>
      <Pane
        id="hooks"
        title="Hooks"
        aside={hooks && <span className="count">{hooks.length}</span>}
        actions={<NewHookButton />}
      >
        {(path === NEW_HOOK || wished !== undefined) && <NewHook wished={wished} onMade={made} onClose={leaveForm} />}
        {isOff && <OffWarning why={whyOff} />}
        <HookFaults />
        <HooksOrNone hooks={hooks} onWish={wish}>
          {(all) => (
            <HookList
              hookRuns={hookRuns}
              days={days}
              isKnown={at > 0}
              isOff={isOff}
              hooks={all}
              selected={open?.id}
              onOpen={(hook) => show(hook)}
              onPause={(hook) => void pause(hook)}
            />
          )}
        </HooksOrNone>
      </Pane>
      <Pane
        id="hook"
        of="state:hooks"
        title="Hook"
        isHeaded
        actions={isNarrow ? <BackButton onClick={() => navigate('/hooks')} /> : undefined}
      >
        {open && (
          <HookDetail
            hook={open}
            hookRuns={hookRuns}
            at={at}
            day={days.get(open.id)}
            left={lefts.get(open.id)}
            onPause={(hook) => void pause(hook)}
          />
        )}
        {!open && wanted !== undefined && hooks !== undefined && (
          <Empty title={`There is no hook ${wanted}`}>It was revoked, or never existed on this hookline.</Empty>
        )}
      </Pane>
    </div>
  )
}

function OffWarning({ why }: { readonly why: string }) {
  return (
    <p className="soft warning" role="note">
      <Words text={`Fires are answered 423 and run nothing. ${why}`} />
    </p>
  )
}

const HOOKS_FILE = 'hooks.json'

/** A hook whose row is not valid is in no list: what is wrong with it is, in its place. */
function HookFaults() {
  return faultsOfHooks(useDesk(({ flags }) => flags)).map(({ file, message, kind }) => (
    <div key={message} className="breaks soft warning" role="note">
      <b>{kind === 'row' ? 'A hook is invalid and does not fire.' : 'The hooks file has an error.'}</b>
      <p>{`${file}, ${message}`}</p>
      <p>
        Fix the file. Type <code>status</code> in the hookline terminal for its path.
      </p>
    </div>
  ))
}

function faultsOfHooks(flags: ConsoleState['flags']) {
  return flags?.files?.filter(({ file }) => file === HOOKS_FILE) ?? []
}

interface NewHookProps {
  /** By another page of this console. */
  readonly wished: string | undefined
  readonly onMade: (name: string) => void
  readonly onClose: () => void
}

function NewHook({ wished, onMade, onClose }: NewHookProps) {
  const { accounts } = useDeskParts('accounts')
  const wanted = wantedCommand(useSearch())
  return (
    <NewHookDialog accounts={accounts ?? []} wished={wished} wanted={wanted} onClose={onClose} onCreated={onMade} />
  )
}

const RECIPES = [
  ['Buy and protect', 'buy $250 BTCUSDT stop -2%'],
  ['Follow a strategy', 'position {target:in(long,short,flat)} {size:usd<=500} BTCUSDT'],
  ['Close everything', 'cancel all; close all'],
] as const

interface HooksOrNoneProps {
  readonly hooks: readonly HookRow[] | undefined
  readonly onWish: (command: string) => void
  readonly children: (hooks: readonly HookRow[]) => ReactNode
}

function HooksOrNone({ hooks, onWish, children }: HooksOrNoneProps) {
  const isConnected = useDesk(isLive)
  const isFaulty = useDesk(({ flags }) => faultsOfHooks(flags).length > 0)
  if (hooks === undefined) return <Nothing what="Hooks" rows={3} />
  if (hooks.length > 0) return children(hooks)
  return (
    <div className="gap-3 grid muted empty">
      <b>{isFaulty ? 'No other hook' : 'No hook yet'}</b>
      <p>
        A hook is a command that a POST to this machine runs, such as an alert from a charting platform. Start with:
      </p>
      {RECIPES.map(([title, command]) => (
        <button
          key={title}
          type="button"
          className="full at-start button recipe"
          disabled={!isConnected}
          onClick={() => onWish(command)}
        >
          <span>{title}</span>
          <code className="breaks muted">{command}</code>
        </button>
      ))}
    </div>
  )
}

function NewHookButton() {
  const isConnected = useDesk(isLive)
  const [, navigate] = useLocation()
  return (
    <button type="button" className="button small primary" disabled={!isConnected} onClick={() => navigate(NEW_HOOK)}>
      New hook
    </button>
  )
}

function BackButton({ onClick }: { readonly onClick: () => void }) {
  return (
    <button type="button" className="button small" onClick={onClick}>
      All hooks
    </button>
  )
}

/** Of `/hooks/dip`: a name, or an id. */
function hookIn(path: string): string | undefined {
  const name = path === NEW_HOOK ? undefined : /^\/hooks\/([^/]+)/.exec(path)?.[1]
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
