// A network of its own for a process: only the loopback, and every port free. Linux gives one to root, and to others where the machine
// allows user namespaces.
import { spawnSync } from 'node:child_process'
import { CONSOLE_PORT, LISTENER_PORT } from '../../src/protocol/address.ts'

export type OwnNetwork =
  /** What to put before a command, so that it runs in a network of its own. */
  | { readonly prefix: readonly string[] }
  /** Why this machine gives none. */
  | { readonly missing: string }

const LOW_PORTS = '/proc/sys/net/ipv4/ip_unprivileged_port_start'
const RESERVED_PORTS = '/proc/sys/net/ipv4/ip_local_reserved_ports'
/**
 * Brings the loopback up, opens the low ports to everybody in there, and keeps hookline's own ports from being given to other connections, as a
 * machine does with any port above 32768. Where that cannot be said, it is left. Then becomes the command.
 */
const WITH_LOOPBACK = [
  'sh',
  '-c',
  `ip link set lo up && { (echo 0 > ${LOW_PORTS}) 2> /dev/null; (echo ${LISTENER_PORT},${CONSOLE_PORT} > ${RESERVED_PORTS}) 2> /dev/null; exec "$@"; }`,
  'sh',
]

/** Tries it once. `HOOKLINE_TEST_NETWORK=shared` says that there is to be none. */
export function findOwnNetwork(): OwnNetwork {
  if (process.env.HOOKLINE_TEST_NETWORK === 'shared') return { missing: 'HOOKLINE_TEST_NETWORK is shared' }
  if (process.platform !== 'linux') return { missing: `${process.platform} has no network namespaces` }
  const reasons: string[] = []
  for (const prefix of [prefixForRoot(), prefixForOthers()]) {
    const { status, stderr, error } = spawnSync(prefix[0] ?? '', [...prefix.slice(1), 'true'], { encoding: 'utf8' })
    if (status === 0) return { prefix }
    reasons.push(error?.message ?? stderr.trim())
  }
  return { missing: [...new Set(reasons)].join('; ') }
}

function prefixForRoot(): string[] {
  return ['unshare', '--net', '--', ...WITH_LOOPBACK]
}

/** Root inside a namespace of their own while the loopback is brought up; then themselves again, with no more rights than before. */
function prefixForOthers(): string[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const again = ['unshare', `--map-user=${uid}`, `--map-group=${gid}`, '--']
  return ['unshare', '--net', '--map-root-user', '--', ...WITH_LOOPBACK, ...again]
}
