import type { Preview } from '../../protocol/preview.ts'

/** What a line would do; of `hook test` with the hook, and what the alert filled in. */
export interface PreviewData extends Preview {
  readonly type: 'preview'
  readonly hook?: string
  readonly hookId?: string
  readonly command: string
  readonly values?: Readonly<Record<string, string>>
}
