// Ways from the internet to the loopback, and what each adds to a request: from their documentation, and from requests that others have recorded.
import type { Lines } from './origin-table.ts'

export interface Tunnel {
  readonly name: string
  /** The `Host` that its visitors call. */
  readonly host: string
  readonly adds: Lines
}

export const TUNNELS: readonly Tunnel[] = [
  {
    name: 'cloudflared',
    host: 'alerts.example.com',
    adds: [
      ['CF-Connecting-IP', '203.0.113.7'],
      ['CF-IPCountry', 'NL'],
      ['CF-Ray', '9cd08c876d6a81a4-AMS'],
      ['CF-Visitor', '{"scheme":"https"}'],
      ['CF-Warp-Tag-Id', 'ee14046b-a895-4b82-ab02-facc2526bb4a'],
      ['CDN-Loop', 'cloudflare; loops=1'],
      ['X-Forwarded-For', '203.0.113.7'],
      ['X-Forwarded-Proto', 'https'],
    ],
  },
  {
    name: 'ngrok',
    host: 'a1b2.ngrok-free.app',
    adds: [
      ['X-Forwarded-For', '203.0.113.7'],
      ['X-Forwarded-Host', 'a1b2.ngrok-free.app'],
      ['X-Forwarded-Proto', 'https'],
    ],
  },
  {
    name: 'tailscale serve',
    host: 'home.tail1234.ts.net',
    adds: [
      ['Tailscale-User-Login', 'ada@example.com'],
      ['Tailscale-User-Name', 'Ada'],
      ['Tailscale-User-Profile-Pic', 'https://example.com/ada.jpg'],
      ['X-Forwarded-For', '100.101.102.103'],
      ['X-Forwarded-Host', 'home.tail1234.ts.net'],
      ['X-Forwarded-Proto', 'https'],
    ],
  },
  {
    name: 'tailscale funnel',
    host: 'home.tail1234.ts.net',
    adds: [
      ['Tailscale-Funnel-Request', '?1'],
      ['X-Forwarded-For', '203.0.113.7'],
      ['X-Forwarded-Host', 'home.tail1234.ts.net'],
      ['X-Forwarded-Proto', 'https'],
    ],
  },
  {
    name: 'nginx with the usual lines',
    host: 'alerts.example.com',
    adds: [
      ['X-Real-IP', '203.0.113.7'],
      ['X-Forwarded-For', '203.0.113.7'],
      ['X-Forwarded-Proto', 'https'],
      ['X-NginX-Proxy', 'true'],
    ],
  },
  {
    name: 'a proxy by the standard',
    host: 'alerts.example.com',
    adds: [
      ['Forwarded', 'for=203.0.113.7;proto=https'],
      ['Via', '1.1 proxy.example.com'],
    ],
  },
]

/** These pass bytes on and add nothing: only the name that was called tells. */
export const BARE_TUNNELS = ['ssh -R', 'WireGuard', 'a port forward of a router'] as const
