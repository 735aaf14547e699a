// Cards and menus that open beside a button, as popovers of the browser: on top, closed by Escape or a click elsewhere, which gives the
// focus back to the button.
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  type ToggleEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { indexAfter } from './arrow-keys.ts'

const GAP = 6
const EDGE = 8

interface Popover {
  readonly id: string
  readonly ref: RefObject<HTMLDivElement | null>
  readonly isOpen: boolean
  close(): void
  open(): void
  onToggle(event: ToggleEvent<HTMLDivElement>): void
  /** For the button that opens it. */
  readonly button: {
    readonly popoverTarget: string
    readonly 'aria-expanded': boolean
    readonly 'aria-controls': string
    readonly ref: RefObject<HTMLButtonElement | null>
  }
}

export function usePopover(): Popover {
  const id = useId()
  const ref = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const [isOpen, setOpen] = useState(false)
  // Once what is in it is there: its size says where it fits.
  useLayoutEffect(() => {
    if (!isOpen || ref.current === null) return undefined
    const element = ref.current
    const settle = () => place(element, button.current)
    settle()
    addEventListener('resize', settle)
    return () => removeEventListener('resize', settle)
  }, [isOpen])
  return {
    id,
    ref,
    isOpen,
    close: () => ref.current?.hidePopover(),
    open: () => ref.current?.showPopover(),
    onToggle: (event) => setOpen(event.newState === 'open'),
    button: { popoverTarget: id, 'aria-expanded': isOpen, 'aria-controls': id, ref: button },
  }
}

/** Under the button where there is room, else above it; never outside the window. */
function place(element: HTMLElement, button: HTMLElement | null): void {
  const anchor = button?.getBoundingClientRect()
  if (anchor === undefined) return
  const { offsetWidth: width, offsetHeight: height } = element
  const left = Math.max(EDGE, Math.min(anchor.left, innerWidth - width - EDGE))
  const below = anchor.bottom + GAP
  const top = below + height > innerHeight - EDGE ? Math.max(EDGE, anchor.top - height - GAP) : below
  element.style.left = `${left}px`
  element.style.top = `${top}px`
}

interface CardProps {
  readonly popover: Popover
  readonly label: string
  readonly className?: string
  readonly children: ReactNode
}

export function Card({ popover, label, className = 'card', children }: CardProps) {
  return (
    <div
      ref={popover.ref}
      id={popover.id}
      className={className}
      popover="auto"
      role="dialog"
      aria-label={label}
      onToggle={popover.onToggle}
    >
      {children}
    </div>
  )
}

export interface MenuItem {
  readonly id: string
  readonly title: ReactNode
  /** At the right: a key, a command. */
  readonly note?: ReactNode
  readonly isChosen?: boolean
  onChoose(): void
}

interface MenuProps {
  readonly popover: Popover
  readonly label: string
  readonly items: readonly MenuItem[]
  /** Above the items. */
  readonly children?: ReactNode
}

/** One tab stop; the arrows go from item to item. */
export function Menu({ popover, label, items, children }: MenuProps) {
  const move = (event: KeyboardEvent<HTMLElement>) => {
    const all = [...event.currentTarget.querySelectorAll<HTMLElement>('.menu-item')]
    const index = all.indexOf(document.activeElement as HTMLElement)
    const to = indexAfter('menu', event, index, all.length)
    if (to === undefined) return
    if (event.target instanceof HTMLInputElement && (event.key === 'Home' || event.key === 'End')) return
    event.preventDefault()
    all[to]?.focus()
  }
  return (
    <div
      ref={popover.ref}
      id={popover.id}
      className="menu"
      popover="auto"
      role="dialog"
      aria-label={label}
      onToggle={popover.onToggle}
      onKeyDown={move}
    >
      {popover.isOpen && (
        <>
          {children}
          {items.map(({ id, title, note, isChosen, onChoose }, index) => (
            <button
              key={id}
              type="button"
              className="round full at-start row menu-item"
              tabIndex={index === 0 ? 0 : -1}
              aria-current={isChosen ? 'true' : undefined}
              onClick={() => {
                popover.close()
                onChoose()
              }}
            >
              <span className="fill cut">{title}</span>
              {note !== undefined && <span className="muted">{note}</span>}
              {isChosen && <span aria-hidden="true">✓</span>}
            </button>
          ))}
        </>
      )}
    </div>
  )
}
