import { Problem } from '@notify/sdk'
import { useMemo, useState } from 'react'
import { useDraft } from '../../ui/draft.ts'
import { contentOf, type EventForm, type FormError, formOf, storedContent } from './event-form.ts'
import { type EventId, type EventRecord, useEventActions } from './queries.ts'

/** What is edited of an event. Edits stay in this tab until they are saved or discarded. */
export function useEditor(id: EventId, record: EventRecord) {
  const { save } = useEventActions(id)
  const edits = useDraft<EventForm | null>(`event:${id.applicationId}/${id.eventKey}`, null)
  const [refusal, setRefusal] = useState<unknown>()
  const stored = useMemo(() => formOf(storedContent(record)), [record])
  const form = edits.value ?? stored
  const { content, errors } = useMemo(() => contentOf(form), [form])
  const refused: readonly FormError[] = refusal instanceof Problem ? refusal.errors : []
  return {
    form,
    content,
    isChanged: edits.value !== null,
    errors: [...errors, ...refused],
    /** Why it was not saved, when no field says so. */
    fault: refusal !== undefined && refused.length === 0 ? refusal : undefined,
    set: (next: EventForm) => edits.set(next),
    discard() {
      setRefusal(undefined)
      edits.clear()
    },
    /** Saves the draft. @returns whether it was saved; if not, the fields say why */
    async save(): Promise<boolean> {
      if (errors.length > 0) return false
      try {
        await save.mutateAsync(content)
      } catch (error) {
        setRefusal(error)
        return false
      }
      setRefusal(undefined)
      edits.clear()
      return true
    },
    isSaving: save.isPending,
  }
}

export type Editor = ReturnType<typeof useEditor>
