// A target with a bug behind four comparisons of one byte each: blind mutation finds it once in billions of inputs.
import type { OpenTarget } from '../../quality/fuzz/target.ts'

export const open: OpenTarget = () => ({
  units: 'bytes',
  seeds: ['....'],
  dictionary: [],
  maxLength: 8,
  batch: 1_000,
  run(input) {
    if (input.charAt(0) === 'K') {
      if (input.charAt(1) === '\x1f') {
        if (input.charAt(2) === '\xa7') {
          if (input.charAt(3) === '2') throw new Error('the planted bug')
        }
      }
    }
  },
})
