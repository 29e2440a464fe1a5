import type { components } from '@notify/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { useSearchableList } from '../../api/searchable-list.ts'
import { withNewKey } from '../../api/unanswered-writes.ts'
import { basisOf, type Coverage, type Translations } from '../../templates/translations.ts'
import type { Previewer } from '../../templates/use-preview.ts'

export type StoredTemplate = components['schemas']['Template']
export type TemplateSummary = components['schemas']['TemplateSummary']
/** The editable fields of a stored template. */
export type TemplateContent = Pick<StoredTemplate, 'name' | 'application_id' | 'templates'> & {
  translations?: Translations
}

const pollMs = 30_000
const key = ['templates']
const oneKey = (id: string) => [...key, 'one', id]
const pathOf = (template_id: string) => ({ path: { template_id } })

/** A page of the templates; with a search text, those of all pages whose names or ids contain it. */
export function useTemplates(find: string, cursor: string | undefined) {
  return useSearchableList({
    key: [...key, 'list'],
    find,
    textOf: ({ template_id, name }: TemplateSummary) => `${template_id} ${name}`,
    cursor,
    pollMs,
    read: (query, signal) => answer(api.GET('/api/v1/templates', { params: { query }, signal })),
  })
}

export function useTemplate(id: string) {
  return useQuery({
    queryKey: oneKey(id),
    queryFn: ({ signal }) => answer(api.GET('/api/v1/templates/{template_id}', { params: pathOf(id), signal })),
  })
}

/** Reads a template again, and updates the page that shows it. */
export function useReadTemplate(id: string) {
  const client = useQueryClient()
  return async () => {
    const template = await answer(api.GET('/api/v1/templates/{template_id}', { params: pathOf(id) }))
    client.setQueryData(oneKey(id), template)
    return template
  }
}

/** Previews unsaved templates at the service. */
export const previewerOf = (id: string): Previewer => ({
  name: `template:${id}`,
  preview: ({ data, ...rest }, signal) =>
    answer(
      api.POST('/api/v1/templates/{template_id}/preview', {
        params: pathOf(id),
        body: { ...rest, template_data: data as Record<string, never> },
        headers: withNewKey(),
        signal,
      }),
    ),
})

const coverageKey = ({ template_id, version }: Pick<StoredTemplate, 'template_id' | 'version'>) => [
  ...['template-translations', template_id, version],
]

/** How far the translations of a template have got. */
export function useCoverage({ template_id, version, translations }: StoredTemplate) {
  const { data } = useQuery({
    queryKey: coverageKey({ template_id, version }),
    queryFn: ({ signal }) =>
      answer(api.GET('/api/v1/templates/{template_id}/translations', { params: pathOf(template_id), signal })),
    enabled: Object.keys(translations).length > 0,
    placeholderData: (previous) => previous,
  })
  return data?.translations ?? none
}

/** Marks a translation as made from the present original: saves its texts as they are, based on that. */
export function useConfirmTranslation(template: StoredTemplate) {
  const client = useQueryClient()
  return async (locale: string) => {
    const params = { path: { template_id: template.template_id, locale } }
    const path = '/api/v1/templates/{template_id}/translations/{locale}'
    const { texts } = await answer(api.GET(path, { params }))
    await answer(api.PUT(path, { params, body: { texts, ...basisOf(client, coverageKey(template)) } }))
    await client.invalidateQueries({ queryKey: key })
  }
}

const none: Coverage = []

export function useCreateTemplate() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: TemplateContent) => answer(api.POST('/api/v1/templates', { body })),
    onSuccess: (template) => {
      client.setQueryData(oneKey(template.template_id), template)
      return client.invalidateQueries({ queryKey: [...key, 'list'] })
    },
  })
}

/** The changes of a stored template. The answer is shown at once. */
export function useTemplateActions(id: string) {
  const client = useQueryClient()
  const save = useMutation({
    mutationFn: ({ content, expected_version }: { content: TemplateContent; expected_version: number }) => {
      const params = { ...pathOf(id), query: { expected_version } }
      return answer(api.PUT('/api/v1/templates/{template_id}', { params, body: content }))
    },
    onSuccess: (template) => {
      client.setQueryData(oneKey(id), template)
      return client.invalidateQueries({ queryKey: [...key, 'list'] })
    },
  })
  const remove = useMutation({
    mutationFn: () => answer(api.DELETE('/api/v1/templates/{template_id}', { params: pathOf(id) })),
    onSuccess: () => client.invalidateQueries({ queryKey: [...key, 'list'] }),
  })
  return { save, remove }
}
