// "Are you sure?", as a promise. What is destructive is never the button that Enter presses first.
import { createContext, type ReactNode, useCallback, useContext, useRef, useState } from 'react'
import { Dialog } from './dialog.tsx'

export interface Question {
  readonly title: string
  readonly body: ReactNode
  readonly yes: string
  readonly no: string
  readonly isDestructive?: boolean
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
  const { title, body, yes, no, isDestructive = false } = question
  return (
    <Dialog title={title} onClose={() => answer(false)}>
      <div className="dialog-body">{body}</div>
      <div className="dialog-actions">
        <button type="button" className="button" onClick={() => answer(false)}>
          {no}
        </button>
        <button type="button" className={`button ${isDestructive ? 'danger' : 'primary'}`} onClick={() => answer(true)}>
          {yes}
        </button>
      </div>
    </Dialog>
  )
}
