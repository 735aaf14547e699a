// Reads OpenMetrics text 1.0.0 as its grammar and the rules of each type have it, and refuses everything else; shares nothing with the writer.

export interface ReadSample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export interface ReadFamily {
  readonly name: string
  readonly type: string
  readonly help: string
  readonly unit: string
  readonly samples: readonly ReadSample[]
}

const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ['_total', '_created'],
  gauge: [''],
  info: ['_info'],
  histogram: ['_bucket', '_count', '_sum', '_created'],
}
const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/
const NUMBER = /^(?:[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|NaN|[+-]Inf)$/

/** @throws what is not OpenMetrics, with its line */
export function readOpenMetrics(text: string): readonly ReadFamily[] {
  if (text.includes('\r')) throw new Error('a line ends with a carriage return')
  if (!text.endsWith('# EOF\n')) throw new Error('the text does not end with # EOF')
  const families: FamilyBegun[] = []
  for (const line of text.slice(0, -'# EOF\n'.length).split('\n').slice(0, -1)) readLine(line, families)
  for (const family of families) requireFamily(family)
  return families
}

interface FamilyBegun extends ReadFamily {
  type: string
  help: string
  unit: string
  samples: ReadSample[]
}

function readLine(line: string, families: FamilyBegun[]): void {
  const [, kind, name = '', rest = ''] = /^# (TYPE|HELP|UNIT) (\S+) (.*)$/.exec(line) ?? []
  const last = families.at(-1)
  if (kind === undefined) {
    if (line.startsWith('#') || line === '') throw new Error(`not a line: ${line}`)
    if (last === undefined) throw new Error(`a sample without its family: ${line}`)
    last.samples.push(readSample(line))
    return
  }
  const family = last?.name === name ? last : beginFamily(name, families)
  if (family.samples.length > 0) throw new Error(`${kind} of ${name} comes after its samples`)
  const field = kind === 'TYPE' ? 'type' : kind === 'HELP' ? 'help' : 'unit'
  if (family[field] !== '') throw new Error(`${kind} of ${name} comes twice`)
  family[field] = kind === 'HELP' ? unescaped(rest) : rest
}

function beginFamily(name: string, families: FamilyBegun[]): FamilyBegun {
  if (!NAME.test(name)) throw new Error(`${name} is not a name`)
  if (families.some((family) => family.name === name)) throw new Error(`${name} comes twice`)
  const family: FamilyBegun = { name, type: '', help: '', unit: '', samples: [] }
  families.push(family)
  return family
}

function readSample(line: string): ReadSample {
  const [, name = '', , inside = '', value = ''] =
    /^([^\s{]+)(\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})? (\S+)$/.exec(line) ?? []
  if (!NAME.test(name) || !NUMBER.test(value)) throw new Error(`not a sample: ${line}`)
  const labels: Record<string, string> = {}
  let left = inside
  while (left !== '') {
    const [all = '', label = '', text = ''] = /^([^=,"]+)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?=[^,])|$)/.exec(left) ?? []
    if (all === '' || !LABEL_NAME.test(label) || label in labels) throw new Error(`not labels: ${line}`)
    labels[label] = unescaped(text)
    left = left.slice(all.length)
  }
  return { name, labels, value: Number(value.replace('Inf', 'Infinity')) }
}

function requireFamily({ name, type, help, unit, samples }: ReadFamily): void {
  const suffixes = SUFFIXES[type]
  if (suffixes === undefined) throw new Error(`${name} has the type ${type}`)
  if (help === '') throw new Error(`${name} has no help`)
  if (unit !== '' && !name.endsWith(`_${unit}`)) throw new Error(`${name} does not end with its unit ${unit}`)
  const seen = new Set<string>()
  for (const sample of samples) {
    if (!suffixes.some((suffix) => sample.name === `${name}${suffix}`))
      throw new Error(`${sample.name} is not of ${name}`)
    const series = JSON.stringify([sample.name, Object.entries(sample.labels).sort()])
    if (seen.has(series)) throw new Error(`${series} comes twice`)
    seen.add(series)
    if ((type === 'counter' || type === 'histogram') && !(sample.value >= 0)) throw new Error(`${series} is below zero`)
    if (type === 'info' && sample.value !== 1) throw new Error(`${series} is not 1`)
  }
  if (type === 'histogram') requireHistogram(name, samples)
}

function requireHistogram(name: string, samples: readonly ReadSample[]): void {
  const series = new Map<string, ReadSample[]>()
  for (const sample of samples) {
    const { le: _, ...own } = sample.labels
    const key = JSON.stringify(Object.entries(own).sort())
    series.set(key, [...(series.get(key) ?? []), sample])
  }
  for (const [key, all] of series) {
    const buckets = all.filter((each) => each.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels }) => Number(labels.le?.replace('Inf', 'Infinity')))
    const isRising = (values: readonly number[]) =>
      values.every((value, at) => at === 0 || value >= (values[at - 1] ?? 0))
    if (bounds.at(-1) !== Number.POSITIVE_INFINITY || !isRising(bounds)) throw new Error(`buckets of ${name}${key}`)
    if (!isRising(buckets.map(({ value }) => value))) throw new Error(`counts of ${name}${key} fall`)
    const count = all.find((each) => each.name === `${name}_count`)?.value
    if (count !== buckets.at(-1)?.value) throw new Error(`${name}${key} has another count than its last bucket`)
    if (!all.some((each) => each.name === `${name}_sum`)) throw new Error(`${name}${key} has no sum`)
  }
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (all, each: string) =>
    each === 'n' ? '\n' : each === '"' || each === '\\' ? each : all,
  )
}
