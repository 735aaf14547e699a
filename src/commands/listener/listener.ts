// `listener`: whether alerts and pages reach this process, and if not, who they reach.

import { defined } from '../../base/defined.ts'
import { printable } from '../../language/printable.ts'
import type { ConfigStore } from '../../stores/config.ts'
import type { SingleCommand } from '../kit/command.ts'
import type { ListenerStatus } from '../kit/data.ts'
import { renderTable } from '../kit/lines.ts'
import type { CommandPorts } from '../kit/ports.ts'
import { refuseMoreThan } from '../kit/read-arguments.ts'
import { describePanic } from '../session/panic.ts'

export const listener: SingleCommand<'listenerStatus' | 'askListeningPid' | 'config' | 'panic'> = {
  name: 'listener',
  group: 'listener',
  usage: '',
  summary: 'state and address of the listener, and the holder of the port',
  where: 'anywhere',
  rows: true,
  underPanic: true,
  examples: [{ line: 'listener', meaning: 'state, address, pid, and what else holds the port' }],
  async run(context, args) {
    refuseMoreThan(0, args)
    const status = context.ports.listenerStatus()
    const { listener: flags } = context.ports.config.read()
    const panic = context.ports.panic.read()
    const own = [
      ['pid', String(status.pid)],
      ['sockets', `${status.sockets}, not counting pages`],
    ]
    const rows = [
      ...(panic === undefined ? [] : [['panic', `${describePanic(panic)}: fires get 423, pages run nothing`]]),
      ['state', describeListener(status, context.ports, await listeningPidOf(status, context.ports))],
      ['address', status.address],
      ...(status.state === 'not-started' ? [] : own),
      ['remoteExec', onOff(flags.remoteExec)],
      ['accountSync', onOff(flags.accountSync)],
    ]
    const { state, address, pid, holderPid, sockets } = status
    const { remoteExec, accountSync } = flags
    const holder = defined({ holderPid })
    const data = { type: 'listener', state, address, pid, ...holder, sockets, remoteExec, accountSync } as const
    context.out.print(renderTable([{ title: '' }, { title: '' }], rows), data)
  },
}

/** One line, with what to do where nothing is listening. A process without a listener says who listens instead. */
/** The process that listens. undefined: none does. */
export async function listeningPidOf(
  { state, pid, holderPid }: ListenerStatus,
  { askListeningPid }: Pick<CommandPorts, 'askListeningPid'>,
): Promise<number | undefined> {
  if (state === 'not-started') return askListeningPid()
  return state === 'listening' ? pid : holderPid
}

export function describeListener(
  status: ListenerStatus,
  { config }: Pick<CommandPorts, 'config'>,
  listeningPid: number | undefined,
): string {
  switch (status.state) {
    case 'listening':
      return 'listening'
    case 'disabled':
      return describeOff(config)
    case 'port-taken':
      return `${describeHolder(status.holderPid)}; this process takes over when it is free`
    case 'failed':
      return `cannot listen: ${printable(status.reason ?? 'unknown error', 200)}; tried again every second, check the loopback interface and whether a sandbox or container forbids the port`
    case 'starting':
      return 'starting'
    case 'stopping':
      return 'stopping: new fires are refused'
    case 'not-started':
      return listeningPid === undefined
        ? 'no hookline listens; `hookline` or `hookline listen` starts one'
        : `hookline with pid ${listeningPid} listens`
  }
}

function describeOff(config: ConfigStore): string {
  switch (config.problem()?.kind) {
    case undefined:
      return config.problems().some(({ kind }) => kind === 'switch')
        ? 'off: config.json is ambiguous about this switch; `status` shows why'
        : 'off: listener.enabled is false in config.json'
    case 'newer':
      return 'off: a newer hookline wrote config.json; `status` shows what it means here'
    default:
      return 'off: config.json cannot be read, so nothing is permitted; `status` shows the error in it'
  }
}

function describeHolder(pid: number | undefined): string {
  return pid === undefined ? 'another process holds the port' : `hookline with pid ${pid} holds the port`
}

function onOff(flag: boolean): string {
  return flag ? 'on' : 'off'
}
