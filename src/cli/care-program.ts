// The commands of the shell that look after hookline itself: the console's server, the service, the doctor, and what a shell and `man` know of it. What they do
// is loaded when one is typed.
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { VERSION } from '../app/this-process.ts'
import { defined } from '../base/defined.ts'
import { lookup } from '../commands/catalogue.ts'
import { PROXY_KINDS, type ProxyKind } from '../proxies/proxy-spec.ts'
import type { ProxyRequest } from './proxy-program.ts'
import { readShellTable, SHELLS, type Shell } from './shell/shell-table.ts'

export function addCareCommands(program: Command, setExitCode: (code: number) => void): void {
  addWebCommand(program, setExitCode)
  addServiceCommands(program, setExitCode)
  addProxyCommand(program, setExitCode)
  addDoctorCommand(program, setExitCode)
  addBugCommand(program, setExitCode)
  addUpdateCommand(program, setExitCode)
  addShellCommands(program)
}

function addShellCommands(program: Command): void {
  program
    .command('completion')
    .description('print the completion script for your shell; its first lines name the place to keep it')
    .addArgument(new Argument('<shell>', 'yours').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { completionScript } = await import('./shell/completion-scripts.ts')
      process.stdout.write(completionScript(shell, readShellTable(program, lookup.all())))
    })
  // What packages for all users of a machine install.
  program.command('packaged-unit', { hidden: true }).action(async () => {
    const { packagedUnit } = await import('../service/systemd-unit.ts')
    process.stdout.write(packagedUnit('/usr/bin/hookline'))
  })
  // The build keeps it as hookline.1.
  program.command('man', { hidden: true }).action(async () => {
    const { manPage } = await import('./shell/man-page.ts')
    const catalogue = lookup.all()
    process.stdout.write(manPage({ version: VERSION, table: readShellTable(program, catalogue), catalogue }))
  })
}

function addDoctorCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('doctor')
    .description('what keeps a fire from trading, and what to do about it; exit status 1 when something does')
    .option('--venues', 'ask the venues of the accounts that fires trade on, too: keys, clock and latency')
    .option('--json', 'print JSON')
    .action(async ({ venues = false, json = false }: { venues?: boolean; json?: boolean }) => {
      const { runDoctor } = await import('./doctor-program.ts')
      setExitCode(await runDoctor({ venues, json }))
    })
}

function addBugCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('bug')
    .description('print a report to paste: version, doctor and last errors, without keys, tokens, amounts and names')
    .action(async () => {
      const { runBugReport } = await import('./bug-program.ts')
      setExitCode(await runBugReport())
    })
}

function addUpdateCommand(program: Command, setExitCode: (code: number) => void): void {
  const update: Command = program
    .command('update')
    .description('whether a newer hookline is published; asks only when typed, and installs nothing')
    .option('--check', 'ask the registry, for at most 5 s; exit status 1 when it gives no answer')
    .option('--registry <url>', 'the registry to ask; default: HOOKLINE_REGISTRY, then the one that npm is set to')
    .action(async ({ check = false, registry }: { check?: boolean; registry?: string }) => {
      if (!check) update.error('error: hookline does not update itself; run `hookline update --check`')
      const { runUpdateCheck } = await import('./update-program.ts')
      setExitCode(await runUpdateCheck({ env: process.env, ...defined({ registry }) }))
    })
}

interface HostedFlags {
  readonly issuer?: string
  readonly publicUrl?: string
  readonly clientId?: string
  readonly cliClientId?: string
  readonly listen?: string
  readonly trustedProxies?: string
  readonly databaseConnections?: string
}

function addWebCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('web')
    .description('serve the web console on 127.0.0.1:53220 until SIGINT or SIGTERM')
    .option('--open', 'open it in the default browser')
    .option('--issuer <url>', 'for many: people sign in at this OpenID Connect service (docs/hosting.md)')
    .option('--public-url <url>', 'for many: the address that browsers see')
    .option('--client-id <id>', 'for many: as which the console is registered there (default: hookline-web)')
    .option('--cli-client-id <id>', 'for many: as which command lines are registered there (default: hookline)')
    .option('--listen <host:port>', 'for many: where to listen, behind a TLS proxy (default: 127.0.0.1:53220)')
    .option('--trusted-proxies <list>', 'for many: addresses of proxies elsewhere whose X-Forwarded-For is believed')
    .option('--database-connections <n>', 'for many: connections to PostgreSQL of this server (default: 10)')
    .action(async ({ open = false, ...many }: { open?: boolean } & HostedFlags) => {
      if (many.issuer === undefined) {
        // A console that is meant for many must not open without its sign-in.
        if (Object.keys(many).length > 0)
          return program.error('error: these flags need --issuer; see `hookline web --help`')
        const { runWebServer } = await import('./web-program.ts')
        return setExitCode(await runWebServer({ open }))
      }
      const { runHostedServer } = await import('./hosted-web-program.ts')
      setExitCode(await runHostedServer({ ...many, issuer: many.issuer }))
    })
}

function addServiceCommands(program: Command, setExitCode: (code: number) => void): void {
  const service = program
    .command('service')
    .description('keep the listener running: install, status (default), logs, uninstall')
  const load = () => import('./service-program.ts')

  service
    .command('install')
    .description('write a service of your user that runs `hookline listen`, and start it; again: bring it up to date')
    .option('--print', 'print the file, and do nothing')
    .option('--as-root', 'for root too, who should not trade')
    .action(async ({ print = false, asRoot = false }: { print?: boolean; asRoot?: boolean }) =>
      setExitCode(await (await load()).install({ print, asRoot })),
    )
  service
    .command('status', { isDefault: true })
    .description('whether it runs, and what keeps a fire from trading; exit status 1 when something does')
    .action(async () => setExitCode(await (await load()).status()))
  service
    .command('logs')
    .description('what it has printed')
    .option('-n, --lines <count>', 'how many lines', readLines, 100)
    .option('-f, --follow', 'and what it prints from now on')
    .action(async ({ lines, follow = false }: { lines: number; follow?: boolean }) =>
      setExitCode(await (await load()).logs({ lines, isFollowed: follow })),
    )
  service
    .command('uninstall')
    .description('stop it and remove its file; accounts, hooks and journals stay')
    .action(async () => setExitCode(await (await load()).uninstall()))
}

function addProxyCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('proxy')
    .description('the file of a proxy that lets the right alerts in, from the internet to a hook')
    .addArgument(new Argument('<proxy>', 'which one').choices(PROXY_KINDS))
    .addOption(
      new Option('--hook <name>', 'the hook that its alerts fire; once for each hook')
        .argParser((name: string, before: readonly string[] = []) => [...before, name])
        .makeOptionMandatory(),
    )
    .requiredOption('--domain <host>', 'the name that senders call')
    .option('--write <file>', 'write it, with the secret path and the token, readable only by you')
    .option('--cert <file>', 'its certificate; Caddy obtains one itself by default')
    .option('--key <file>', 'the private key of the certificate; HAProxy has both in one file')
    .option(
      '--senders <list>',
      'who may send: tradingview (default), any, or addresses and networks with commas between',
    )
    .option('--client-ca <file>', 'senders show a certificate by one of these authorities')
    .option('--rate <rate>', 'requests for each minute or second, such as 10/1m; default 30/1m')
    .option('--tunnel <port>', 'TLS ends at a tunnel, which calls this port of the loopback')
    .option('--path <secret>', 'the secret path; default: a new one, or that of the existing file')
    .action(async (kind: ProxyKind, request: ProxyRequest) => {
      const { runProxy } = await import('./proxy-program.ts')
      setExitCode(await runProxy(kind, request))
    })
}

function readLines(text: string): number {
  const count = Number(text)
  if (Number.isSafeInteger(count) && count > 0) return count
  throw new InvalidArgumentError('give a whole number above 0.')
}
