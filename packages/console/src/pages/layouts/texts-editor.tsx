import { lazy, type ReactNode, Suspense } from 'react'
import type { Previewer } from '../../templates/use-preview.ts'
import { TextAreaField } from '../../ui/field.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { type TextsForm, textsOf } from './use-editor.ts'

// Loaded on demand, as in the editor of templates.
const PreviewPane = lazy(async () => ({ default: (await import('../../templates/preview-pane.tsx')).PreviewPane }))

interface TextsEditorProps {
  value: TextsForm
  /** The path of the texts in the request: `translations.de.` */
  path: string
  /** Of a translation. */
  locale?: string
  previewer: Previewer
  onChange: (value: TextsForm) => void
  /** Shown below the fields. */
  children?: ReactNode
}

/** The texts of a layout in one language, with a preview. */
export function TextsEditor({ value, path, locale, previewer, onChange, children }: TextsEditorProps) {
  const of = (field: keyof TextsForm) => ({
    name: `${path}${field}`,
    value: value[field],
    onChange: ({ target }: { target: { value: string } }) => onChange({ ...value, [field]: target.value }),
  })
  const templates = { email: { subject: '', ...textsOf(value) } }
  return (
    <div className="grid items-start gap-6 lg:grid-cols-2">
      <Panel className="flex flex-col gap-4 p-4">
        <TextAreaField
          label="HTML"
          rows={16}
          code
          hint="The HTML of an email stands where {{ content }} is. Values are escaped."
          {...of('html_body')}
        />
        <TextAreaField
          label="Text (optional)"
          rows={8}
          hint="Around the text of an email. Empty: a text of its own stays as it is."
          {...of('body')}
        />
        {children}
      </Panel>
      <Suspense fallback={<Skeleton lines={6} />}>
        <PreviewPane previewer={previewer} channel="email" templates={templates} {...(locale ? { locale } : {})} />
      </Suspense>
    </div>
  )
}
