// What a page may do to a hook: pause it, edit it, give it a new token, delete it.
import type { HookRow } from '../../../protocol/frames.ts'
import { type Question, useConfirm } from '../../components/dialog.tsx'
import { HeldButton } from '../../components/held-button.tsx'
import type { HookChange } from '../../console.ts'
import { isLive } from '../../console-state.ts'
import { useConsole, useDesk } from '../../use-console.ts'

interface HookActionsProps {
  readonly hook: HookRow
  readonly isEditing: boolean
  readonly onEdit: () => void
  /** Pauses it, or says how it goes on. */
  readonly onPause: (hook: HookRow) => void
  readonly onNote: (kind: 'success' | 'error', text: string) => void
}

export function HookActions({ hook, isEditing, onEdit, onPause, onNote }: HookActionsProps) {
  const console = useConsole()
  const confirm = useConfirm()
  const isUsable = useDesk(isLive)
  const { id, name, paused } = hook
  const change = async (request: HookChange, done: string) => {
    const error = await console.changeHook(request)
    onNote(error === undefined ? 'success' : 'error', error ?? done)
  }
  const rotate = async () => {
    if (!(await confirm(rotateQuestion(hook)))) return
    const show = `hook show ${id.slice(0, 8)} in the hookline terminal reveals it.`
    await change({ op: 'rotate', hookId: id }, `${name} has a new token; the old one no longer works. ${show}`)
  }
  return (
    <span className="row hook-actions">
      <button
        type="button"
        className="button small"
        disabled={!isUsable}
        aria-label={`${paused === undefined ? 'Pause' : 'Resume'} hook ${name}`}
        title="Space, on its row of the list"
        onClick={() => onPause(hook)}
      >
        {paused === undefined ? 'Pause' : 'Resume'}
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
