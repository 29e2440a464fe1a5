import { Problem } from '@notify/service-kit'
import type { TemplateText } from './render-job.ts'
import { TemplateFault } from './template-fault.ts'

/** A template, and its name in errors. */
export interface NamedTemplate extends TemplateText {
  /** The field of the request with the variables. */
  field: 'data' | 'template_data'
  /** The field of the request with the template, if the caller wrote it for this message, or with the id of its layout. */
  part?: 'subject' | 'title' | 'body' | 'html_body' | 'preheader' | 'layout_id'
}

/** The problem for a template that cannot be rendered; other errors are unchanged. */
export function problemOf(error: unknown, { field, part }: NamedTemplate): unknown {
  if (!(error instanceof TemplateFault)) return error
  const { missing } = error
  const what = part === 'layout_id' ? 'layout' : 'template'
  if (missing !== undefined) {
    const detail = `The ${what} requires the variable ${missing}; provide it in ${field}`
    const errors = [{ path: `${field}.${missing}`, message: `is required by the ${what}` }]
    return new Problem('template_variable_missing', detail, { errors })
  }
  const fault = `cannot be rendered: ${error.message}`
  const errors = [{ path: part ?? '', message: fault }]
  return new Problem('validation_failed', `${part ?? 'The template'} ${fault}`, { errors })
}
