// What a monitor reads: OpenMetrics text, whatever is counted (behaviour 149).
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readOpenMetrics } from '../../harness/metrics/read-open-metrics.ts'
import { Exposition } from '../../src/metrics/exposition.ts'

const fail = (error: unknown): never => {
  throw error
}

function samplesOf(exposition: Exposition, family: string) {
  return readOpenMetrics(exposition.text()).find(({ name }) => name === family)?.samples
}

describe('the text of figures', () => {
  it('is an empty set of families with its end', () => {
    expect(readOpenMetrics(new Exposition(fail).text())).toEqual([])
  })

  it('has every type with its suffixes, its unit and its help', () => {
    const exposition = new Exposition(fail)
    exposition.info({ name: 'a_build', help: 'What runs' }, { version: '1.2.3' })
    exposition.gauge({ name: 'a_size_bytes', help: 'How large', unit: 'bytes' }, () => 1.5)
    exposition.counter({ name: 'a_run', help: 'Runs' }, ['outcome'], [['done'], ['failed']]).add('done')
    exposition.histogram({ name: 'a_wait_seconds', help: 'Waits', unit: 'seconds' }, [], [0.5, 1]).observe(0.7)
    expect(exposition.text()).toBe(
      [
        '# TYPE a_build info',
        '# HELP a_build What runs',
        'a_build_info{version="1.2.3"} 1',
        '# TYPE a_size_bytes gauge',
        '# UNIT a_size_bytes bytes',
        '# HELP a_size_bytes How large',
        'a_size_bytes 1.5',
        '# TYPE a_run counter',
        '# HELP a_run Runs',
        'a_run_total{outcome="done"} 1',
        'a_run_total{outcome="failed"} 0',
        '# TYPE a_wait_seconds histogram',
        '# UNIT a_wait_seconds seconds',
        '# HELP a_wait_seconds Waits',
        'a_wait_seconds_bucket{le="0.5"} 0',
        'a_wait_seconds_bucket{le="1.0"} 1',
        'a_wait_seconds_bucket{le="+Inf"} 1',
        'a_wait_seconds_count 1',
        'a_wait_seconds_sum 0.7',
        '# EOF',
        '',
      ].join('\n'),
    )
    expect(readOpenMetrics(exposition.text())).toHaveLength(4)
  })

  it('gives back any label and any number as it was', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 20 }),
        fc.double({ noDefaultInfinity: false }),
        (label, value) => {
          fc.pre(!label.includes('\r'))
          const exposition = new Exposition(fail)
          exposition.gauge({ name: 'a', help: `of ${label}x` }, () => [[{ label }, value]])
          const [sample] = samplesOf(exposition, 'a') ?? []
          expect(sample?.labels).toEqual({ label })
          expect(sample?.value).toBe(value === 0 ? 0 : value)
        },
      ),
    )
  })

  it('counts each observation in every bucket that holds it', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 20, noNaN: true })), (values) => {
        const exposition = new Exposition(fail)
        const histogram = exposition.histogram({ name: 'a', help: 'of tests' }, ['kind'], [0.1, 1, 10])
        for (const value of values) histogram.observe(value, 'question')
        const buckets = (samplesOf(exposition, 'a') ?? []).filter(({ name }) => name === 'a_bucket')
        expect(buckets.map(({ value }) => value)).toEqual(
          values.length === 0 ? [] : [0.1, 1, 10, Infinity].map((le) => values.filter((value) => value <= le).length),
        )
      }),
    )
  })

  it('keeps a bounded number of series, and loses no count', () => {
    const exposition = new Exposition(fail)
    const counter = exposition.counter({ name: 'a', help: 'of tests' }, ['code'], [])
    for (let code = 0; code < 1_000; code += 1) counter.add(String(code))
    const samples = samplesOf(exposition, 'a') ?? []
    expect(samples.length).toBeLessThanOrEqual(65)
    expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(1_000)
    expect(samples.find(({ labels }) => labels.code === 'other')?.value).toBe(936)
  })

  it('leaves out a figure that cannot be read, reports it, and has the others', () => {
    const errors: unknown[] = []
    const exposition = new Exposition((error) => errors.push(error))
    const broken = new Error('no file')
    exposition.gauge({ name: 'a', help: 'of tests' }, () => {
      throw broken
    })
    exposition.gauge({ name: 'b', help: 'of tests' }, () => 1)
    expect(readOpenMetrics(exposition.text()).map(({ name }) => name)).toEqual(['b'])
    expect(errors).toEqual([broken])
  })

  it.each([
    ['a name with a capital', { name: 'aRun', help: 'x' }],
    ['a name without its unit', { name: 'a_run', help: 'x', unit: 'seconds' }],
  ] as const)('refuses %s', (_, described) => {
    expect(() => new Exposition(fail).gauge(described, () => 1)).toThrow(described.name)
  })
})
