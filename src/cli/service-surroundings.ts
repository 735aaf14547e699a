// Where a service of this hookline would be, and who looks after it: taken from this process, for `service` and the doctor.
import { homedir } from 'node:os'
import type { ServiceFacts } from '../app/doctor/facts.ts'
import { ownProgram } from '../app/this-process.ts'
import { defined } from '../base/defined.ts'
import { askService, asksLingering, isCurrent, type ServicePorts } from '../service/service.ts'
import { ServiceError } from '../service/service-error.ts'
import { managerOf } from '../service/service-manager.ts'
import type { ServiceSpec } from '../service/service-spec.ts'
import { serviceFiles } from '../stores/atomic-write.ts'
import { configDirectory } from '../stores/directory.ts'
import { StoreError } from '../stores/store-error.ts'
import { runTool, showTool } from './tools.ts'

/** For the doctor. @returns undefined: none is installed, or nothing can say so */
export async function serviceFacts(): Promise<ServiceFacts | undefined> {
  try {
    const { ports, spec } = surroundings()
    const state = await askService(ports)
    if (state === undefined) return undefined
    const { is, ...rest } = state
    const lingering = ports.manager.askLingering && (await asksLingering(ports.run, ports.manager.askLingering))
    const isLingering = defined({ isLingering: lingering })
    return { state: is, ...rest, isCurrent: isCurrent(ports, spec), ...isLingering }
  } catch (error) {
    if (error instanceof ServiceError || error instanceof StoreError) return undefined
    throw error
  }
}

/** The manager of this system, and the service that this hookline would be. @throws {ServiceError} `unsupported-system` */
export function surroundings(): { readonly ports: ServicePorts; readonly spec: ServiceSpec } {
  const { env } = process
  const directory = configDirectory(env)
  const manager = managerOf({
    platform: process.platform,
    home: homedir(),
    directory,
    env,
    uid: process.getuid?.() ?? 0,
    user: userName(env),
  })
  const isDirectoryChosen = (env.HOOKLINE_CONFIG_DIR ?? '') !== ''
  const spec = { program: ownProgram(), directory, isDirectoryChosen, hasOwnView: true }
  const printLine = (text: string) => process.stdout.write(`${text}\n`)
  const warn = (text: string) => process.stderr.write(`warning: ${text}\n`)
  return { ports: { manager, files: serviceFiles, run: runTool, show: showTool, printLine, warn }, spec }
}

/** As Windows names a user of a domain; elsewhere nobody asks. */
function userName({ USERNAME: name = '', USERDOMAIN: domain }: NodeJS.ProcessEnv): string {
  return domain === undefined ? name : `${domain}\\${name}`
}
