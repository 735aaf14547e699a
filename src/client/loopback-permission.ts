// What can keep this page from 127.0.0.1. A WebSocket tells a page nothing about why it failed, and in some browser versions never
// makes the permission prompt appear; a `fetch` of /health does both. Call it from a click, after saying what the browser will ask.
//
//   Chrome, Edge  142 and later ask once per site before a page from elsewhere may reach this machine; 147 also for WebSockets
//   Firefox       153 and later likewise; 154 also for WebSockets
//   Safari        does not let https pages reach ws:// or http:// on this machine, and does not ask
//
// Pages that this machine itself serves are asked nothing. Frames of another page need `allow="loopback-network"` from it.
import { defined } from '../base/defined.ts'
import { LISTENER_HOST, LISTENER_PORT } from '../protocol/address.ts'

export type LoopbackAccess =
  /** hookline answers and this page may read it. */
  | 'reachable'
  /** The same, but its `listener.enabled` is off: it will refuse the WebSocket. */
  | 'disabled'
  /** Nothing answers, or nothing that is hookline. A prompt that was closed without an answer looks the same, while the permission is still to be decided. */
  | 'not-running'
  /** The browser's user, or an administrator, said no: only the site settings help. */
  | 'permission-denied'
  /** Something answers and does not let this page read it: a hookline that has not allowed this origin, or another program. */
  | 'refused-origin'
  /** This browser does not let pages of this kind reach this machine: Safari from https, others from plain http elsewhere. */
  | 'unsupported'

export interface LoopbackPorts {
  fetch(url: string, init: LoopbackFetch): Promise<LoopbackResponse>
  /** undefined where the browser has no such thing. */
  readonly permissions: { query(permission: { name: string }): Promise<{ readonly state: string }> } | undefined
  readonly userAgent: string
  readonly isSecureContext: boolean
  /** `location.protocol`. */
  readonly protocol: string
}

export interface LoopbackFetch {
  readonly mode: 'cors' | 'no-cors'
  readonly cache: 'no-store'
  readonly credentials: 'omit'
  readonly targetAddressSpace?: 'loopback'
  readonly signal?: AbortSignal
}

interface LoopbackResponse {
  readonly ok: boolean
  json(): Promise<unknown>
}

export const HEALTH_URL = `http://${LISTENER_HOST}:${LISTENER_PORT}/health`

/** Today's name, and the one before Chrome 145 that later ones still know. */
const PERMISSION_NAMES = ['loopback-network', 'local-network-access']

/**
 * Waits while the browser asks its user; `signal` gives up.
 *
 * @throws what `signal` was aborted with
 */
export async function probeLoopback(
  signal?: AbortSignal,
  ports: LoopbackPorts = pageLoopback(),
): Promise<LoopbackAccess> {
  const before = await permissionState(ports)
  const request: Omit<LoopbackFetch, 'mode'> = {
    cache: 'no-store',
    credentials: 'omit',
    // Only where the permission exists: an engine that knows the option but not the value refuses the request.
    ...(before === undefined ? {} : { targetAddressSpace: 'loopback' }),
    ...defined({ signal }),
  }
  const health = await attempt(ports.fetch(HEALTH_URL, { ...request, mode: 'cors' }), signal)
  if (health !== undefined) return judgeHealth(health, signal)
  if ((await permissionState(ports)) === 'denied') return 'permission-denied'
  // Without `cors` an answer arrives that cannot be read: enough to know that there is one.
  const anyAnswer = await attempt(ports.fetch(HEALTH_URL, { ...request, mode: 'no-cors' }), signal)
  if (anyAnswer !== undefined) return 'refused-origin'
  return isUnsupported(ports) ? 'unsupported' : 'not-running'
}

async function judgeHealth(response: LoopbackResponse, signal: AbortSignal | undefined): Promise<LoopbackAccess> {
  const health = response.ok ? await attempt(response.json(), signal) : undefined
  if (typeof health !== 'object' || health === null || !('ok' in health)) return 'not-running'
  return health.ok === true ? 'reachable' : 'disabled'
}

/** @returns undefined when it failed: the browser tells pages no cause */
async function attempt<T>(result: Promise<T>, signal: AbortSignal | undefined): Promise<T | undefined> {
  try {
    return await result
  } catch {
    signal?.throwIfAborted()
    return undefined
  }
}

/** @returns undefined in a browser that does not ask */
async function permissionState({ permissions }: LoopbackPorts): Promise<string | undefined> {
  for (const name of PERMISSION_NAMES) {
    try {
      return (await permissions?.query({ name }))?.state
    } catch {
      // The browser does not know a permission of this name.
    }
  }
  return undefined
}

/** Asked only after it has failed: a browser that has learnt to allow it is not judged by its name. */
function isUnsupported({ userAgent, isSecureContext, protocol }: LoopbackPorts): boolean {
  const isSafari = /AppleWebKit\//.test(userAgent) && !/Chrome\/|Chromium\//.test(userAgent)
  return !isSecureContext || (isSafari && protocol === 'https:')
}

function pageLoopback(): LoopbackPorts {
  return {
    fetch: (url, init) => fetch(url, init),
    permissions: navigator.permissions as LoopbackPorts['permissions'],
    userAgent: navigator.userAgent,
    isSecureContext: globalThis.isSecureContext,
    protocol: location.protocol,
  }
}
