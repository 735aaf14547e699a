// `hookline exec`, `--version` and `--help`: what goes where, and what the shell learns.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { tempDirectory } from '../../harness/files/temp-directory.ts'
import { BINARY, createHook, exec, run } from '../../harness/process/hookline.ts'

const jsonLines = (stdout: string): unknown[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Only the prompt may do this; its listener stays off, so that this needs no port. */
async function addAccount(directory: string, name: string): Promise<void> {
  writeFileSync(join(directory, 'config.json'), '{ "listener": { "enabled": false } }')
  await run(directory, ['--strict'], { input: `account add ${name} paper\n` })
}

const RUN_ID = expect.stringMatching(/^[0-9a-f-]{36}$/)

describe('hookline exec', () => {
  it('prints output on stdout and ends with 0', async () => {
    expect(await run(tempDirectory(), ['exec', 'echo one; echo two'])).toEqual({
      stdout: 'one\ntwo\n',
      stderr: '',
      code: 0,
    })
  })

  it.each(['', '   '])('refuses the empty line %j, which an unset variable of a shell leaves', async (line) => {
    expect(await run(tempDirectory(), ['exec', line])).toEqual({
      stdout: '',
      stderr: expect.stringMatching(/^error: the line is empty; type the commands in quotes/),
      code: 2,
    })
  })

  it('prints on stderr what failed and what did not run, and ends with 1', async () => {
    expect(await run(tempDirectory(), ['exec', 'echo one; bogus; echo two'])).toEqual({
      stdout: 'one\n',
      stderr: expect.stringMatching(/^error: unknown command `bogus`[^\n]*\nwarning: not run: echo two\n$/),
      code: 1,
    })
  })

  it('starts without the modules of Node that its line does not use', async () => {
    const directory = tempDirectory()
    const list = join(directory, 'list.cjs')
    writeFileSync(list, "process.on('exit', () => console.error(JSON.stringify(process.moduleLoadList)))")
    const { stderr, code } = await run(directory, ['exec', 'echo one'], { env: { NODE_OPTIONS: `--require=${list}` } })
    const loaded = JSON.parse(stderr) as string[]
    expect(code).toBe(0)
    expect(loaded).toContain('NativeModule fs')
    expect(loaded.filter((name) => /NativeModule (?:child_process|http|https|readline|tty|zlib)$/.test(name))).toEqual(
      [],
    )
  })

  it('prints JSON, one object per output and one with the result', async () => {
    const good = await run(tempDirectory(), ['exec', 'echo one', '--json'])
    expect(jsonLines(good.stdout)).toEqual([
      { type: 'message', kind: 'print', text: 'one', runId: RUN_ID },
      { type: 'result', success: true, runId: RUN_ID },
    ])
    const bad = await run(tempDirectory(), ['exec', 'bogus', '--json'])
    const error = expect.stringMatching(/^unknown command `bogus`/)
    expect(jsonLines(bad.stdout)).toEqual([
      { type: 'error', code: 'unknown-command', message: error, hint: expect.any(String), runId: RUN_ID },
      { type: 'result', success: false, error, runId: RUN_ID },
    ])
    expect([bad.stderr, bad.code]).toEqual(['', 1])
  })

  it('runs on the account and the symbol it is given, and leaves the focus where it was', async () => {
    const directory = tempDirectory()
    await addAccount(directory, 'second')
    const args = ['exec', 'buy $500', '--account', 'second', '--symbol', 'ethusdt']
    expect((await run(directory, args)).stdout).toMatch(/^bought [\d.]+ ETHUSDT /)
    expect((await run(directory, ['exec', 'positions', '-a', 'second'])).stdout).toContain('ETHUSDT')
    expect(await exec(directory, 'positions')).toBe('no open positions\n')
    expect(await exec(directory, 'symbol')).toMatch(/^BTCUSDT /)
  })

  it('ends with 1 when there is no such account', async () => {
    const { stderr, code } = await run(tempDirectory(), ['exec', 'echo one', '--account', 'nobody'])
    expect(stderr).toMatch(/^error: .*nobody/)
    expect(code).toBe(1)
  })

  it('reveals the token of a hook to the terminal that asks', async () => {
    const directory = tempDirectory()
    const { id, token } = await createHook(directory, 'dip', 'echo ok')
    expect(await exec(directory, `hook show ${id.slice(0, 8)}`)).toContain(token)
    expect(await exec(directory, 'hooks')).not.toContain(token)
  })

  it.each([
    [['help'], /^Usage: hookline /],
    [['help', 'hook'], /^Usage: hookline hook /],
    [['help', 'balance'], /^balance \(also bal\): /],
    [['help', 'account', 'add'], /^account add: /],
    [['account', '--help'], /^accounts.*; a bare `account` is `account list`\n/],
    [['account', 'add', '--help'], /^account add: /],
    [['vault', '-h'], /^[^\n]*; a bare `vault` is `vault status`\n/],
    [['cross-trade', 'list', '--help'], /^cross-trade list: /],
    [['-V'], /^\d+\.\d+\.\d+\n$/],
  ])('`hookline %j` is answered', async (args, expected) => {
    expect(await run(tempDirectory(), args)).toMatchObject({ stdout: expect.stringMatching(expected), code: 0 })
  })

  it.each([
    [['balance'], "error: `balance` is a command of the prompt; run it as: hookline exec 'balance'\n"],
    [['buy', '$100', "it's"], "run it as: hookline exec 'buy $100 it'\\''s'\n"],
    [['help', 'balanse'], "error: unknown command 'balanse'\n"],
    [['lisen'], "error: unknown command 'lisen': did you mean 'listen'?\n"],
  ])('`hookline %j` is refused with what to do', async (args, expected) => {
    expect(await run(tempDirectory(), args)).toMatchObject({
      stdout: '',
      stderr: expect.stringContaining(expected),
      code: 2,
    })
  })

  it('refuses what only the prompt can do', async () => {
    const { stderr, code } = await run(tempDirectory(), ['exec', 'exit'])
    expect(stderr).toMatch(/^error: `exit` runs only at/)
    expect(code).toBe(1)
  })

  it('finishes the line when nobody reads its output any more', async () => {
    const directory = tempDirectory()
    const env = { PATH: process.env.PATH, HOOKLINE_CONFIG_DIR: directory }
    const child = spawn(process.execPath, [BINARY, 'exec', 'markets; set @reached yes'], { env })
    child.stdout.destroy()
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    expect(await exec(directory, 'set')).toBe('@reached  yes\n')
  })
})

describe('a command line that is not understood', () => {
  it.each([
    [['--bogus'], "error: unknown option '--bogus'"],
    [['exec', 'echo one', '--bogus'], "error: unknown option '--bogus'"],
    [['exec'], "error: missing required argument 'line'"],
    [['exec', 'echo one', 'two'], 'error: too many arguments'],
    [['exec', '--bogus', 'echo one'], "error: unknown option '--bogus'"],
    [['exec', 'echo', 'one'], "error: the line has no quotes; put it in quotes: hookline exec 'echo one'"],
    [
      ['exec', 'buy', '250usd', 'BTCUSDT', 'stop', '-2%'],
      "error: the line has no quotes; put it in quotes: hookline exec 'buy 250usd BTCUSDT stop -2%'",
    ],
    [['exec', 'buy', '50', 'BTCUSDT'], 'error: `50` has no unit'],
    [['lisen'], "error: unknown command 'lisen': did you mean 'listen'?"],
    [['nonsense'], "error: unknown command 'nonsense'"],
    [['hook', 'rvoke'], "error: unknown command 'rvoke': did you mean 'revoke'?"],
    [['hook', 'revoke'], 'error: give a name or an id, or --all'],
    [['hook', 'revoke', '01234567', '--all'], 'error: give a name or an id, or --all'],
  ])('ends with 2 and points to the help: %j', async (args, message) => {
    const { stdout, stderr, code } = await run(tempDirectory(), args)
    const [first, second] = stderr.split('\n')
    expect(first?.startsWith(message)).toBe(true)
    expect(second).toBe('run `hookline --help` for usage')
    expect([stdout, code]).toEqual(['', 2])
  })
})

describe('hookline about itself', () => {
  it.each(['--version', '-v'])('tells its version with %s', async (flag) => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(await run(tempDirectory(), [flag])).toEqual({ stdout: `${version}\n`, stderr: '', code: 0 })
  })

  it.each([
    ['--version', '--json'],
    ['--json', '-v'],
  ])('prints what it was built from as JSON with %s %s', async (...args) => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
    const { stdout, stderr, code } = await run(tempDirectory(), args)
    const { commit, ...rest } = JSON.parse(stdout)
    expect(rest).toEqual({ version, node: process.versions.node, platform: `${process.platform}-${process.arch}` })
    // Null in a tree that is no clone.
    expect(commit ?? '0'.repeat(40)).toMatch(/^[0-9a-f]{40}(-dirty)?$/)
    expect([stderr, code]).toEqual(['', 0])
  })

  it('shows every subcommand and every option in its help', async () => {
    const { stdout, code } = await run(tempDirectory(), ['--help'])
    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "Usage: hookline [options] [command]

      A trading command line that listens: orders typed by intent, webhooks that run
      the same commands.

      Options:
        -v, --version            print the version; with --json also Node, the
                                 platform and the commit
        --strict                 fed by a pipe: stop at the first line that fails, and
                                 exit with 1
        --json                   fed by a pipe: print data, one JSON object per line
        -h, --help               display help for command

      Commands:
        help [command]           how hookline, one of its commands or a command of the
                                 prompt is used
        listen                   run the listener without a prompt until SIGINT or
                                 SIGTERM
        exec [options] <line>    run one line as if typed, then end; exit status 1
                                 when a step failed
        watch [options]          positions, protection, orders and runs on one screen,
                                 beside a hookline that runs; it only looks
        hook                     the hooks that POST requests fire: list (default),
                                 create, show, test, logs, edit, pause, resume,
                                 rotate, revoke
        clients                  pages and programs you approved: list (default),
                                 revoke, trust
        audit                    who changed what: list (default), verify
        account [words...]       accounts and their keys: list (default), add, check,
                                 use, balances, keys, reset, remove; \`hookline help
                                 account\` has the details
        vault [words...]         the encrypted file with the keys of accounts: status
                                 (default), unlock, lock, change; \`hookline help
                                 vault\` has the details
        cross-trade [words...]   copy one account to another: run (the engine), list
                                 (default), add, copier, enable, disable, remove,
                                 resync, stop, status; \`hookline help cross-trade\` has
                                 the details
        login [options]          sign in with an OpenID provider, which identifies you
                                 to the web app
        logout [options]         sign out: remove the tokens here and revoke them at
                                 the provider
        whoami [options]         identity, provider and expiry of the sign-in
        web [options]            serve the web console on 127.0.0.1:53220 until SIGINT
                                 or SIGTERM
        service                  keep the listener running: install, status (default),
                                 logs, uninstall
        proxy [options] <proxy>  the file of a proxy that lets the right alerts in,
                                 from the internet to a hook
        doctor [options]         what keeps a fire from trading, and what to do about
                                 it; exit status 1 when something does
        bug                      print a report to paste: version, doctor and last
                                 errors, without keys, tokens, amounts and names
        update [options]         whether a newer hookline is published; asks only when
                                 typed, and installs nothing
        completion <shell>       print the completion script for your shell; its first
                                 lines name the place to keep it
        mcp [options]            MCP server for an AI agent, by stdio: it looks and
                                 proposes, and you decide

      Examples:
        $ hookline                the terminal, with the listener on 127.0.0.1:53219
        $ hookline listen         only the listener, for a service manager
        $ hookline service install
                                  the same as your own service, day and night
        $ hookline doctor         what keeps a fire from trading
        $ hookline bug            a report to paste, without keys, tokens and amounts
        $ hookline web --open     the console in the browser
        $ hookline watch          the account on one screen, beside a hookline that runs
        $ hookline exec "buy 1000usd BTCUSDT; positions"
        $ hookline hook create dip "buy 1000usd BTCUSDT stop -2%"
        $ hookline help buy       how a command of the prompt is used
        $ printf 'price\\nbalance\\n' | hookline --strict

      State lives in ~/.hookline; HOOKLINE_CONFIG_DIR moves it.
      "
    `)
  })

  it('shows every form of hook in its help', async () => {
    const { stdout, code } = await run(tempDirectory(), ['hook', '--help'])
    expect(code).toBe(0)
    expect(stdout).toMatchInlineSnapshot(`
      "Usage: hookline hook [options] [command]

      the hooks that POST requests fire: list (default), create, show, test, logs,
      edit, pause, resume, rotate, revoke

      Options:
        -h, --help                         display help for command

      Commands:
        list [options]                     hooks with their commands and limits
        create [options] <name> <command>  register a command body; prints its address
                                           and token
        show [options] <id>                reveal the token again and how to fire it
        rotate [options] <id>              a new token; the old one stops working at
                                           once
        test [options] <id> [body...]      preview a fire with this body; nothing is
                                           sent, and it fails where the fire would
        replay [options] <id>              try a hook with a condition on candles of
                                           the past; nothing is sent
        logs [options] <id>                last runs of a hook with their output,
                                           newest last
        edit <id> [words...]               change its limits or its command: \`hookline
                                           help hook edit\`
        pause <id> [words...]              its fires run nothing: [for <duration>]
                                           [reason]
        resume <id> [words...]             a paused hook runs again
        revoke [options] [id]              delete one hook, or all with --all
        help [command]                     display help for command
      "
    `)
  })
})
