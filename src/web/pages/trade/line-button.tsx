// A button that writes a line: it shows what the line would bring, and runs it after a yes.
import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { indexAfter } from '../../components/arrow-keys.ts'
import { useConfirm } from '../../components/dialog.tsx'
import { LineDraft, LinePreview, UNTYPABLE, Warnings, type WarningsOf } from '../../preview/preview.tsx'
import { whyNoCommands } from '../../state/console-state.ts'
import { useConsole, useDesk } from '../../state/use-console.ts'

interface LineButtonProps {
  readonly title: ReactNode
  /** Its accessible name, which names the row too. */
  readonly name: string
  /** Of the button, where its title is not in the name: begins with the title. */
  readonly label?: string
  /** undefined: it cannot be typed. */
  readonly line: string | undefined
  readonly scope: { readonly account: string; readonly symbol: string }
  /** The line is a beginning: a person puts it right before it runs. */
  readonly isDraft?: boolean
  readonly className?: string
  readonly disabled?: boolean
  /** Shown above its consequences. */
  readonly warnings?: WarningsOf
  /** As in a question. */
  readonly isYesFirst?: boolean
}

export function LineButton({ title, name, line, scope, isDraft, warnings, ...look }: LineButtonProps) {
  const ask = useLineQuestion()
  const noCommands = useDesk(whyNoCommands)
  return (
    <button
      type="button"
      className={look.className ?? 'button small'}
      disabled={noCommands !== undefined || line === undefined || look.disabled}
      title={noCommands ?? line ?? UNTYPABLE}
      aria-label={look.label ?? name}
      onClick={({ detail }) => {
        // After a click Enter says yes. After an Enter it would be said before anything was read.
        const isYesFirst = detail > 0
        void ask({ name, line, scope, isYesFirst, ...(isDraft && { isDraft }), ...(warnings && { warnings }) })
      }}
    >
      {title}
    </button>
  )
}

/** A line, and what its question is called. */
export type LineAction = Pick<LineButtonProps, 'name' | 'line'>

interface LineQuestion extends LineAction, Pick<LineButtonProps, 'scope' | 'isDraft' | 'warnings' | 'isYesFirst'> {
  readonly isOffWhenRefused?: boolean
}

/** Shows what a line would bring, and runs it after a yes. */
export function useLineQuestion(): (question: LineQuestion) => Promise<void> {
  const console = useConsole()
  const confirm = useConfirm()
  return async ({ name, line, scope, isDraft = false, warnings, isYesFirst = false, isOffWhenRefused = false }) => {
    if (line === undefined) return void console.runFromPanel(line)
    let typed = line
    const isSure = await confirm({
      title: `${name}?`,
      body: (
        <>
          {warnings && <Warnings account={scope.account} of={warnings} />}
          {isDraft ? (
            <LineDraft
              line={line}
              scope={scope}
              isOffWhenRefused={isOffWhenRefused}
              onType={(text) => (typed = text)}
            />
          ) : (
            <LinePreview line={line} scope={scope} isOffWhenRefused={isOffWhenRefused} />
          )}
        </>
      ),
      yes: 'Run the line',
      no: 'Leave it',
      isYesFirst,
    })
    // On the account that the question was about, wherever the focus is by now.
    if (isSure && typed.trim() !== '') await console.runFromPanel(typed.trim(), scope)
  }
}

// --- One of a few, side by side: one tab stop, left and right choose.

export type Choices<Value extends string> = readonly (readonly [value: Value, title: string])[]

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly className: string
  /** undefined: none of them. */
  readonly value: Value | undefined
  readonly of: Choices<Value>
  readonly onChoose: (value: Value) => void
}

export function Choice<Value extends string>({ label, className, value, of, onChoose }: ChoiceProps<Value>) {
  const list = useRef<HTMLFieldSetElement>(null)
  const move = (event: KeyboardEvent) => {
    const at = indexAfter(
      'tabs',
      event,
      of.findIndex(([each]) => each === value),
      of.length,
    )
    const [next] = of[at ?? -1] ?? []
    if (next === undefined) return
    event.preventDefault()
    onChoose(next)
    list.current?.querySelector<HTMLElement>(`[data-value="${next}"]`)?.focus()
  }
  return (
    <fieldset className={className} aria-label={label} ref={list} onKeyDown={move}>
      {of.map(([each, title], index) => (
        <button
          key={each}
          type="button"
          data-value={each}
          aria-pressed={each === value}
          tabIndex={each === value || (value === undefined && index === 0) ? 0 : -1}
          onClick={() => onChoose(each)}
        >
          {title}
        </button>
      ))}
    </fieldset>
  )
}
