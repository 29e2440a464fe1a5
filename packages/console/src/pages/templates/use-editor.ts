import { useMemo } from 'react'
import { useEdits } from '../../edits/use-edits.ts'
import { type StoredTemplate, useReadTemplate, useTemplateActions } from './queries.ts'
import { contentOf, formOf, type TemplateForm } from './template-form.ts'

const storedOf = (template: StoredTemplate) => ({ form: formOf(template), revision: String(template.version) })

/** The edits of a stored template. */
export function useEditor(template: StoredTemplate) {
  const { save } = useTemplateActions(template.template_id)
  const read = useReadTemplate(template.template_id)
  const stored = useMemo(() => storedOf(template), [template])
  const edits = useEdits<TemplateForm>({
    name: `template-edits:${template.template_id}`,
    stored,
    errorsOf: (form) => contentOf(form).errors,
    write: async (form, revision) =>
      storedOf(await save.mutateAsync({ content: contentOf(form).content, expected_version: Number(revision) })),
    reread: async () => storedOf(await read()),
  })
  const { content } = useMemo(() => contentOf(edits.form), [edits.form])
  return { ...edits, content }
}

export type Editor = ReturnType<typeof useEditor>
