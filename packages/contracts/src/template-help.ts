import type { ErrorCode, ErrorHelp } from './errors.ts'

type TemplateCode = Exclude<
  Extract<ErrorCode, `template_${string}` | `translation_${string}`>,
  `${string}_limit_reached`
>

/** The help text of errors about templates and translations. */
export const templateHelp: Readonly<Record<TemplateCode, ErrorHelp>> = {
  template_not_approved: {
    meaning: 'WhatsApp has not approved the template, or approved it in another category.',
    action: 'Wait for the approval, or correct the template. GET /api/v1/whatsapp/templates shows its state.',
  },
  template_category_mismatch: {
    meaning: 'The WhatsApp category of the event differs from the category that was approved for the template.',
    action: 'Set the approved category; GET /api/v1/whatsapp/templates shows it.',
  },
  translation_variable_unknown: {
    meaning: 'A translation uses a variable that the template of its channel does not use, so callers do not send it.',
    action: 'Use only variables of the template, or add the variable there.',
  },
  template_variable_missing: {
    meaning: 'The template uses a variable that the request does not contain.',
    action: 'Add the variable to the field that the detail names: data for an event, otherwise template_data.',
  },
}
