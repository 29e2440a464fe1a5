import type { components } from '@notify/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { layoutKey, layoutsKey, readLayout } from '../../api/layouts.ts'
import { useSearchableList } from '../../api/searchable-list.ts'
import { withNewKey } from '../../api/unanswered-writes.ts'
import type { Previewer } from '../../templates/use-preview.ts'

export type StoredLayout = components['schemas']['Layout']
export type LayoutVersion = components['schemas']['LayoutVersion']
export type LayoutVersionSummary = components['schemas']['LayoutVersionSummary']
export type LayoutSummary = components['schemas']['LayoutSummary']
/** The editable fields of a layout. */
export type LayoutContent = components['schemas']['NewLayout']

const pollMs = 30_000
const pathOf = (layout_id: string) => ({ path: { layout_id } })

/** A page of the layouts; with a search text, those of all pages whose names or ids contain it. */
export function useLayouts(find: string, cursor: string | undefined) {
  return useSearchableList({
    key: [...layoutsKey, 'list'],
    find,
    textOf: ({ layout_id, name }: LayoutSummary) => `${layout_id} ${name}`,
    cursor,
    pollMs,
    read: (query, signal) => answer(api.GET('/api/v1/layouts', { params: { query }, signal })),
  })
}

/** A page of the versions of a layout, newest first. */
export function useLayoutVersions(id: string, cursor: string | undefined) {
  return useQuery({
    queryKey: [...layoutsKey, 'versions', id, cursor],
    queryFn: ({ signal }) => {
      const params = { ...pathOf(id), query: { limit: 50, ...(cursor ? { cursor } : {}) } }
      return answer(api.GET('/api/v1/layouts/{layout_id}/versions', { params, signal }))
    },
    placeholderData: (previous) => previous,
  })
}

/** A version of a layout, with its texts. */
export function useLayoutVersion(layout_id: string, version: string) {
  return useQuery({
    queryKey: ['layout-version', layout_id, version],
    queryFn: ({ signal }) => {
      const params = { path: { layout_id, version } }
      return answer(api.GET('/api/v1/layouts/{layout_id}/versions/{version}', { params, signal }))
    },
  })
}

/** Previews the texts of a layout in the place of an email's, around a sentence. */
export const previewerOf = (id: string): Previewer => ({
  name: `layout:${id}`,
  async preview({ data, templates: { email }, locale, time_zone }, signal) {
    const { html_body = '', body } = email ?? {}
    const { rendered } = await answer(
      api.POST('/api/v1/layouts/{layout_id}/preview', {
        params: pathOf(id),
        body: {
          template_data: data as Record<string, never>,
          layout: { html_body, ...(body === undefined ? {} : { body }) },
          ...(locale ? { locale } : {}),
          ...(time_zone ? { time_zone } : {}),
        },
        headers: withNewKey(),
        signal,
      }),
    )
    return { rendered: { email: { subject: 'Of the email', ...rendered } }, sms_segments: null, whatsapp_message: null }
  },
})

/** Creates, changes and deletes layouts. The answer is shown at once. */
export function useLayoutActions() {
  const client = useQueryClient()
  const show = async (layout: StoredLayout) => {
    await client.invalidateQueries({ queryKey: layoutsKey, predicate: ({ queryKey }) => queryKey[1] !== 'one' })
    client.setQueryData(layoutKey(layout.layout_id), layout)
  }
  const create = useMutation({
    mutationFn: (body: LayoutContent) => answer(api.POST('/api/v1/layouts', { body })),
    onSuccess: show,
  })
  const save = useMutation({
    mutationFn: ({ id, body, version }: { id: string; body: LayoutContent; version: number }) => {
      const params = { ...pathOf(id), query: { expected_version: version } }
      return answer(api.PUT('/api/v1/layouts/{layout_id}', { params, body }))
    },
    onSuccess: show,
  })
  const remove = useMutation({
    mutationFn: (id: string) => answer(api.DELETE('/api/v1/layouts/{layout_id}', { params: pathOf(id) })),
    onSuccess: () =>
      client.invalidateQueries({ queryKey: layoutsKey, predicate: ({ queryKey }) => queryKey[1] !== 'one' }),
  })
  /** Reads a layout again, and updates the page that shows it. */
  const reread = async (id: string) => {
    const layout = await readLayout(id)
    client.setQueryData(layoutKey(id), layout)
    return layout
  }
  return { create, save, remove, reread }
}
