// The fields of a pair. Why hookline would refuse one is said beside it, in its words.
import { type FormEvent, type ReactNode, useId } from 'react'
import { useDesk } from '../../use-console.ts'
import { type Draft, MODES } from './pair-draft.ts'
import type { PairSave } from './use-pair-save.ts'

export interface PairFormProps {
  readonly draft: Draft
  /** Who copies whom is chosen, not said. */
  readonly isNew: boolean
  readonly problems: PairSave['problems']
  readonly onChange: (draft: Draft) => void
  readonly onSubmit: () => void
  /** Below the fields. */
  readonly children: ReactNode
}

export function PairForm({ draft, isNew, problems, onChange, onSubmit, children }: PairFormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  const problemOf = (field: string) => problems.find((each) => each.field === field)?.why
  const text = (field: keyof Draft, label: string, placeholder = '') => (
    <TextField
      label={label}
      placeholder={placeholder}
      value={draft[field]}
      problem={problemOf(field)}
      onChange={(value) => onChange({ ...draft, [field]: value })}
    />
  )
  const account = (field: 'masterAccount' | 'account', label: string) => (
    <AccountField
      label={label}
      value={draft[field]}
      problem={problemOf(field)}
      onChange={(value) => onChange({ ...draft, [field]: value })}
    />
  )
  return (
    <form className="form pair-form" onSubmit={submit} noValidate>
      {isNew && (
        <div className="pair-fields">
          {account('masterAccount', 'Master')}
          {text('masterSymbol', 'Its symbol', 'every symbol')}
          {account('account', 'Copier')}
          {text('symbol', 'Onto', 'the same symbol')}
        </div>
      )}
      <div className="pair-fields">
        {text('weight', 'Weight')}
        {text('masterWeight', 'Master’s weight')}
      </div>
      <p className="hint pair-hint">
        The copier holds weight ÷ master’s weight of what the master does. A weight below 0 trades the other way.
      </p>
      <Modes mode={draft.mode} onChange={(mode) => onChange({ ...draft, mode })} />
      {draft.mode === 'LimitSlippage' && text('slippage', 'Slippage in percent', '0.5')}
      <FieldProblem why={problemOf('configId') ?? problemOf('mode') ?? (isNew ? undefined : problemOf('account'))} />
      {children}
    </form>
  )
}

interface FieldProps {
  readonly label: string
  readonly value: string
  readonly problem: string | undefined
  readonly onChange: (value: string) => void
}

function TextField({ label, value, problem, placeholder, onChange }: FieldProps & { readonly placeholder: string }) {
  const id = useId()
  return (
    <div>
      <label>
        <span>{label}</span>
        <input
          value={value}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={problem !== undefined}
          aria-describedby={id}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
      <FieldProblem id={id} why={problem} />
    </div>
  )
}

function AccountField({ label, value, problem, onChange }: FieldProps) {
  const id = useId()
  const accounts = useDesk((state) => state.accounts)
  const names = new Set([...(value === '' ? [] : [value]), ...(accounts ?? []).map(({ name }) => name)])
  return (
    <div>
      <label>
        <span>{label}</span>
        <select
          value={value}
          aria-invalid={problem !== undefined}
          aria-describedby={id}
          onChange={(event) => onChange(event.target.value)}
        >
          <option value="">choose an account</option>
          {[...names].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <FieldProblem id={id} why={problem} />
    </div>
  )
}

function FieldProblem({ id, why }: { readonly id?: string; readonly why: string | undefined }) {
  return (
    <p id={id} className="field-problem">
      {why}
    </p>
  )
}

function Modes({ mode, onChange }: { readonly mode: string; readonly onChange: (mode: string) => void }) {
  const says = MODES.find(({ id }) => id === mode)?.says
  return (
    <fieldset className="pair-modes">
      <legend>How it orders</legend>
      <div className="segments">
        {MODES.map(({ id, title }) => (
          <label key={id} data-chosen={id === mode}>
            <input type="radio" name="mode" checked={id === mode} onChange={() => onChange(id)} />
            <span>{title}</span>
          </label>
        ))}
      </div>
      <p className="muted">{says ?? `${mode}, which this page does not know`}</p>
    </fieldset>
  )
}
