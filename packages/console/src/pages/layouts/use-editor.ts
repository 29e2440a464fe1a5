import { useMemo } from 'react'
import { useEdits } from '../../edits/use-edits.ts'
import { type LayoutContent, type StoredLayout, useLayoutActions } from './queries.ts'

/** The texts of a layout in one language. */
export interface TextsForm {
  html_body: string
  body: string
}

/** The form of a layout. */
export interface LayoutForm extends TextsForm {
  name: string
  /** Empty: every application of the tenant may use it. */
  application_id: string
  translations: Record<string, TextsForm>
}

const textsFormOf = ({ html_body, body = '' }: { html_body: string; body?: string | undefined }): TextsForm => ({
  html_body,
  body,
})

/** The texts of a form, without those that are empty. */
export const textsOf = ({ html_body, body }: TextsForm) => ({ html_body, ...(body === '' ? {} : { body }) })

export function formOf({
  name,
  application_id,
  translations,
  ...texts
}: Omit<LayoutContent, 'translations'> & Pick<StoredLayout, 'translations'>): LayoutForm {
  const sorted = Object.entries(translations).sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    name,
    application_id: application_id ?? '',
    ...textsFormOf(texts),
    translations: Object.fromEntries(sorted.map(([locale, one]) => [locale, textsFormOf(one)])),
  }
}

/** The request of a form. */
export function contentOf({ name, application_id, translations, ...texts }: LayoutForm): LayoutContent {
  const translated = Object.entries(translations).map(([locale, one]) => [locale, textsOf(one)])
  return {
    ...{ name, application_id: application_id.trim() || null, ...textsOf(texts) },
    translations: Object.fromEntries(translated),
  }
}

const storedOf = (layout: StoredLayout) => ({ form: formOf(layout), revision: String(layout.version) })

/** The edits of a layout. */
export function useEditor(layout: StoredLayout) {
  const { layout_id: id } = layout
  const { save, reread } = useLayoutActions()
  const stored = useMemo(() => storedOf(layout), [layout])
  return useEdits<LayoutForm>({
    name: `layout-edits:${id}`,
    stored,
    errorsOf: () => [],
    write: async (form, revision) =>
      storedOf(await save.mutateAsync({ id, body: contentOf(form), version: Number(revision) })),
    reread: async () => storedOf(await reread(id)),
  })
}

export type Editor = ReturnType<typeof useEditor>
