import { Confirm } from '../../ui/confirm.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { type StoredTemplate, useTemplateActions } from './queries.ts'

interface DeleteTemplateProps {
  template: StoredTemplate
  onDeleted: () => void
  onClose: () => void
}

/** Asks before a template is deleted. */
export function DeleteTemplate({ template: { template_id, name }, onDeleted, onClose }: DeleteTemplateProps) {
  const { remove } = useTemplateActions(template_id)
  return (
    <Confirm
      title="Delete this template?"
      action="Delete the template"
      danger
      onConfirm={async () => {
        await remove.mutateAsync()
        showToast({ tone: 'good', text: 'The template is deleted.' })
        onDeleted()
      }}
      onClose={onClose}
    >
      New notifications that name <PlainText className="font-medium text-text">{name}</PlainText> are refused, and
      running broadcasts that name it reach no further member. What was accepted before is still sent. This cannot be
      undone.
    </Confirm>
  )
}
