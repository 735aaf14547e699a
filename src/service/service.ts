// `install`, `status`, `logs` and `uninstall`, the same for every manager. What is told is told through ports, so that each step can be
// seen without a manager.
import { printable, shown } from '../language/printable.ts'
import { ServiceError } from './service-error.ts'
import type { ServiceManager, ServiceState, Step, ToolCommand } from './service-manager.ts'
import type { ServiceSpec } from './service-spec.ts'
import { hidesTemporary } from './systemd-unit.ts'

export type ToolAnswer =
  | { readonly outcome: 'ended'; readonly code: number; readonly stdout: string; readonly stderr: string }
  /** There is no such program. */
  | { readonly outcome: 'missing' }

export interface ServicePorts {
  readonly manager: ServiceManager
  readonly files: {
    /** @returns undefined where there is none @throws {StoreError} */
    read(path: string): string | undefined
    /** Makes its folder too. @throws {StoreError} */
    write(path: string, text: string): Promise<void>
    /** @returns whether there was one @throws {StoreError} */
    remove(path: string): Promise<boolean>
  }
  run(command: ToolCommand): Promise<ToolAnswer>
  /** As `run`, on the terminal of this process. */
  show(command: ToolCommand): Promise<ToolAnswer>
  printLine(text: string): void
  warn(text: string): void
}

/** Writes the service's file, and starts the service. What is as it should be stays untouched: a listener that runs goes on. */
export async function installService(ports: ServicePorts, wanted: ServiceSpec): Promise<void> {
  const { manager, files, printLine, warn } = ports
  manager.text(wanted)
  await requireManager(ports)
  const spec = { ...wanted, hasOwnView: await hasOwnView(ports) }
  const text = manager.text(spec)
  const isChanged = files.read(manager.path) !== text
  if (isChanged) {
    printLine(`writing ${printable(manager.path, 300)}:\n${text}`)
    await files.write(manager.path, text)
  } else {
    printLine(`${printable(manager.path, 300)} is up to date`)
  }
  await perform(ports, manager.start(isChanged))
  printLine(`${manager.name} runs ${manager.service} now, and at each start of your session`)
  if (manager.name === 'systemd' && !hidesTemporary(spec)) {
    warn('the service shares /tmp with all other programs, because a path of it is there')
  }
  if (manager.name === 'systemd' && !spec.hasOwnView) {
    warn('this kernel gives services of users no view of their own, so that the service may write wherever you may')
  }
  await warnOfLingering(ports)
}

/** By trying it: what the kernel and its guards allow is in no one file. */
async function hasOwnView({ manager, run }: ServicePorts): Promise<boolean> {
  if (manager.probeView === undefined) return false
  const answer = await run(manager.probeView)
  return answer.outcome === 'ended' && answer.code === 0
}

/** @returns what the manager says; undefined: it has no such service */
export async function askService({
  manager,
  files,
  run,
}: Omit<ServicePorts, 'show'>): Promise<ServiceState | undefined> {
  if (files.read(manager.path) === undefined) return undefined
  const answer = await run(manager.ask)
  if (answer.outcome === 'missing') throw missing(manager, manager.ask)
  return manager.readState(answer.stdout)
}

/** Whether the file on the disk is what this hookline would write: another Node, another place of the program. */
export function isCurrent({ manager, files }: Pick<ServicePorts, 'manager' | 'files'>, spec: ServiceSpec): boolean {
  const found = files.read(manager.path)
  return [true, false].some((hasOwnView) => found === manager.text({ ...spec, hasOwnView }))
}

/** @returns the exit code of what shows them */
export async function showLogs(
  { manager, files, show }: ServicePorts,
  options: { readonly lines: number; readonly isFollowed: boolean },
): Promise<number> {
  if (files.read(manager.path) === undefined) throw notInstalled(manager)
  const command = manager.logs(options)
  const answer = await show(command)
  if (answer.outcome === 'missing') throw missing(manager, command)
  return answer.code
}

function notInstalled({ path }: ServicePorts['manager']): ServiceError {
  const message = `no service of hookline found: ${printable(path, 300)} does not exist`
  return new ServiceError('not-installed', message, 'install it with `hookline service install`')
}

/** Stops the service and removes its file; what hookline keeps stays. */
export async function uninstallService(ports: ServicePorts, directory: string): Promise<void> {
  const { manager, files, printLine } = ports
  if (files.read(manager.path) === undefined) throw notInstalled(manager)
  await requireManager(ports)
  await perform(ports, manager.stop)
  await files.remove(manager.path)
  await perform(ports, manager.forget)
  printLine(`stopped ${manager.service}, and removed ${printable(manager.path, 300)}`)
  printLine(`accounts, hooks and journals stay in ${printable(directory, 300)}`)
}

async function requireManager(ports: ServicePorts): Promise<void> {
  const { manager, run } = ports
  const answer = await run(manager.probe)
  if (answer.outcome === 'missing') throw missing(manager, manager.probe)
  if (answer.code === 0) return
  throw new ServiceError(
    'no-manager',
    `${manager.name} does not answer this user: ${firstLine(answer)}`,
    'log in as this user, not through su or sudo, or let another manager run `hookline listen`',
  )
}

async function perform({ manager, run }: ServicePorts, steps: readonly Step[]): Promise<void> {
  for (const { command, mayFail } of steps) {
    const answer = await run(command)
    if (answer.outcome === 'missing') throw missing(manager, command)
    if (answer.code === 0 || mayFail) continue
    throw new ServiceError(
      'manager-failed',
      `\`${printable(command.join(' '), 120)}\` failed: ${firstLine(answer)}`,
      'read its output: `hookline service logs`',
    )
  }
}

async function warnOfLingering({ manager, run, warn }: ServicePorts): Promise<void> {
  if (manager.askLingering === undefined) {
    return warn('it runs while you are logged in: nothing fires after a logout')
  }
  const isLingering = await asksLingering(run, manager.askLingering)
  if (isLingering === true) return
  const why = isLingering === false ? 'it ends when you log out' : 'whether it survives a logout is not known'
  warn(`${why}: run \`loginctl enable-linger\` to keep it running`)
}

/** @returns undefined where the system does not say */
export async function asksLingering(run: ServicePorts['run'], command: ToolCommand): Promise<boolean | undefined> {
  const answer = await run(command)
  if (answer.outcome === 'missing' || answer.code !== 0) return undefined
  return { yes: true, no: false }[answer.stdout.trim()]
}

function missing({ name }: ServiceManager, [tool]: ToolCommand): ServiceError {
  return new ServiceError(
    'no-manager',
    `${name} is not here: there is no program ${shown(tool)}`,
    'let your service manager run `hookline listen`',
  )
}

function firstLine({ stdout, stderr, code }: Extract<ToolAnswer, { outcome: 'ended' }>): string {
  const [line = ''] = (stderr.trim() || stdout.trim()).split('\n')
  return line === '' ? `it ended with ${code}` : printable(line, 300)
}
