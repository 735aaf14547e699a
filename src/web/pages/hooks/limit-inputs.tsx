// The fields of a hook's limits, of the form that makes one and of the form that changes one.
import { LIMIT_FIELDS, type LimitTexts, ON, SWITCHES } from './hook-lines.ts'

export interface LimitInputsProps {
  readonly limits: LimitTexts
  readonly onChange: (limits: LimitTexts) => void
}

export function LimitInputs({ limits, onChange }: LimitInputsProps) {
  return (
    <fieldset className="limit-inputs">
      <legend>Limits</legend>
      {LIMIT_FIELDS.map(([field, title, example]) => (
        <label key={field}>
          <span>{title}</span>
          <input
            value={limits[field] ?? ''}
            placeholder={example}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => onChange({ ...limits, [field]: event.target.value })}
          />
        </label>
      ))}
      {SWITCHES.map(([field, title, says]) => (
        <label key={field} className="limit-switch">
          <input
            type="checkbox"
            checked={limits[field] === ON}
            onChange={(event) => onChange({ ...limits, [field]: event.target.checked ? ON : '' })}
          />
          <span>
            {title}: <span className="muted">{says}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
