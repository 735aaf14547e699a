// How the fires of a hook went in the last 24 h, in two lines.
import { printable } from '../../language/printable.ts'
import type { HookCounts } from '../../runs/run.ts'
import { showDuration, showTime } from '../../trading/figures.ts'

export const NO_FIRES: HookCounts = { fires: 0, ok: 0, failed: 0, skipped: 0, expired: 0 }

export function countRows(counts: HookCounts): readonly (readonly [string, string])[] {
  const { last } = counts
  return [['24 h', describeDay(counts)], ...(last === undefined ? [] : [['last', describeLast(last)] as const])]
}

/** `12 fires: 9 ok, 2 failed, 1 skipped; median 84ms, p95 1.2s`. */
function describeDay({ fires, medianMs, p95Ms, ...counts }: HookCounts): string {
  if (fires === 0) return 'no fires'
  const parts = (['ok', 'failed', 'skipped', 'expired'] as const)
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome].toLocaleString('en-US')} ${outcome}`)
  const took =
    medianMs === undefined || p95Ms === undefined
      ? ''
      : `; median ${showDuration(medianMs)}, p95 ${showDuration(p95Ms)}`
  return `${fires === 1 ? '1 fire' : `${fires.toLocaleString('en-US')} fires`}: ${parts.join(', ')}${took}`
}

function describeLast({ at, outcome, error }: NonNullable<HookCounts['last']>): string {
  // Its words say it themselves: `skipped: cooldown of 1m`.
  const isSaid = outcome === 'skipped' || outcome === 'expired'
  const why = error === undefined ? '' : printable(error, 200)
  return `${showTime(at)} UTC, ${isSaid && why !== '' ? why : `${outcome}${why === '' ? '' : `: ${why}`}`}`
}
