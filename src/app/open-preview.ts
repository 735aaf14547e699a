// What a line would do. None of its code is loaded before the first question.
import type { PreviewPort } from '../commands/kit/ports.ts'
import type { RunEnvironment } from '../runtime/run-context.ts'

export function openPreview(environment: () => RunEnvironment, reportBug: (error: unknown) => void): PreviewPort {
  let opening: Promise<PreviewPort> | undefined
  const open = async () => {
    const { createPreviewLine } = await import('../runtime/preview/preview-line.ts')
    return createPreviewLine({ environment: environment(), reportBug })
  }
  return async (request, care) => {
    opening ??= open()
    return (await opening)(request, care)
  }
}
