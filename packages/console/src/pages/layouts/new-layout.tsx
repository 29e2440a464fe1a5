import { ApplicationField } from '../../ui/application-choice.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useDraft } from '../../ui/draft.ts'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useLayoutActions } from './queries.ts'

const firstHtml = `<!doctype html>
<html>
  <body style="font-family: sans-serif">
    {{ content }}
    <p style="color: #666">Your company, 1 Main Street</p>
  </body>
</html>
`
const firstText = '{{ content }}\n\n-- \nYour company, 1 Main Street\n'

/** Creates a layout with an initial text, and opens the editor. */
export function NewLayout({ onCreated, onClose }: { onCreated: (id: string) => void; onClose: () => void }) {
  const { create } = useLayoutActions()
  const { value, set, clear } = useDraft('layout:new', { name: '', application_id: '' })
  return (
    <Dialog title="New layout" onClose={onClose}>
      <Form
        action="Create the layout"
        onCancel={() => {
          clear()
          onClose()
        }}
        onSubmit={async () => {
          const { name, application_id } = value
          const owner = { name, application_id: application_id.trim() || null }
          const { layout_id } = await create.mutateAsync({ ...owner, html_body: firstHtml, body: firstText })
          clear()
          onCreated(layout_id)
        }}
      >
        <TextField
          label="Name"
          name="name"
          value={value.name}
          hint="As operators see it. You can change it later."
          dir="auto"
          autoFocus
          onChange={(event) => set({ ...value, name: event.target.value })}
        />
        <ApplicationField
          none="All applications"
          hint="Which application may use it."
          value={value.application_id}
          onChange={(application_id) => set({ ...value, application_id })}
        />
      </Form>
    </Dialog>
  )
}
