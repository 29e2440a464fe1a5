import type { components } from '@notify/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { topicsKey } from '../../api/topics.ts'

export type TopicContent = components['schemas']['TopicContent']

/** Creates, changes, deletes and reads topics of an application. */
export function useTopicActions(application_id: string) {
  const client = useQueryClient()
  const refresh = () => client.invalidateQueries({ queryKey: topicsKey(application_id) })
  const paramsOf = (topic_key: string) => ({ path: { application_id, topic_key } })
  const create = useMutation({
    mutationFn: (body: components['schemas']['NewTopic']) =>
      answer(api.POST('/api/v1/applications/{application_id}/topics', { params: { path: { application_id } }, body })),
    onSuccess: refresh,
  })
  const save = useMutation({
    mutationFn: ({ key, body, revision }: { key: string; body: TopicContent; revision: string }) => {
      const params = { ...paramsOf(key), query: { expected_updated_at: revision } }
      return answer(api.PUT('/api/v1/applications/{application_id}/topics/{topic_key}', { params, body }))
    },
    onSuccess: refresh,
  })
  const remove = useMutation({
    mutationFn: (key: string) =>
      answer(api.DELETE('/api/v1/applications/{application_id}/topics/{topic_key}', { params: paramsOf(key) })),
    onSuccess: refresh,
  })
  /** Reads a topic again, and updates the list. */
  const reread = async (key: string) => {
    void refresh()
    return answer(api.GET('/api/v1/applications/{application_id}/topics/{topic_key}', { params: paramsOf(key) }))
  }
  return { create, save, remove, reread }
}
