// `hookline doctor`: what keeps a fire from trading. Of the shell and not of the prompt: it has to work where hookline cannot start, and what it
// looks for is often another process.

import { gather, type VenueFacts } from '../app/doctor/facts.ts'
import { type Finding, judge, type Verdict } from '../app/doctor/judge.ts'
import { EXIT_CODE } from '../app/this-process.ts'
import { configDirectory } from '../stores/directory.ts'
import { printableJson } from '../terminal/json-printer.ts'
import { mayColour } from '../terminal/render.ts'
import { serviceFacts } from './service-surroundings.ts'
import { runTool } from './tools.ts'

/** @returns the exit code: 1 when a fire could not trade */
export async function runDoctor({
  json,
  venues,
}: {
  readonly json: boolean
  readonly venues: boolean
}): Promise<number> {
  const findings = await examine({ venues })
  const canTrade = findings.every(({ verdict }) => verdict !== 'fails')
  if (json) process.stdout.write(`${printableJson({ type: 'doctor', canTrade, checks: findings })}\n`)
  else process.stdout.write(`${describe(findings, mayColour(process.stdout, process.env)).join('\n')}\n`)
  return canTrade ? EXIT_CODE.ok : EXIT_CODE.failed
}

export async function examine({ venues }: { readonly venues: boolean }): Promise<readonly Finding[]> {
  const facts = await gather({
    env: { ...process.env },
    directory: configDirectory(process.env),
    ask,
    service: serviceFacts,
    fires: async (withVenues) => (await import('../app/doctor/tries.ts')).tryHooks(process.env, withVenues),
    ...(venues ? { venue: await venueAsker() } : {}),
  })
  return judge(facts)
}

const COLOUR: Readonly<Record<Verdict, string>> = { ok: '32', warn: '33', fails: '31' }

function describe(findings: readonly Finding[], isColoured: boolean): readonly string[] {
  const width = Math.max(...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ verdict, check, what, next }) => {
    const word = verdict.padEnd(5)
    const mark = isColoured ? `\u001b[${COLOUR[verdict]}m${word}\u001b[39m` : word
    const line = `${mark}  ${check.padEnd(width)}  ${what}`
    return next === undefined ? [line] : [line, `${' '.repeat(width + 9)}→ ${next}`]
  })
  const count = findings.filter(({ verdict }) => verdict === 'fails').length
  const reasons = count === 1 ? '1 problem' : `${count} problems`
  return [...lines, count === 0 ? 'a fire can trade' : `${reasons} would block a fire`]
}

async function ask(tool: string, ...args: readonly string[]): Promise<string | undefined> {
  const answer = await runTool([tool, ...args])
  return answer.outcome === 'ended' && answer.code === 0 ? answer.stdout : undefined
}

/** By `account check` itself, so that both always say the same. */
async function venueAsker(): Promise<(account: string) => Promise<VenueFacts>> {
  const { checkVenue } = await import('../app/doctor/tries.ts')
  return (account) => checkVenue(process.env, account)
}
