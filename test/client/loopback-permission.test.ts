// Browsers as tables: what `fetch` and `permissions.query` do in each, and what the page is told.
import { describe, expect, it } from 'vitest'
import {
  HEALTH_URL,
  type LoopbackFetch,
  type LoopbackPorts,
  probeLoopback,
} from '../../src/client/loopback-permission.ts'

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36'
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:154.0) Gecko/20100101 Firefox/154.0'

const FAILED = new TypeError('Failed to fetch')
const HEALTH = { ok: true, pid: 7, port: 53219 }

interface World {
  /** What /health says to a page that may read it; undefined: this page may not. */
  readonly health?: unknown
  readonly status?: number
  /** Whether something listens on the port at all. */
  readonly isListening: boolean
  readonly userAgent?: string
  /** States of the permission by name, before and after the browser asked. */
  readonly permission?: Readonly<Record<string, readonly [string, string]>>
  readonly isSecureContext?: boolean
  readonly protocol?: string
  /** Mixed-content or permission blocking: nothing gets out. */
  readonly isBlocked?: boolean
}

function browser(world: World) {
  const requests: (LoopbackFetch & { url: string })[] = []
  const { permission } = world
  const ports: LoopbackPorts = {
    fetch(url, init) {
      requests.push({ url, ...init })
      const isReadable = init.mode === 'cors' && 'health' in world
      if (!world.isListening || world.isBlocked || (init.mode === 'cors' && !isReadable)) return Promise.reject(FAILED)
      const { status = 200 } = world
      return Promise.resolve({ ok: status < 300, json: () => Promise.resolve(world.health) })
    },
    permissions: {
      query({ name }) {
        const states = permission?.[name]
        if (!states) return Promise.reject(new TypeError(`'${name}' is not a valid enum value of type PermissionName`))
        return Promise.resolve({ state: requests.length === 0 ? states[0] : states[1] })
      },
    },
    userAgent: world.userAgent ?? CHROME,
    isSecureContext: world.isSecureContext ?? true,
    protocol: world.protocol ?? 'https:',
  }
  return { ports, requests }
}

const allowed = { 'loopback-network': ['prompt', 'granted'] } as const
const undecided = { 'loopback-network': ['prompt', 'prompt'] } as const
const denied = { 'loopback-network': ['prompt', 'denied'] } as const

const WORLDS: readonly (World & { readonly what: string; readonly says: string })[] = [
  {
    what: 'the person allows it and hookline answers',
    health: HEALTH,
    isListening: true,
    permission: allowed,
    says: 'reachable',
  },
  {
    what: 'hookline answers a page from this machine',
    health: HEALTH,
    isListening: true,
    protocol: 'http:',
    says: 'reachable',
  },
  { what: 'Firefox lets it through', health: HEALTH, isListening: true, userAgent: FIREFOX, says: 'reachable' },
  { what: 'a Safari that has learnt to', health: HEALTH, isListening: true, userAgent: SAFARI, says: 'reachable' },
  {
    what: 'Safari on a page from this machine',
    health: HEALTH,
    isListening: true,
    userAgent: SAFARI,
    protocol: 'http:',
    says: 'reachable',
  },
  {
    what: 'listener.enabled is off',
    health: { ...HEALTH, ok: false },
    isListening: true,
    permission: allowed,
    says: 'disabled',
  },
  { what: 'nothing listens, so nobody is asked', isListening: false, permission: undecided, says: 'not-running' },
  { what: 'nothing listens, though it is allowed', isListening: false, permission: allowed, says: 'not-running' },
  { what: 'nothing listens, in Firefox', isListening: false, userAgent: FIREFOX, says: 'not-running' },
  { what: 'another program that lets everybody read', health: 'hello', isListening: true, says: 'not-running' },
  { what: 'another program without such a path', health: HEALTH, status: 404, isListening: true, says: 'not-running' },
  { what: 'the person says no', isListening: true, isBlocked: true, permission: denied, says: 'permission-denied' },
  {
    what: 'a Chrome before 145, and the person says no',
    isListening: true,
    isBlocked: true,
    permission: { 'local-network-access': ['prompt', 'denied'] },
    says: 'permission-denied',
  },
  { what: 'the origin is not allowed', isListening: true, permission: allowed, says: 'refused-origin' },
  { what: 'the origin is not allowed, in Firefox', isListening: true, userAgent: FIREFOX, says: 'refused-origin' },
  { what: 'Safari from https', isListening: true, isBlocked: true, userAgent: SAFARI, says: 'unsupported' },
  {
    what: 'plain http from elsewhere',
    isListening: true,
    isBlocked: true,
    isSecureContext: false,
    protocol: 'http:',
    says: 'unsupported',
  },
]

describe('probeLoopback', () => {
  it.each(WORLDS)('$what: $says', async ({ says, what: _what, ...world }) => {
    expect(await probeLoopback(undefined, browser(world).ports)).toBe(says)
  })

  it('asks for /health by its literal address, with nothing of the page’s', async () => {
    const { ports, requests } = browser({ health: HEALTH, isListening: true, permission: allowed })
    await probeLoopback(undefined, ports)
    expect(HEALTH_URL).toBe('http://127.0.0.1:53219/health')
    expect(requests).toEqual([
      { url: HEALTH_URL, mode: 'cors', cache: 'no-store', credentials: 'omit', targetAddressSpace: 'loopback' },
    ])
  })

  it('names the address space only to browsers that know the permission', async () => {
    const { ports, requests } = browser({ health: HEALTH, isListening: true, userAgent: SAFARI })
    await probeLoopback(undefined, ports)
    expect(requests[0]).not.toHaveProperty('targetAddressSpace')
  })

  it('does without navigator.permissions', async () => {
    const { ports } = browser({ health: HEALTH, isListening: true })
    expect(await probeLoopback(undefined, { ...ports, permissions: undefined })).toBe('reachable')
  })

  it('waits for the person for as long as its caller does', async () => {
    const { ports } = browser({ isListening: true, permission: undecided })
    const giveUp = new AbortController()
    const reason = new Error('the dialog was closed')
    const asking: LoopbackPorts = {
      ...ports,
      fetch: (_url, { signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason))
          queueMicrotask(() => giveUp.abort(reason))
        }),
    }
    const probe = probeLoopback(giveUp.signal, asking)
    await expect(probe).rejects.toBe(reason)
  })
})
