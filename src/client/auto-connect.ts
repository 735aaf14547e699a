// When a page may look for hookline by itself (behaviour 119): only where there is reason to believe that it runs on this
// machine, for to look is to make the browser ask its user for permission. A person's click always may; it does not come by here.

/** As the check-in names them. */
export type HostPlatform = 'darwin' | 'win32' | 'linux'

export interface DeviceFacts {
  /** `navigator.userAgent`. */
  readonly userAgent: string
  /** `navigator.maxTouchPoints`. */
  readonly maxTouchPoints: number
  /** `navigator.platform`: old, coarse, and still true where the user agent pretends. */
  readonly platform: string
}

export interface AutoConnectFacts extends DeviceFacts {
  /** Whether a hookline has welcomed this device: it holds a `trustedListenerId`. */
  readonly knowsListener: boolean
  /** ms since the epoch of the last check-in of each platform (`settings.cli.checkins`). */
  readonly checkins: Readonly<Partial<Record<HostPlatform, number>>>
  /** ms since the epoch. */
  readonly now: number
}

/** Behaviour 140. */
export const CHECKIN_FRESH_MS = 14 * 24 * 60 * 60 * 1_000

export function shouldProbe({ knowsListener, checkins, now, ...device }: AutoConnectFacts): boolean {
  if (isHandheld(device)) return false
  if (knowsListener) return true
  const platform = hostPlatformOf(device)
  const checkedInAt = platform && checkins[platform]
  return checkedInAt !== undefined && now - checkedInAt < CHECKIN_FRESH_MS
}

/** @returns undefined for devices that hookline does not run on */
export function hostPlatformOf(device: DeviceFacts): HostPlatform | undefined {
  const { userAgent } = device
  if (isHandheld(device)) return undefined
  if (/Windows NT/.test(userAgent)) return 'win32'
  if (/Macintosh/.test(userAgent)) return 'darwin'
  if (/Linux|CrOS/.test(userAgent)) return 'linux'
  return undefined
}

/** Phones and tablets, also where their browser asks for desktop pages. A touch screen alone makes no tablet of a Windows laptop. */
function isHandheld({ userAgent, maxTouchPoints, platform }: DeviceFacts): boolean {
  if (/Android|iPhone|iPad|iPod|Mobile|Tablet(?! PC)|Silk|Kindle/i.test(userAgent)) return true
  // No Mac has a touch screen: this is an iPad.
  if (/Macintosh/.test(userAgent)) return maxTouchPoints > 1
  // Android's desktop mode calls itself X11; the processor gives it away.
  if (/Linux/.test(userAgent)) return maxTouchPoints > 1 && /arm|aarch/i.test(platform)
  return false
}
