import { useMutation } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import { withNewKey } from '../../api/unanswered-writes.ts'
import { Problems } from '../../ui/error-state.tsx'
import { PermittedButton } from '../../ui/permitted-button.tsx'
import { TextBlock } from '../../ui/plain-text.tsx'

/** What was sent, after a click: each look is recorded in the audit log. */
export function ContentPanel({ id }: { id: string }) {
  const read = useMutation({
    mutationFn: () =>
      answer(api.POST('/api/v1/activity/{id}/content', { params: { path: { id } }, headers: withNewKey() })),
  })
  return (
    <section className="flex flex-col gap-2">
      <div className="flex items-center gap-3">
        <h3 className="flex-1 font-semibold">Content</h3>
        <PermittedButton needs="content:read" busy={read.isPending} onClick={() => read.mutate()}>
          Show the content
        </PermittedButton>
      </div>
      <div aria-live="polite">
        {read.error ? <Problems error={read.error} /> : null}
        {read.data ? <TextBlock label="Content of the message">{textOf(read.data.content)}</TextBlock> : null}
        {read.isIdle ? <p className="text-soft">Each look is recorded in the audit log.</p> : null}
      </div>
    </section>
  )
}

const textOf = (content: Record<string, unknown>): string =>
  Object.entries(content)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`)
    .join('\n\n')
