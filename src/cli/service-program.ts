// `hookline service …`: the service of this user, by the manager of this system.
import { awaitListener } from '../app/open-listener.ts'
import { EXIT_CODE } from '../app/this-process.ts'
import { printable } from '../language/printable.ts'
import {
  askService,
  asksLingering,
  installService,
  isCurrent,
  type ServicePorts,
  showLogs,
  uninstallService,
} from '../service/service.ts'
import { ServiceError } from '../service/service-error.ts'
import { prepareDirectory } from '../stores/directory.ts'
import { StoreError } from '../stores/store-error.ts'
import { surroundings } from './service-surroundings.ts'

/** How long a service that was started may take until it listens. */
const LISTENING_MS = 10_000
/** One that has been running listens at once. */
const PROBE_MS = 1_000

/** @returns the exit code */
export function install({ print, asRoot }: { readonly print: boolean; readonly asRoot: boolean }): Promise<number> {
  return guarded(async () => {
    const { ports, spec } = surroundings()
    if (print) {
      process.stdout.write(ports.manager.text(spec))
      return EXIT_CODE.ok
    }
    if (process.getuid?.() === 0 && !asRoot) {
      throw new ServiceError(
        'is-root',
        'this would run hookline as root',
        'run it as the user who trades, or give --as-root',
      )
    }
    if (spec.program.some((path) => /[\\/]_npx[\\/]/.test(path))) {
      ports.warn('this hookline was started by npx, which removes it some day: run `npm install -g hookline`')
    }
    prepareDirectory(spec.directory)
    await installService(ports, spec)
    const code = await reportListener(ports, LISTENING_MS)
    return (await warnOfProblems(ports)) ? code : EXIT_CODE.failed
  })
}

/** What else keeps a fire from trading: not the port, which has been told. @returns whether there is nothing */
async function warnOfProblems({ warn }: ServicePorts): Promise<boolean> {
  const { examine } = await import('./doctor-program.ts')
  const troubles = (await examine({ venues: false })).filter(
    ({ check, verdict }) => verdict === 'fails' && check !== 'port',
  )
  for (const { check, what, next } of troubles)
    warn(`a fire cannot trade: ${check}: ${what}${next === undefined ? '' : ` (${next})`}`)
  return troubles.length === 0
}

async function reportListener(ports: ServicePorts, withinMs: number): Promise<number> {
  const { printLine, warn } = ports
  const pid = await awaitListener(withinMs)
  const own = (await askService(ports))?.pid
  if (pid === undefined) {
    warn('nothing answers on 127.0.0.1:53219 yet: `hookline service logs` shows why, `hookline doctor` what to do')
    return EXIT_CODE.failed
  }
  if (own !== undefined && own !== pid) {
    warn(`another hookline (pid ${pid}) has 127.0.0.1:53219, and the service (pid ${own}) waits: end that one`)
    return EXIT_CODE.failed
  }
  printLine(`hookline listens on 127.0.0.1:53219 (pid ${pid})`)
  return EXIT_CODE.ok
}

/** @returns the exit code: 1 unless it runs */
export function status(): Promise<number> {
  return guarded(async () => {
    const { ports, spec } = surroundings()
    const { manager, printLine, warn } = ports
    const state = await askService(ports)
    if (state === undefined) {
      printLine(`there is no service of hookline for ${manager.name}; \`hookline service install\` makes one`)
      return EXIT_CODE.failed
    }
    printLine(`${manager.service} is ${state.is} (${manager.name}, ${printable(manager.path, 300)})`)
    if (!isCurrent(ports, spec)) {
      warn('its file is not what this hookline would write: run `hookline service install` to bring it up to date')
    }
    if (manager.askLingering !== undefined && (await asksLingering(ports.run, manager.askLingering)) === false) {
      warn('it ends when you log out: run `loginctl enable-linger` to keep it running')
    }
    if (state.is !== 'running') {
      warn('`hookline service logs` shows why, `hookline service install` starts it again')
      return EXIT_CODE.failed
    }
    const code = await reportListener(ports, PROBE_MS)
    return (await warnOfProblems(ports)) ? code : EXIT_CODE.failed
  })
}

/** @returns the exit code of what shows them */
export function logs(options: { readonly lines: number; readonly isFollowed: boolean }): Promise<number> {
  return guarded(() => showLogs(surroundings().ports, options))
}

/** @returns the exit code */
export function uninstall(): Promise<number> {
  return guarded(async () => {
    const { ports, spec } = surroundings()
    await uninstallService(ports, spec.directory)
    return EXIT_CODE.ok
  })
}

async function guarded(work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ServiceError || error instanceof StoreError)) throw error
    const hint = error.hint === undefined ? '' : ` (${error.hint})`
    process.stderr.write(`error: ${printable(`${error.message}${hint}`, 600)}\n`)
    return EXIT_CODE.failed
  }
}
