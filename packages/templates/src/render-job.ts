import type { TemplateForm } from './template-limits.ts'

export interface TemplateText {
  form: TemplateForm
  template: string
}

/** A job of a worker thread: render the texts of a message, or only check them. */
export interface RenderJob {
  texts: readonly TemplateText[]
  /** JSON, which is cheaper to transfer than objects; absent for checks. */
  variables: string | undefined
  /** Whether to cache the templates. */
  remember: boolean
  /** The thread writes its `threadId` here when it begins; 0 before. */
  begunBy: Int32Array
}

/** A fault of one text. */
export interface RenderFault {
  /** Index of the text in the job. */
  at: number
  message: string
  missing?: string | undefined
}

export interface RenderAnswer {
  texts: string[]
  fault: RenderFault | undefined
  /** CPU time used, in milliseconds. */
  cpuMs: number
}
