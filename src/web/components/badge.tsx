// How a run or a task went: an icon and a word, and a colour that neither needs.
import { Icon, type IconName } from './icon.tsx'

type Look = readonly [icon: IconName, tone: string]

const LOOKS: ReadonlyMap<string, Look> = new Map(
  Object.entries<Look>({
    ok: ['check', 'good'],
    done: ['check', 'good'],
    failed: ['cross', 'bad'],
    skipped: ['pause', 'warn'],
    paused: ['pause', 'warn'],
    expired: ['clock', 'warn'],
    running: ['play', 'busy'],
    unknown: ['unknown', 'bad'],
    interrupted: ['unknown', 'bad'],
    cancelled: ['close', ''],
  }),
)

/** @param state one that is not known here is shown as it is */
export function StateBadge({ state, detail }: { readonly state: string; readonly detail?: string }) {
  const [icon, tone] = LOOKS.get(state) ?? []
  return (
    <span className={`tag ${tone ?? ''}`}>
      {icon && <Icon name={icon} size={13} />}
      {detail === undefined ? state : `${state} ${detail}`}
    </span>
  )
}
