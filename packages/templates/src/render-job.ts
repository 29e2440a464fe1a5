import type { Format } from './format.ts'
import type { TemplateForm } from './template-limits.ts'

export interface TemplateText {
  form: TemplateForm
  template: string
}

/** A job of a worker thread: render the texts of a message, list their variables, or only check them. */
export interface RenderJob {
  texts: readonly TemplateText[]
  /** JSON, which is cheaper to transfer than objects; absent for checks. */
  variables: string | undefined
  format?: Format | undefined
  /** Whether to answer, in place of each text, its variables as JSON. */
  listsVariables?: boolean
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
