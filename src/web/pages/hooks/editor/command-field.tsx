// The field for a hook's command: a plain one at once, the editor as soon as it is there. What is typed meanwhile, and the cursor, go over.
import { type ComponentType, useEffect, useId, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { isLive, scopeOf } from '../../../state/console-state.ts'
import { useConsole, useDesk } from '../../../state/use-console.ts'
import type { CodeEditorProps, Cursor } from './code-editor.tsx'
import { asOneLine, type Fault, faultIn } from './grammar.ts'

interface CommandFieldProps {
  readonly value: string
  readonly onChange: (text: string) => void
  /** Ctrl and Enter. */
  readonly onSubmit?: () => void
}

const PLACEHOLDER = 'buy $250 BTCUSDT stop -2%'

export function CommandField({ value, onChange, onSubmit }: CommandFieldProps) {
  const id = useId()
  const fault = useFault(value)
  return (
    <div className="gap-2 grid command-field">
      <span aria-hidden="true">Command</span>
      <Field value={value} onChange={onChange} {...(onSubmit && { onSubmit })} fault={fault} describedBy={id} />
      <p className={`breaks text-2 command-fault ${fault ? 'toned bad' : 'muted'}`} id={id} role="status">
        {fault
          ? faultWords(fault)
          : /\n/.test(value.trim())
            ? 'A line break counts as a space: put ; between steps.'
            : ''}
      </p>
    </div>
  )
}

interface FieldProps extends CommandFieldProps {
  readonly fault: Fault | undefined
  readonly describedBy: string
}

function Field({ value, onChange, onSubmit, fault, describedBy }: FieldProps) {
  const plain = useRef<HTMLTextAreaElement>(null)
  const cursor = useRef<Cursor>(undefined)
  const Editor = useEditor(plain, cursor)
  if (Editor === undefined) {
    return (
      <textarea
        ref={plain}
        aria-label="Command"
        aria-describedby={describedBy}
        aria-invalid={fault !== undefined}
        value={value}
        rows={3}
        spellCheck={false}
        autoComplete="off"
        placeholder={PLACEHOLDER}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && onSubmit?.()}
      />
    )
  }
  return (
    <Editor
      label="Command"
      placeholder={PLACEHOLDER}
      cursor={cursor.current}
      onSubmit={onSubmit}
      value={value}
      onChange={onChange}
      fault={fault}
      describedBy={describedBy}
    />
  )
}

/** undefined until it is loaded, and for as long as letters are being composed in the plain field; for ever where it cannot be loaded. */
function useEditor(
  plain: { readonly current: HTMLTextAreaElement | null },
  cursor: { current: Cursor | undefined },
): ComponentType<CodeEditorProps> | undefined {
  const [Editor, setEditor] = useState<ComponentType<CodeEditorProps>>()
  useEffect(() => {
    let isGone = false
    let isComposing = false
    const field = plain.current
    const begin = () => {
      isComposing = true
    }
    const composed = new Promise<void>((resolve) => {
      field?.addEventListener('compositionstart', begin)
      field?.addEventListener('compositionend', () => {
        isComposing = false
        resolve()
      })
    })
    const load = async () => {
      const { default: loaded } = await import('./code-editor.tsx')
      if (isComposing) await composed
      if (isGone) return
      if (field !== null && document.activeElement === field)
        cursor.current = { anchor: field.selectionStart, head: field.selectionEnd }
      // All at once: no key may come between the one field and the other.
      flushSync(() => setEditor(() => loaded))
    }
    // Without it the plain field stays.
    load().catch(() => {})
    return () => {
      isGone = true
    }
  }, [plain, cursor])
  return Editor
}

// Faults of a command while it is typed: from the page's parser at once, from hookline a moment later.

const PAUSE_MS = 200

/** undefined: nothing is known against it. */
function useFault(text: string): Fault | undefined {
  const console = useConsole()
  const isUsable = useDesk(isLive)
  const line = asOneLine(text)
  const own = useMemo(() => faultIn(line), [line])
  const [answered, setAnswered] = useState<{ readonly line: string; readonly fault: Fault | undefined }>()
  const isAsked = isUsable && own === undefined && line.trim() !== ''
  useEffect(() => {
    if (!isAsked) return undefined
    let isOver = false
    const timer = setTimeout(async () => {
      const scope = scopeOf(console.getState())
      // A hookline that is too old, or that went away, says so when the line is run.
      const answer = await console.ask.complete({ line, cursor: 0, hook: true, ...scope }).catch(() => undefined)
      if (!isOver && answer !== undefined) setAnswered({ line, fault: answer.error })
    }, PAUSE_MS)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [console, isAsked, line])
  return own ?? (answered?.line === line && isAsked ? answered.fault : undefined)
}

/** In a sentence, with its place where it is not the whole. */
function faultWords({ message, column, hint }: Fault): string {
  const where = column === undefined ? '' : `Column ${column}: `
  return `${where}${message}${hint === undefined ? '' : `; ${hint}`}`
}
