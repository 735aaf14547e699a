// PROTOCOL.md taken apart: sections with their fences and tables, and the worked sessions as steps.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

export interface Fence {
  /** The words after the backticks: `json client`. */
  readonly info: string
  /** Without the indentation of the list it stands in. */
  readonly lines: readonly string[]
  /** Of its first line, counted from 1. */
  readonly lineNumber: number
}

export interface Section {
  /** Without its number signs and code marks. */
  readonly title: string
  readonly level: number
  /** Outside of fences. */
  readonly prose: readonly string[]
  readonly fences: readonly Fence[]
}

/** One numbered step of a worked session. */
export interface Step {
  /** `client`, `hookline`, `operator`, `sender` or `market`. */
  readonly actor: string
  /** What follows the actor, without the fences. */
  readonly text: string
  readonly fences: readonly Fence[]
}

export interface WorkedSession {
  readonly title: string
  readonly steps: readonly Step[]
}

const PATH = resolve(import.meta.dirname, '../../PROTOCOL.md')

export function readSections(): readonly Section[] {
  const sections: { title: string; level: number; prose: string[]; fences: Fence[] }[] = []
  let fence: { info: string; lines: string[]; lineNumber: number; indent: number } | undefined
  for (const [index, line] of readFileSync(PATH, 'utf8').split('\n').entries()) {
    const heading = fence ? null : /^(#+) (.*)/.exec(line)
    const section = sections.at(-1)
    const mark = /^( *)```(.*)$/.exec(line)
    if (heading) {
      const [, signs = '', title = ''] = heading
      sections.push({ title: title.replaceAll('`', ''), level: signs.length, prose: [], fences: [] })
    } else if (fence && mark) {
      section?.fences.push(fence)
      fence = undefined
    } else if (fence) {
      fence.lines.push(line.slice(fence.indent))
    } else if (mark) {
      const [, indent = '', info = ''] = mark
      fence = { info, lines: [], lineNumber: index + 2, indent: indent.length }
      section?.prose.push(`${indent}\`\`\``)
    } else section?.prose.push(line)
  }
  return sections
}

export function sectionTitled(title: string): Section {
  const section = readSections().find((candidate) => candidate.title === title)
  if (!section) throw new Error(`PROTOCOL.md has no section "${title}"`)
  return section
}

/** The cells of the section's table, without its head. */
export function tableOf({ title, prose }: Section): readonly (readonly string[])[] {
  const rows = prose.filter((line) => line.startsWith('|'))
  if (rows.length < 3) throw new Error(`the section "${title}" has no table`)
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

export function workedSessions(): readonly WorkedSession[] {
  return readSections().flatMap((section) => {
    const title = /^\d+\. (.*)/.exec(section.title)?.[1]
    return title === undefined ? [] : [{ title, steps: stepsOf(section) }]
  })
}

function stepsOf({ prose, fences }: Section): readonly Step[] {
  const waiting = [...fences]
  const steps: { actor: string; text: string; fences: Fence[] }[] = []
  for (const line of prose) {
    const [, actor, text = ''] = /^\d+\. \*\*(\w+)\*\* (.*)/.exec(line) ?? []
    if (actor !== undefined) steps.push({ actor, text, fences: [] })
    else if (/^ *```$/.test(line)) steps.at(-1)?.fences.push(...waiting.splice(0, 1))
  }
  return steps
}
