/** `required` and `optional` together are a frame with everything in it. */
export interface Sample {
  readonly required: Readonly<Record<string, unknown>>
  readonly optional?: Readonly<Record<string, unknown>>
}
