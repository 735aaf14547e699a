// What a page may do to a hook: pause it, give it a new token, delete it.
import type { HookRow } from '../../../protocol/frames.ts'
import { type Question, useConfirm } from '../../components/confirm.tsx'
import { HeldButton } from '../../components/held-button.tsx'
import type { HookChange } from '../../console.ts'
import { isLive } from '../../console-state.ts'
import { useConsole, useDesk } from '../../use-console.ts'
import { hookWord } from './hook-lines.ts'

export interface HookActionsProps {
  readonly hook: HookRow
  readonly onNote: (kind: 'success' | 'error', text: string) => void
}

export function HookActions({ hook, onNote }: HookActionsProps) {
  const console = useConsole()
  const confirm = useConfirm()
  const isUsable = useDesk(isLive)
  const { id, name } = hook
  const change = async (request: HookChange, done: string) => {
    const error = await console.changeHook(request)
    onNote(error === undefined ? 'success' : 'error', error ?? done)
  }
  const rotate = async () => {
    if (!(await confirm(rotateQuestion(hook)))) return
    const show = `hook show ${id.slice(0, 8)} in the hookline terminal reveals it.`
    await change({ op: 'rotate', hookId: id }, `${name} has a new token; the old one no longer works. ${show}`)
  }
  const pause = async () => {
    if (await confirm(pauseQuestion(hook))) await console.runFromPanel(`hook pause ${hookWord(hook)}`)
  }
  return (
    <span className="hook-actions">
      {hook.paused === undefined && (
        <button
          type="button"
          className="button small"
          disabled={!isUsable}
          aria-label={`Pause hook ${name}`}
          onClick={() => void pause()}
        >
          Pause
        </button>
      )}
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

function pauseQuestion({ name }: HookRow): Question {
  return {
    title: `Pause ${name}?`,
    body: <p>Its fires are answered and run nothing. What runs goes on. Only the hookline terminal resumes it.</p>,
    yes: 'Pause',
    no: 'Let it run',
  }
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
