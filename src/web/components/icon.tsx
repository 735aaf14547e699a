// The desk's own icons: strokes on a grid of 20.

export type IconName = keyof typeof PATHS

const PATHS = {
  trade: 'M5 4v12M3.5 7h3v6h-3zM10 3v14M8.5 6h3v5h-3zM15 5v10M13.5 8h3v4h-3z',
  hooks: 'M8 3v8.5a3.5 3.5 0 0 0 7 0V10l-2.2 2.2M6.5 3h3',
  journal: 'M7 5h10M7 10h10M7 15h10M3.5 5h.01M3.5 10h.01M3.5 15h.01',
  portfolio: 'M3 4v12h14M6 12l3.5-4 3 2.5L17 5',
  copy: 'M5 10h3c3 0 3-5 6-5h1M8 10c3 0 3 5 6 5h1M5 10m-1.8 0a1.8 1.8 0 1 0 3.6 0a1.8 1.8 0 1 0-3.6 0M16.5 5m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0M16.5 15m-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0',
  settings:
    'M3 6h7M14 6h3M3 14h3M10 14h7M12 6m-1.9 0a1.9 1.9 0 1 0 3.8 0a1.9 1.9 0 1 0-3.8 0M8 14m-1.9 0a1.9 1.9 0 1 0 3.8 0a1.9 1.9 0 1 0-3.8 0',
  keys: 'M10 10m-7 0a7 7 0 1 0 14 0a7 7 0 1 0-14 0M7.8 8a2.2 2.2 0 1 1 3.2 2c-.7.4-1 .8-1 1.6M10 14h.01',
  search: 'M9 9m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0M13 13l4 4',
  bell: 'M5.5 14V9a4.5 4.5 0 0 1 9 0v5l1.5 1.5h-12zM8.5 17.5h3',
  chevron: 'M6 8l4 4 4-4',
  stop: 'M10 10m-7 0a7 7 0 1 0 14 0a7 7 0 1 0-14 0M10 6.5v4.5M10 13.6h.01',
  prompt: 'M3.5 6l4 4-4 4M10 15h6.5',
  close: 'M5.5 5.5l9 9M14.5 5.5l-9 9',
  check: 'M4.5 10.5l3.5 3.5 7.5-8',
  cross: 'M5.5 5.5l9 9M14.5 5.5l-9 9',
  pause: 'M7.5 5v10M12.5 5v10',
  clock: 'M10 10m-7 0a7 7 0 1 0 14 0a7 7 0 1 0-14 0M10 6v4l2.8 1.8',
  play: 'M7 5l8 5-8 5z',
  unknown: 'M10 3l6 3.5v7L10 17l-6-3.5v-7z',
  warning: 'M10 4l7 12.5H3zM10 8.5v3.5M10 14h.01',
  system: 'M10 10m-6.5 0a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0M10 3.5v13',
  light:
    'M10 10m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0M10 3v1.5M10 15.5V17M3 10h1.5M15.5 10H17M5 5l1 1M14 14l1 1M5 15l1-1M14 6l1-1',
  dark: 'M8 3.5a6.8 6.8 0 1 0 8.5 8.5A5.6 5.6 0 0 1 8 3.5z',
} as const

export function Icon({ name, size = 20 }: { readonly name: IconName; readonly size?: number }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 20 20"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

export function Mark() {
  return (
    <svg viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#0f6bd6" />
      <path
        d="M11 6v11a5.5 5.5 0 0 0 11 0v-2l-3.5 3.5"
        fill="none"
        stroke="#fff"
        strokeWidth="3.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}

// --- How a run or a task went: an icon and a word, and a colour that neither needs.

type Look = readonly [icon: IconName, tone: string]

const LOOKS: ReadonlyMap<string, Look> = new Map(
  Object.entries<Look>({
    ok: ['check', 'good'],
    done: ['check', 'good'],
    warning: ['warning', 'warn'],
    failed: ['cross', 'bad'],
    skipped: ['pause', 'warn'],
    paused: ['pause', 'warn'],
    expired: ['clock', 'warn'],
    running: ['play', 'busy'],
    unknown: ['unknown', 'bad'],
    interrupted: ['unknown', 'bad'],
    canceled: ['close', ''],
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
