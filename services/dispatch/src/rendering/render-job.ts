import type { TemplateForm } from './template-limits.ts'

export interface TemplateText {
  form: TemplateForm
  template: string
}

/** What a worker thread is asked: to fill the texts of a message, or only to look whether they could ever be. */
export interface RenderJob {
  texts: readonly TemplateText[]
  /** JSON: it costs less to hand over than the objects. None when the texts are only checked. */
  variables: string | undefined
  /** Whether the templates are likely to come again. */
  remember: boolean
  /** Set to 1 by the thread when it begins. */
  begun: Int32Array
}

/** One fault of one of the texts. */
export interface RenderFault {
  /** Place of the text among those of the job. */
  at: number
  message: string
  missing?: string | undefined
}

export interface RenderAnswer {
  texts: string[]
  fault: RenderFault | undefined
  /** Time of the processor that it took, in milliseconds. */
  cpuMs: number
}
