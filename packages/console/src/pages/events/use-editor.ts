import { useMemo } from 'react'
import { useEdits } from '../../edits/use-edits.ts'
import { contentOf, type EventForm, formOf, storedContent } from './event-form.ts'
import { type EventId, type EventRecord, useEventActions, useReadEvent } from './queries.ts'

const storedOf = (record: EventRecord) => ({ form: formOf(storedContent(record)), revision: record.updated_at })

/** The edits of an event. */
export function useEditor(id: EventId, record: EventRecord) {
  const { save } = useEventActions(id)
  const read = useReadEvent(id)
  const stored = useMemo(() => storedOf(record), [record])
  const edits = useEdits<EventForm>({
    name: `event-edits:${id.applicationId}/${id.eventKey}`,
    stored,
    errorsOf: (form) => contentOf(form).errors,
    write: async (form, revision) =>
      storedOf(await save.mutateAsync({ content: contentOf(form).content, expected_updated_at: revision })),
    reread: async () => storedOf(await read()),
  })
  const { content } = useMemo(() => contentOf(edits.form), [edits.form])
  return { ...edits, content }
}

export type Editor = ReturnType<typeof useEditor>
