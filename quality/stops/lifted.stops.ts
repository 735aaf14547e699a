import { inject } from 'vitest'
import { rows } from './matrix.ts'

rows('lifted', inject('stopNames'), ({ both }) => both !== undefined)
