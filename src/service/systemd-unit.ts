// The text of a systemd user unit. Each line of its sandbox was tried with Node under a real manager; docs/service.md says which are left out.
import { commandOf, requireSuitable, type ServiceSpec } from './service-spec.ts'

export const UNIT_NAME = 'hookline.service'

/** What ends a line of a unit, or would be lost in one. */
const FORBIDDEN = /\p{Cc}/u

/** systemd starts no program with one of these in its path, however it is written. */
const NOT_IN_A_PROGRAM = /["'\\]/

/** @throws {ServiceError} `unsuitable-path` */
export function systemdUnit(spec: ServiceSpec): string {
  requireSuitable([...spec.program, spec.directory], FORBIDDEN)
  requireSuitable([spec.program[0]], NOT_IN_A_PROGRAM)
  return textOf(spec, {
    written: ['# Written by `hookline service install`, and rewritten by the next one.'],
    conditions: [],
    writable: quoted(spec.directory),
  })
}

/**
 * The unit of a package for all users of a machine, who have their homes in different places. The directory has to exist before its view is made, so
 * that the first start is by hand.
 */
export function packagedUnit(program: string): string {
  const home = '%h/.hookline'
  return textOf(
    { program: [program], directory: home, isDirectoryChosen: false, hasOwnView: true },
    { written: [], conditions: [`ConditionPathIsDirectory=${home}`], writable: home },
  )
}

/** What differs between the unit of one user and that of a package. */
interface UnitLines {
  readonly written: readonly string[]
  readonly conditions: readonly string[]
  /** The directory, as the unit names it. */
  readonly writable: string
}

function textOf(spec: ServiceSpec, { written, conditions, writable }: UnitLines): string {
  const { directory, isDirectoryChosen } = spec
  const chosen = isDirectoryChosen ? [`Environment=${quoted(`HOOKLINE_CONFIG_DIR=${directory}`)}`] : []
  return [
    ...written,
    '# Put changes of your own into a drop-in: systemctl --user edit hookline.service',
    '[Unit]',
    ...conditions,
    'Description=hookline, the listener for hooks and pages',
    'Documentation=man:hookline(1)',
    '# After five failures in five minutes it stays down; `hookline service status` reports it.',
    'StartLimitIntervalSec=300',
    'StartLimitBurst=5',
    '',
    '[Service]',
    'Type=exec',
    // A colon: `$` in a path is a dollar.
    `ExecStart=:${commandOf(spec).map(quoted).join(' ')}`,
    ...chosen,
    '# The passphrase of the vault, for an unattended start:',
    '#LoadCredential=hookline-vault:%h/path/to/a/file/of/mode/0600',
    'Restart=on-failure',
    'RestartSec=5',
    '# The listener alone is asked to end; what runs has 5 s.',
    'KillMode=mixed',
    'TimeoutStopSec=30',
    'SyslogLevelPrefix=no',
    'UMask=0077',
    '# A dump of the memory would have keys in it.',
    'LimitCORE=0',
    '',
    ...sandbox(spec, writable),
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n')
}

/** The view of the files that is asked for, and tried before it is relied on. */
export const OWN_VIEW: readonly string[] = [
  'PrivateUsers=yes',
  'ProtectSystem=strict',
  'ProtectHome=read-only',
  'PrivateDevices=yes',
  'ProtectKernelTunables=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelLogs=yes',
  'ProtectControlGroups=yes',
  'ProtectClock=yes',
  'ProtectHostname=yes',
]

function sandbox(spec: ServiceSpec, writable: string): readonly string[] {
  const view = [
    // Without the first the manager of a user passes over the others, and says nothing; the second leaves homes to the third.
    ...OWN_VIEW,
    `ReadWritePaths=${writable}`,
    ...(hidesTemporary(spec) ? ['PrivateTmp=yes'] : []),
  ]
  return [
    'NoNewPrivileges=yes',
    ...(spec.hasOwnView
      ? view
      : ['# This kernel refuses what would close the machine to it: PrivateUsers, ProtectSystem and their like.']),
    'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
    'RestrictNamespaces=yes',
    'RestrictRealtime=yes',
    'RestrictSUIDSGID=yes',
    'LockPersonality=yes',
    'SystemCallArchitectures=native',
    'SystemCallFilter=@system-service',
    'SystemCallFilter=~@privileged',
    'SystemCallErrorNumber=EPERM',
    "# No MemoryDenyWriteExecute: Node's compiler writes code into memory, and ends at once under it.",
  ]
}

/** A program or a directory in `/tmp` would not be found in a `/tmp` of the service's own. */
export function hidesTemporary({ program, directory }: ServiceSpec): boolean {
  return ![...program, directory].some((path) => /^\/(?:var\/)?tmp\//.test(path))
}

/** As systemd.syntax(7) and systemd.unit(5) read it: C escapes in quotes, and `%` doubled. */
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`
}
