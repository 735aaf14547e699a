// The gate as a table: user agents as browsers really send them.
import { describe, expect, it } from 'vitest'
import { CHECKIN_FRESH_MS, type HostPlatform, hostPlatformOf, shouldProbe } from '../../src/client/auto-connect.ts'

const NOW = 1_800_000_000_000
const FRESH = NOW - CHECKIN_FRESH_MS + 1
const STALE = NOW - CHECKIN_FRESH_MS

const KIT = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0'
const SAFARI = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0'

interface Device {
  readonly what: string
  readonly userAgent: string
  readonly platform: string
  readonly maxTouchPoints?: number
  readonly host: HostPlatform | undefined
}

const DEVICES: readonly Device[] = [
  {
    what: 'Chrome on a Mac',
    userAgent: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${KIT} Safari/537.36`,
    platform: 'MacIntel',
    host: 'darwin',
  },
  {
    what: 'Safari on a Mac',
    userAgent: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${SAFARI} Safari/605.1.15`,
    platform: 'MacIntel',
    host: 'darwin',
  },
  {
    what: 'Firefox on a Mac',
    userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:154.0) Gecko/20100101 Firefox/154.0',
    platform: 'MacIntel',
    host: 'darwin',
  },
  {
    what: 'Edge on Windows',
    userAgent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KIT} Safari/537.36 Edg/147.0.0.0`,
    platform: 'Win32',
    host: 'win32',
  },
  {
    what: 'a Windows laptop with a touch screen',
    userAgent: `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${KIT} Safari/537.36`,
    platform: 'Win32',
    maxTouchPoints: 10,
    host: 'win32',
  },
  {
    what: 'Firefox on Linux',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:154.0) Gecko/20100101 Firefox/154.0',
    platform: 'Linux x86_64',
    host: 'linux',
  },
  {
    what: 'a Linux laptop with a touch screen',
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) ${KIT} Safari/537.36`,
    platform: 'Linux x86_64',
    maxTouchPoints: 10,
    host: 'linux',
  },
  {
    what: 'a Linux desktop with an ARM processor',
    userAgent: 'Mozilla/5.0 (X11; Linux aarch64; rv:154.0) Gecko/20100101 Firefox/154.0',
    platform: 'Linux aarch64',
    host: 'linux',
  },
  {
    what: 'a Chromebook',
    userAgent: `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${KIT} Safari/537.36`,
    platform: 'Linux x86_64',
    maxTouchPoints: 10,
    host: 'linux',
  },
  {
    what: 'FreeBSD',
    userAgent: 'Mozilla/5.0 (X11; FreeBSD amd64; rv:154.0) Gecko/20100101 Firefox/154.0',
    platform: 'FreeBSD amd64',
    host: undefined,
  },
]

const HANDHELDS: readonly Omit<Device, 'host'>[] = [
  {
    what: 'an iPhone',
    userAgent: `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${SAFARI} Mobile/15E148 Safari/604.1`,
    platform: 'iPhone',
    maxTouchPoints: 5,
  },
  {
    what: 'an iPad',
    userAgent: `Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) ${SAFARI} Mobile/15E148 Safari/604.1`,
    platform: 'iPad',
    maxTouchPoints: 5,
  },
  {
    what: 'an iPad in desktop mode',
    userAgent: `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${SAFARI} Safari/605.1.15`,
    platform: 'MacIntel',
    maxTouchPoints: 5,
  },
  {
    what: 'an Android phone',
    userAgent: `Mozilla/5.0 (Linux; Android 10; K) ${KIT} Mobile Safari/537.36`,
    platform: 'Linux armv81',
    maxTouchPoints: 5,
  },
  {
    what: 'an Android tablet',
    userAgent: `Mozilla/5.0 (Linux; Android 10; K) ${KIT} Safari/537.36`,
    platform: 'Linux armv81',
    maxTouchPoints: 5,
  },
  {
    what: 'an Android tablet in desktop mode',
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) ${KIT} Safari/537.36`,
    platform: 'Linux armv81',
    maxTouchPoints: 5,
  },
  {
    what: 'Firefox on Android in desktop mode',
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:154.0) Gecko/154.0 Firefox/154.0',
    platform: 'Linux aarch64',
    maxTouchPoints: 5,
  },
  {
    what: 'Firefox on an Android tablet',
    userAgent: 'Mozilla/5.0 (Android 15; Tablet; rv:154.0) Gecko/154.0 Firefox/154.0',
    platform: 'Linux aarch64',
    maxTouchPoints: 5,
  },
  {
    what: 'a Kindle',
    userAgent: `Mozilla/5.0 (Linux; U; en-us) ${KIT} Silk/120.1 Safari/537.36`,
    platform: 'Linux armv8l',
    maxTouchPoints: 2,
  },
]

function facts({ userAgent, platform, maxTouchPoints = 0 }: Omit<Device, 'what' | 'host'>) {
  return { userAgent, platform, maxTouchPoints, knowsListener: false, checkins: {}, now: NOW }
}

const ALL_FRESH = { darwin: FRESH, win32: FRESH, linux: FRESH }

describe('a page on a desktop', () => {
  it.each(DEVICES)('$what is $host', ({ host, ...device }) => {
    expect(hostPlatformOf(facts(device))).toBe(host)
  })

  it.each(DEVICES)('$what: looks for hookline only for a reason', ({ host, ...device }) => {
    const base = facts(device)
    expect(shouldProbe(base)).toBe(false)
    expect(shouldProbe({ ...base, knowsListener: true })).toBe(true)
    expect(shouldProbe({ ...base, checkins: ALL_FRESH })).toBe(host !== undefined)
    if (host === undefined) return
    expect(shouldProbe({ ...base, checkins: { [host]: FRESH } })).toBe(true)
    expect(shouldProbe({ ...base, checkins: { ...ALL_FRESH, [host]: STALE } })).toBe(false)
  })
})

describe('a page on a phone or tablet', () => {
  it.each(HANDHELDS)('$what never looks', (device) => {
    expect(hostPlatformOf(facts(device))).toBeUndefined()
    expect(shouldProbe({ ...facts(device), knowsListener: true, checkins: ALL_FRESH })).toBe(false)
  })
})

describe('odd records', () => {
  const mac = facts(DEVICES[0] as Device)
  it.each([
    ['a check-in that is no number counts for nothing', { checkins: { darwin: Number.NaN } }, false],
    ['a check-in by a clock ahead of ours is fresh', { checkins: { darwin: NOW + 60_000 } }, true],
    ['fourteen days to the millisecond is no longer younger', { checkins: { darwin: STALE } }, false],
  ])('%s', (_what, change, expected) => {
    expect(shouldProbe({ ...mac, ...change })).toBe(expected)
  })
})
