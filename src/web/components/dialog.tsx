// A modal dialog that is the browser's own: focus stays inside, Escape closes it, focus returns to where it was.
import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import { createPortal } from 'react-dom'

interface DialogProps {
  readonly title: string
  /** Only screen readers read it. */
  readonly isTitleUnseen?: boolean
  readonly className?: string
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Open for as long as it is rendered; outside the pane that asks for it, which a narrow window may hide. */
export function Dialog({ title, isTitleUnseen = false, className = '', onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = ref.current
    const opener = document.activeElement
    dialog?.showModal()
    dialog?.querySelector<HTMLElement>('[data-first]')?.focus({ preventScroll: true })
    // Read from its beginning, wherever the button that has the focus is.
    if (dialog) dialog.scrollTop = 0
    return () => {
      dialog?.close()
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape is the key for it
    <dialog
      ref={ref}
      className={`dialog ${className}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        // The backdrop is the dialog itself, outside of all that it holds.
        if (event.target === ref.current && isOutside(event.clientX, event.clientY, ref.current)) onClose()
      }}
    >
      <h2 id={titleId} className={isTitleUnseen ? 'visually-hidden' : 'breaks'}>
        {title}
      </h2>
      {children}
    </dialog>,
    document.body,
  )
}

function isOutside(x: number, y: number, element: HTMLElement): boolean {
  const { left, top, right, bottom } = element.getBoundingClientRect()
  return x < left || x > right || y < top || y > bottom
}

// --- "are you sure?", as a promise. What is destructive is never the button that Enter presses first.

export interface Question {
  readonly title: string
  readonly body: ReactNode
  readonly yes: string
  readonly no: string
  readonly isDestructive?: boolean
  /** Enter is a yes from the start: what asked was a click, or another key. In a field it is one after an edit or another key, too. */
  readonly isYesFirst?: boolean
}

type Confirm = (question: Question) => Promise<boolean>

const ConfirmContext = createContext<Confirm>(() => Promise.resolve(false))

export function useConfirm(): Confirm {
  return useContext(ConfirmContext)
}

interface Asked {
  readonly question: Question
  answer(isYes: boolean): void
}

/** For a body that knows that a yes would bring nothing. */
const RefuseYesContext = createContext<(isRefused: boolean) => void>(() => undefined)

export function useRefusedYes(isRefused: boolean): void {
  const refuse = useContext(RefuseYesContext)
  useEffect(() => {
    refuse(isRefused)
  }, [refuse, isRefused])
}

export function ConfirmProvider({ children }: { readonly children: ReactNode }) {
  const [asked, setAsked] = useState<Asked>()
  const last = useRef<Asked>(undefined)
  const confirm = useCallback<Confirm>(
    (question) =>
      new Promise((resolve) => {
        // One question at a time: a new one is a no to the one before.
        last.current?.answer(false)
        const answer = (isYes: boolean) => {
          last.current = undefined
          setAsked(undefined)
          resolve(isYes)
        }
        last.current = { question, answer }
        setAsked(last.current)
      }),
    [],
  )
  return (
    <ConfirmContext value={confirm}>
      {children}
      {asked && <ConfirmDialog {...asked} />}
    </ConfirmContext>
  )
}

function ConfirmDialog({ question, answer }: Asked) {
  const { title, body, yes, no, isDestructive = false, isYesFirst = false } = question
  const agree = useRef<HTMLButtonElement>(null)
  const isRead = useRef(isYesFirst)
  const [isRefused, setRefused] = useState(false)
  useEffect(() => {
    const hasField = agree.current?.closest('dialog')?.querySelector('input') != null
    if (isYesFirst && !hasField) agree.current?.focus()
  }, [isYesFirst])
  const press = (event: KeyboardEvent) => {
    if (!(event.target instanceof HTMLInputElement) || event.nativeEvent.isComposing) return
    if (event.key !== 'Enter') {
      isRead.current = true
      return
    }
    // The button that asked has the focus once this is closed: the same press would ask again.
    event.preventDefault()
    if (isRead.current && !event.repeat && !isRefused) answer(true)
  }
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of the fields in it */}
      <div className="breaks grid" onKeyDown={press} onInput={() => (isRead.current = true)}>
        <RefuseYesContext value={setRefused}>{body}</RefuseYesContext>
      </div>
      <div className="to-end cluster dialog-actions">
        <button type="button" className="button" onClick={() => answer(false)}>
          {no}
        </button>
        <button
          ref={agree}
          type="button"
          className={`button ${isDestructive ? 'danger' : 'primary'}`}
          disabled={isRefused}
          onClick={() => answer(true)}
        >
          {yes}
        </button>
      </div>
    </Dialog>
  )
}
