// Reaches a person who looks elsewhere: by a sound, and by the system's own notification. Loaded once a person has asked for either.
import { navigate } from 'wouter/use-browser-location'
import type { NoticeRow } from '../../protocol/rows.ts'
import type { Group } from '../state/preferences.ts'
import { usePreferences } from '../state/preferences.ts'
import { notificationsOf, placeOfNotice } from './notices.ts'

export interface Note {
  readonly hz: number
  readonly ms: number
}

/** A rising tune is good news, a falling one bad. */
export const TUNES: Readonly<Record<Group, readonly Note[]>> = {
  failures: [
    { hz: 440, ms: 120 },
    { hz: 311, ms: 220 },
  ],
  fills: [
    { hz: 660, ms: 80 },
    { hz: 880, ms: 120 },
  ],
  stops: [
    { hz: 523, ms: 90 },
    { hz: 392, ms: 160 },
  ],
  guards: [
    { hz: 349, ms: 120 },
    { hz: 349, ms: 120 },
  ],
  said: [{ hz: 784, ms: 140 }],
}

const LOUDNESS = 0.12
const FADE_S = 0.02
/** Fills may come by the dozen. */
const QUIET_MS = 1_000

let context: AudioContext | undefined
let playedAt = 0

/** Silent until a person has clicked or typed in this tab: browsers require it. */
export function play(group: Group, now = Date.now()): void {
  if (now - playedAt < QUIET_MS || typeof AudioContext === 'undefined') return
  playedAt = now
  context ??= new AudioContext()
  // A sound that the browser suspends is not played later.
  if (context.state === 'suspended') void context.resume().catch(() => {})
  let at = context.currentTime
  for (const note of TUNES[group]) at = sound(context, note, at)
}

function sound(audio: AudioContext, { hz, ms }: Note, from: number): number {
  const until = from + ms / 1_000
  const tone = audio.createOscillator()
  const volume = audio.createGain()
  tone.frequency.value = hz
  volume.gain.setValueAtTime(0, from)
  volume.gain.linearRampToValueAtTime(LOUDNESS, from + FADE_S)
  volume.gain.linearRampToValueAtTime(0, until)
  tone.connect(volume).connect(audio.destination)
  tone.start(from)
  tone.stop(until)
  return until
}

// --- notifications

let leader: TabLeader | undefined

/** As the connection comes and goes. */
export function setConnected(isConnected: boolean): void {
  leader ??= new TabLeader(pageTabs())
  leader.setConnected(isConnected)
}

export async function notifyOutside(rows: readonly NoticeRow[], shown?: string): Promise<void> {
  if (!leader?.isLeading) return
  const { hasSounds, hasNotifications, groups } = usePreferences.getState()
  const wanted = notificationsOf(rows, groups, shown)
  const last = wanted.at(-1)
  if (last === undefined) return
  if (hasSounds) play(last.group)
  if (!hasNotifications || !isAllowed() || (await leader.isLookedAt())) return
  const href = rows.map(placeOfNotice).at(-1)?.href ?? '/'
  for (const { text, tag } of wanted) show(text, tag, href)
}

export function isAllowed(): boolean {
  return 'Notification' in window && Notification.permission === 'granted'
}

/** Plain text: the system draws it, and nothing in it is markup. */
function show(body: string, tag: string, href: string): void {
  try {
    const shown = new Notification('hookline', { body, tag, icon: '/icons/icon-192.png' })
    shown.addEventListener('click', () => {
      shown.close()
      window.focus()
      navigate(href)
    })
  } catch {
    // A browser that lets only a worker show them: the bell has it.
  }
}

// --- Of several tabs one leads, and alone gives sounds and notifications: the one that holds a lock that the browser gives to one tab and takes
// back when it is gone. What a person is looking at is not notified: any tab may be the one in front.

export interface TabLeaderPorts {
  /** Waits for its turn. Resolves once `until` has. */
  hold(until: Promise<void>, begun: () => void): Promise<void>
  post(message: unknown): void
  onMessage(handler: (message: unknown) => void): void
  isInFront(): boolean
  after(ms: number, callback: () => void): void
}

/** Tabs of one browser answer sooner. */
export const ANSWER_MS = 1_000

export class TabLeader {
  readonly #ports: TabLeaderPorts
  #isLeading = false
  #end: (() => void) | undefined
  #answered: (() => void) | undefined

  constructor(ports: TabLeaderPorts) {
    this.#ports = ports
    ports.onMessage((message) => {
      if (message === 'who looks?' && ports.isInFront()) ports.post('I look')
      if (message === 'I look') this.#answered?.()
    })
  }

  get isLeading(): boolean {
    return this.#isLeading
  }

  /** Only a tab that is connected hears of anything. */
  setConnected(isConnected: boolean): void {
    if (!isConnected) this.#end?.()
    else if (this.#end === undefined) this.#wait()
  }

  /** Whether a tab of this console is in front. */
  isLookedAt(): Promise<boolean> {
    if (this.#ports.isInFront()) return Promise.resolve(true)
    return new Promise((resolve) => {
      this.#answered = () => resolve(true)
      this.#ports.after(ANSWER_MS, () => resolve(false))
      this.#ports.post('who looks?')
    })
  }

  #wait(): void {
    const ended = new Promise<void>((resolve) => {
      this.#end = () => {
        this.#end = undefined
        this.#isLeading = false
        resolve()
      }
    })
    // Without locks each tab notifies; the browser shows a tag once.
    void this.#ports.hold(ended, () => {
      this.#isLeading = this.#end !== undefined
    })
  }
}

const NAME = 'hookline.teller'

export function pageTabs(): TabLeaderPorts {
  const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(NAME)
  return {
    async hold(until, begun) {
      const locks = navigator.locks as LockManager | undefined
      const lead = () => {
        begun()
        return until
      }
      await (locks === undefined ? lead() : locks.request(NAME, lead).catch(lead))
    },
    post: (message) => channel?.postMessage(message),
    onMessage: (handler) => channel?.addEventListener('message', ({ data }) => handler(data)),
    isInFront: () => document.visibilityState === 'visible' && document.hasFocus(),
    after: (ms, callback) => void setTimeout(callback, ms),
  }
}
