// How commands and sessions ask what a line would do.
import type { Preview } from '../../protocol/preview.ts'
import type { Source } from '../../runs/run.ts'
import type { PositionState } from '../../stores/hooks.ts'

export interface PreviewRequest {
  readonly command: string
  /** As whom it would run: what a page or hook may not, fails here too. */
  readonly source: Source
  readonly account?: string
  readonly symbol?: string
  /** What an alert fills into the slots. */
  readonly values?: Readonly<Record<string, string>>
  readonly hookId?: string
  /** The page that asks: its variables are its own. */
  readonly clientId?: string
  /** What its symbols must be for the line to run at all. */
  readonly onlyIf?: PositionState
  /** Dollars that its orders may be worth together. */
  readonly max?: string
}

export interface PreviewCare {
  /** Cuts it short: it resolves at once with what there is. */
  readonly signal?: AbortSignal
  /** Called when nothing of it is under way any more, which may be after it was cut short. */
  readonly onEnded?: () => void
}

/** Nothing is sent, nothing is written, no run is made; rejects only on a bug. It takes 5 s at most: what is not done by then is left out, and told. */
export type PreviewPort = (request: PreviewRequest, care?: PreviewCare) => Promise<Preview>
