// The figures of a process in OpenMetrics text 1.0.0. Families are declared once, in the order in which they are written; labels come from short
// fixed lists, so that no text of a stranger makes a series.

type Labels = Readonly<Record<string, string>>
export type Sample = readonly [labels: Labels, value: number]

export const CONTENT_TYPE = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

const NO_LABELS: Labels = {}
/** Over it, what a series counts is counted under `other`: a bug in a caller does not fill the memory. */
const MAX_SERIES = 64
const NAME = /^[a-z][a-z0-9_]*$/

interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram' | 'info'
  readonly help: string
  /** The end of the name, as OpenMetrics wants it. */
  readonly unit?: 'seconds' | 'bytes' | undefined
  lines(): Iterable<string>
}

interface Counter {
  /** @param values of the labels, in their order */
  add(...values: readonly string[]): void
}

interface Histogram {
  observe(value: number, ...labels: readonly string[]): void
}

interface Described {
  readonly name: string
  readonly help: string
  readonly unit?: Family['unit']
}

export class Exposition {
  readonly #families: Family[] = []
  readonly #onBug: (error: unknown) => void

  /** @param onBug a figure could not be read; it is left out */
  constructor(onBug: (error: unknown) => void) {
    this.#onBug = onBug
  }

  /** Always 1: what it says is in the labels. */
  info({ name, help }: Described, labels: Labels): void {
    this.#add({ name, help, type: 'info', lines: () => [sampleLine(`${name}_info`, labels, 1)] })
  }

  gauge(described: Described, read: () => number | Iterable<Sample>): void {
    const { name } = described
    this.#add({
      ...described,
      type: 'gauge',
      lines: () => Array.from(samplesOf(read()), ([labels, value]) => sampleLine(name, labels, value)),
    })
  }

  /** One that is counted elsewhere, and never falls. */
  countedElsewhere(described: Described, read: () => number): void {
    const { name } = described
    this.#add({ ...described, type: 'counter', lines: () => [sampleLine(`${name}_total`, NO_LABELS, read())] })
  }

  /** @param first series that are there from the start, at zero */
  counter(described: Described, labels: readonly string[], first: readonly (readonly string[])[]): Counter {
    const { name } = described
    const series = new Series(labels, () => ({ count: 0 }))
    for (const values of first) series.of(values)
    this.#add({
      ...described,
      type: 'counter',
      lines: () => series.map((own, { count }) => [sampleLine(`${name}_total`, own, count)]),
    })
    return {
      add(...values) {
        series.of(values).count += 1
      },
    }
  }

  /** @param bounds the upper ends of its buckets, rising */
  histogram(described: Described, labels: readonly string[], bounds: readonly number[]): Histogram {
    const { name } = described
    const series = new Series(labels, () => ({ buckets: bounds.map(() => 0), sum: 0, count: 0 }))
    this.#add({
      ...described,
      type: 'histogram',
      lines: () =>
        series.map((own, { buckets, sum, count }) => [
          ...buckets.map((within, at) =>
            sampleLine(`${name}_bucket`, { ...own, le: showBound(bounds[at] as number) }, within),
          ),
          sampleLine(`${name}_bucket`, { ...own, le: '+Inf' }, count),
          sampleLine(`${name}_count`, own, count),
          sampleLine(`${name}_sum`, own, sum),
        ]),
    })
    return {
      observe(value, ...values) {
        const one = series.of(values)
        one.count += 1
        one.sum += value
        for (const [at, bound] of bounds.entries()) if (value <= bound) one.buckets[at] = (one.buckets[at] ?? 0) + 1
      },
    }
  }

  text(): string {
    return [...this.#families.flatMap((family) => this.#linesOf(family)), '# EOF', ''].join('\n')
  }

  #add(family: Family): void {
    const { name, unit } = family
    if (!NAME.test(name)) throw new Error(`${name} is not the name of a metric`)
    if (unit !== undefined && !name.endsWith(`_${unit}`)) throw new Error(`${name} does not end with its unit`)
    this.#families.push(family)
  }

  #linesOf(family: Family): readonly string[] {
    const { name, type, help, unit } = family
    try {
      const unitLine = unit === undefined ? [] : [`# UNIT ${name} ${unit}`]
      return [`# TYPE ${name} ${type}`, ...unitLine, `# HELP ${name} ${escaped(help)}`, ...family.lines()]
    } catch (error) {
      this.#onBug(error)
      return []
    }
  }
}

class Series<State> {
  readonly #labels: readonly string[]
  readonly #make: () => State
  readonly #all = new Map<string, readonly [Labels, State]>()

  constructor(labels: readonly string[], make: () => State) {
    this.#labels = labels
    this.#make = make
  }

  of(values: readonly string[]): State {
    const key = JSON.stringify(values)
    const known = this.#all.get(key)
    if (known !== undefined) return known[1]
    if (this.#all.size >= MAX_SERIES && values.some((value) => value !== 'other'))
      return this.of(values.map(() => 'other'))
    const labels = Object.fromEntries(this.#labels.map((label, at) => [label, values[at] ?? '']))
    const state = this.#make()
    this.#all.set(key, [labels, state])
    return state
  }

  map(lines: (labels: Labels, state: State) => readonly string[]): readonly string[] {
    return [...this.#all.values()].flatMap(([labels, state]) => lines(labels, state))
  }
}

function samplesOf(read: number | Iterable<Sample>): Iterable<Sample> {
  return typeof read === 'number' ? [[NO_LABELS, read]] : read
}

function sampleLine(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${showValue(value)}`
}

function showValue(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf'
  return String(value)
}

/** A bound is a float, also where it is whole. */
function showBound(bound: number): string {
  return Number.isInteger(bound) ? `${bound}.0` : String(bound)
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"')
}
