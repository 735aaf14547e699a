// A modal dialog that is the browser's own: focus stays inside, Escape closes it, focus returns to where it was.
import { type ReactNode, useEffect, useId, useRef } from 'react'
import { createPortal } from 'react-dom'

export interface DialogProps {
  readonly title: string
  /** Only screen readers are told it. */
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
      <h2 id={titleId} className={isTitleUnseen ? 'visually-hidden' : undefined}>
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
