import { type ReactNode, useState } from 'react'
import { useNavigate } from 'react-router'
import { useMessageDefaults } from '../../api/applications.ts'
import { ConflictDialog } from '../../edits/conflict-dialog.tsx'
import { useChord } from '../../shell/use-chord.ts'
import { ChannelEditor } from '../../templates/channel-editor.tsx'
import { compare } from '../../templates/compare.ts'
import { DiscardEdits } from '../../templates/discard-edits.tsx'
import { LanguageEditor } from '../../templates/language-editor.tsx'
import { settingsTab, TemplateTabs, useTab } from '../../templates/template-tabs.tsx'
import { useApplicationNames } from '../../ui/application-name.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyableId } from '../../ui/copy-button.tsx'
import { ErrorState, Problems } from '../../ui/error-state.tsx'
import { FieldErrors } from '../../ui/form.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { showToast } from '../../ui/toasts.tsx'
import { DeleteTemplate } from './delete-template.tsx'
import {
  previewerOf,
  type StoredTemplate,
  type TemplateContent,
  useConfirmTranslation,
  useCoverage,
  useTemplate,
} from './queries.ts'
import { SettingsEditor } from './settings-editor.tsx'
import { contentOf } from './template-form.ts'
import { type Editor, useEditor } from './use-editor.ts'

/** One stored template: its texts with a live preview. */
export function TemplatePage({ id }: { id: string }) {
  const { data, error, refetch } = useTemplate(id)
  const back = <BackLink to="/templates">Templates</BackLink>
  if (data) return <LoadedTemplate template={data} back={back} />
  return (
    <>
      {back}
      <PageHeader title="Template" />
      <Panel className="p-4">
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton lines={10} />}
      </Panel>
    </>
  )
}

function LoadedTemplate({ template, back }: { template: StoredTemplate; back: ReactNode }) {
  const { template_id, name, version, templates } = template
  const editor = useEditor(template)
  const { form, content, set } = editor
  const tab = useTab(templates)
  const previewer = { ...previewerOf(template_id), ...useMessageDefaults(template.application_id) }
  const coverage = useCoverage(template)
  const onConfirm = useConfirmTranslation(template)
  const setForms = (forms: typeof form.templates) => set({ ...form, templates: forms })
  useChord('s', () => editor.isChanged && void saveAndTell(editor))
  return (
    <>
      {back}
      <PageHeader title={name} lead={<CopyableId id={template_id} what="template id" />}>
        <Actions template={template} editor={editor} />
      </PageHeader>
      <p className="flex flex-wrap items-center gap-1.5 pb-3" aria-live="polite">
        <span className="text-soft">Version {version}</span>
        {editor.isChanged ? <Badge tone="warn">Not saved</Badge> : null}
      </p>
      {editor.refusal === undefined ? null : <Problems error={editor.refusal} />}
      <TemplateTabs
        label="Parts of the template"
        forms={form.templates}
        errors={editor.errors}
        current={tab}
        others={[[settingsTab, 'Settings']]}
      />
      <FieldErrors errors={editor.errors}>
        {tab === settingsTab || tab === 'versions' ? (
          <SettingsEditor form={form} onChange={set} />
        ) : (
          <LanguageEditor
            key={tab}
            channel={tab}
            editor={editor}
            coverage={coverage}
            previewer={previewer}
            onConfirm={onConfirm}
          >
            <ChannelEditor
              channel={tab}
              forms={form.templates}
              templates={content.templates}
              previewer={previewer}
              onChange={setForms}
              onAdd={setForms}
              onRemove={setForms}
              whenMissing="The template cannot be sent by this channel."
            />
          </LanguageEditor>
        )}
      </FieldErrors>
      {editor.hasConflict ? <EditConflict editor={editor} /> : null}
    </>
  )
}

function EditConflict({ editor }: { editor: Editor }) {
  const names = useApplicationNames()
  const described = ({ name, application_id, ...texts }: TemplateContent) => ({
    name,
    application: application_id === null ? 'All' : (names.get(application_id) ?? application_id),
    ...texts,
  })
  const theirs = contentOf(editor.stored.form).content
  const differences = compare(described(theirs), described(editor.content))
  return <ConflictDialog edits={editor} differences={differences} onOverwritten={tellSaved} />
}

const tellSaved = () => showToast({ tone: 'good', text: 'The template is saved; notifications use it at once.' })

async function saveAndTell(editor: Editor): Promise<void> {
  if (await editor.save()) tellSaved()
}

function Actions({ template, editor }: { template: StoredTemplate; editor: Editor }) {
  const [open, setOpen] = useState<'delete' | 'discard'>()
  const navigate = useNavigate()
  const close = () => setOpen(undefined)
  return (
    <>
      {editor.isChanged ? (
        <Button kind="quiet" onClick={() => setOpen('discard')}>
          Discard the edits
        </Button>
      ) : null}
      <Button kind="quiet" onClick={() => setOpen('delete')}>
        Delete
      </Button>
      <Button
        kind="primary"
        busy={editor.isSaving}
        disabled={!editor.isChanged}
        aria-keyshortcuts="Control+S"
        title={editor.isChanged ? 'Ctrl S' : 'There is nothing to save'}
        onClick={() => void saveAndTell(editor)}
      >
        Save
      </Button>
      {open === 'discard' ? <DiscardEdits onDiscard={editor.discard} onClose={close} /> : null}
      {open === 'delete' ? (
        <DeleteTemplate
          template={template}
          onDeleted={() => {
            editor.discard()
            void navigate('/templates')
          }}
          onClose={close}
        />
      ) : null}
    </>
  )
}
