// What the service managers have in common: a file, and the commands that make them take notice of it. Everything here is data; who
// runs it is `service.ts`.
import { join } from 'node:path'
import { AGENT_LABEL, launchdAgent } from './launchd-agent.ts'
import { ServiceError } from './service-error.ts'
import type { ServiceSpec } from './service-spec.ts'
import { OWN_VIEW, systemdUnit, UNIT_NAME } from './systemd-unit.ts'
import { TASK_NAME, windowsTask } from './windows-task.ts'

export type ToolCommand = readonly [tool: string, ...args: string[]]

export interface Step {
  readonly command: ToolCommand
  /** It undoes what may not be there. */
  readonly mayFail?: true
}

export interface ServiceState {
  readonly is: 'running' | 'starting' | 'failed' | 'stopped'
  /** Of its process, where the manager says it. */
  readonly pid?: number
  /** Whether it is told where the passphrase of the vault is, where the manager says it. */
  readonly hasPassphrase?: boolean
}

export interface ServiceManager {
  readonly name: string
  /** What the manager calls the service. */
  readonly service: string
  /** The file that describes the service, absolute. */
  readonly path: string
  /** @throws {ServiceError} `unsuitable-path` */
  text(spec: ServiceSpec): string
  /** Succeeds where the manager answers this user. */
  readonly probe: ToolCommand
  /** Succeeds where the service can have a view of the files of its own (`ServiceSpec.hasOwnView`); absent where no service has one. */
  readonly probeView?: ToolCommand
  /** Once the file is written. `isChanged`: a service that runs has to be started anew. */
  start(isChanged: boolean): readonly Step[]
  /** Before the file is removed. */
  readonly stop: readonly Step[]
  /** Once it is removed. */
  readonly forget: readonly Step[]
  /** What it answers is read by `readState`. */
  readonly ask: ToolCommand
  readState(answer: string): ServiceState
  logs(options: { readonly lines: number; readonly isFollowed: boolean }): ToolCommand
  /** Whether services of this user go on without a login; absent where they never do. Answers `yes` or `no`. */
  readonly askLingering?: ToolCommand
}

interface ServicePlace {
  readonly platform: NodeJS.Platform
  readonly home: string
  /** The config directory, absolute. */
  readonly directory: string
  readonly env: { readonly [name: string]: string | undefined }
  readonly uid: number
  readonly user: string
}

/** @throws {ServiceError} `unsupported-system` */
export function managerOf(place: ServicePlace): ServiceManager {
  switch (place.platform) {
    case 'linux':
      return systemd(place)
    case 'darwin':
      return launchd(place)
    case 'win32':
      return taskScheduler(place)
    default:
      throw new ServiceError(
        'unsupported-system',
        `hookline has no service for ${place.platform}`,
        'let your service manager run `hookline listen`',
      )
  }
}

function systemd({ home, env, uid }: ServicePlace): ServiceManager {
  const configHome = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : join(home, '.config')
  const systemctl = (...args: readonly string[]): ToolCommand => ['systemctl', '--user', ...args]
  return {
    name: 'systemd',
    service: UNIT_NAME,
    path: join(configHome, 'systemd/user', UNIT_NAME),
    text: systemdUnit,
    probe: systemctl('show', '--property=Version'),
    probeView: [
      ...(['systemd-run', '--user', '--wait', '--collect', '--quiet'] as const),
      ...OWN_VIEW.map((line) => `--property=${line}`),
      '/bin/true',
    ],
    start: (isChanged) => [
      { command: systemctl('daemon-reload') },
      // Where systemd gave up, it would not even try.
      { command: systemctl('reset-failed', UNIT_NAME), mayFail: true },
      { command: systemctl('enable', UNIT_NAME) },
      { command: systemctl(isChanged ? 'restart' : 'start', UNIT_NAME) },
    ],
    stop: [{ command: systemctl('disable', '--now', UNIT_NAME) }],
    forget: [{ command: systemctl('daemon-reload') }],
    ask: systemctl('show', UNIT_NAME, `--property=${STATE_PROPERTIES}`),
    readState: (answer) => ({
      is: SYSTEMD_STATES[/^ActiveState=(\w+)$/m.exec(answer)?.[1] ?? ''] ?? 'stopped',
      ...pidIn(answer, /^MainPID=([1-9]\d*)$/m),
      hasPassphrase: PASSPHRASE.test(answer),
    }),
    logs: ({ lines, isFollowed }) => [
      'journalctl',
      // Not `--user`, which leaves out the journal of machines that keep one for all.
      '--quiet',
      `--user-unit=${UNIT_NAME}`,
      `--lines=${lines}`,
      ...(isFollowed ? ['--follow'] : ['--no-pager']),
    ],
    askLingering: ['loginctl', 'show-user', String(uid), '--property=Linger', '--value'],
  }
}

const STATE_PROPERTIES = 'ActiveState,MainPID,Environment,LoadCredential,LoadCredentialEncrypted'
/** As docs/service.md says to hand it over. */
const PASSPHRASE = /\bHOOKLINE_VAULT_PASSPHRASE_FILE=|\bhookline-vault\b/
const SYSTEMD_STATES: Readonly<Record<string, ServiceState['is']>> = {
  active: 'running',
  reloading: 'running',
  activating: 'starting',
  failed: 'failed',
}

function launchd({ home, directory, uid }: ServicePlace): ServiceManager {
  const path = join(home, 'Library/LaunchAgents', `${AGENT_LABEL}.plist`)
  const log = join(directory, SERVICE_LOG)
  const domain = `gui/${uid}`
  const target = `${domain}/${AGENT_LABEL}`
  const end: Step = { command: ['launchctl', 'bootout', target], mayFail: true }
  return {
    name: 'launchd',
    service: AGENT_LABEL,
    path,
    text: (spec) => launchdAgent(spec, log),
    probe: ['launchctl', 'print', domain],
    start: (isChanged) => [
      ...(isChanged ? [end] : []),
      // It is there already where nothing has changed.
      { command: ['launchctl', 'bootstrap', domain, path], mayFail: true },
      { command: ['launchctl', 'kickstart', target] },
    ],
    stop: [end],
    forget: [],
    ask: ['launchctl', 'print', target],
    readState: (answer) => ({
      is: /^\s*state = running$/m.test(answer) ? 'running' : 'stopped',
      ...pidIn(answer, /^\s*pid = (\d+)$/m),
    }),
    logs: (options) => tail(log, options),
  }
}

function taskScheduler({ directory, user }: ServicePlace): ServiceManager {
  const path = join(directory, 'service-task.xml')
  const log = join(directory, SERVICE_LOG)
  const end: Step = { command: ['schtasks', '/End', '/TN', TASK_NAME], mayFail: true }
  return {
    name: 'Task Scheduler',
    service: TASK_NAME,
    path,
    text: (spec) => windowsTask(spec, { logPath: log, user }),
    probe: ['schtasks', '/?'],
    start: (isChanged) => [
      { command: ['schtasks', '/Create', '/F', '/TN', TASK_NAME, '/XML', path] },
      ...(isChanged ? [end] : []),
      { command: ['schtasks', '/Run', '/TN', TASK_NAME] },
    ],
    stop: [end, { command: ['schtasks', '/Delete', '/F', '/TN', TASK_NAME], mayFail: true }],
    forget: [],
    ask: ['schtasks', '/Query', '/FO', 'LIST', '/TN', TASK_NAME],
    // The words are those of the system's language; without one that is known, the listener itself is asked.
    readState: (answer) => ({ is: /^Status:\s*Running\s*$/m.test(answer) ? 'running' : 'stopped' }),
    logs: ({ lines, isFollowed }) => [
      'powershell',
      '-NoProfile',
      '-Command',
      'Get-Content',
      '-LiteralPath',
      `'${log.replaceAll("'", "''")}'`,
      '-Tail',
      String(lines),
      ...(isFollowed ? ['-Wait'] : []),
    ],
  }
}

function pidIn(answer: string, form: RegExp): { readonly pid?: number } {
  const [, pid] = form.exec(answer) ?? []
  return pid === undefined ? {} : { pid: Number(pid) }
}

/** Where there is no journal, in the config directory. */
const SERVICE_LOG = 'service.log'

function tail(path: string, { lines, isFollowed }: { lines: number; isFollowed: boolean }): ToolCommand {
  return ['tail', '-n', String(lines), ...(isFollowed ? ['-F'] : []), path]
}
