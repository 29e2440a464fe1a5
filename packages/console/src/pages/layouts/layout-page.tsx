import { Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useMessageDefaults } from '../../api/applications.ts'
import { useLayout } from '../../api/layouts.ts'
import { compareTexts } from '../../edits/compare-texts.ts'
import { ConflictDialog } from '../../edits/conflict-dialog.tsx'
import { useChord } from '../../shell/use-chord.ts'
import { AddLanguage, LanguageLink } from '../../templates/language-bar.tsx'
import { TabBar, TabLink, versionsTab } from '../../templates/template-tabs.tsx'
import { useAddress } from '../../ui/address.ts'
import { ApplicationField } from '../../ui/application-choice.tsx'
import { useApplicationNames } from '../../ui/application-name.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyableId } from '../../ui/copy-button.tsx'
import { ErrorState, Problems } from '../../ui/error-state.tsx'
import { TextField } from '../../ui/field.tsx'
import { FieldErrors } from '../../ui/form.tsx'
import { languageName } from '../../ui/language-name.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Skeleton } from '../../ui/states.tsx'
import { LayoutActions, saveAndShow, showSaved } from './layout-actions.tsx'
import { namedTexts } from './named-texts.ts'
import { previewerOf, type StoredLayout } from './queries.ts'
import { TextsEditor } from './texts-editor.tsx'
import { type Editor, type LayoutForm, type TextsForm, useEditor } from './use-editor.ts'
import { Versions } from './versions.tsx'

/** One layout: its texts in each language, with a preview. */
export function LayoutPage({ id }: { id: string }) {
  const { data, error, refetch } = useLayout(id)
  const back = <BackLink to="/layouts">Layouts</BackLink>
  if (data) return <LoadedLayout layout={data} back={back} />
  return (
    <>
      {back}
      <PageHeader title="Layout" />
      <Panel className="p-4">
        {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton lines={10} />}
      </Panel>
    </>
  )
}

function LoadedLayout({ layout, back }: { layout: StoredLayout; back: ReactNode }) {
  const { layout_id, name, version } = layout
  const editor = useEditor(layout)
  const showsVersions = useAddress().search.get('tab') === versionsTab
  useChord('s', () => editor.isChanged && void saveAndShow(editor))
  return (
    <>
      {back}
      <PageHeader title={name} lead={<CopyableId id={layout_id} what="layout id" />}>
        <LayoutActions layout={layout} editor={editor} />
      </PageHeader>
      <p className="flex flex-wrap items-center gap-1.5 pb-3" aria-live="polite">
        <span className="text-soft">Version {version}</span>
        {editor.isChanged ? <Badge tone="warn">Not saved</Badge> : null}
      </p>
      {editor.refusal === undefined ? null : <Problems error={editor.refusal} />}
      <TabBar label="Parts of the layout">
        <TabLink tab="texts" name="Texts" isCurrent={!showsVersions} hasErrors={editor.errors.length > 0} />
        <TabLink tab={versionsTab} name="Versions" isCurrent={showsVersions} />
      </TabBar>
      {showsVersions ? <Versions layout={layout} /> : <Texts layout={layout} editor={editor} />}
      {editor.hasConflict ? <EditConflict editor={editor} /> : null}
    </>
  )
}

/** The texts in one language, which the address names. */
function Texts({ layout, editor }: { layout: StoredLayout; editor: Editor }) {
  const { form, set } = editor
  const { search, change } = useAddress()
  const named = search.get('locale')
  const locale = named !== null && Object.hasOwn(form.translations, named) ? named : undefined
  const previewer = { ...previewerOf(layout.layout_id), ...useMessageDefaults(layout.application_id) }
  const setTranslations = (translations: LayoutForm['translations']) =>
    set({
      ...form,
      translations: Object.fromEntries(Object.entries(translations).sort(([a], [b]) => (a < b ? -1 : 1))),
    })
  const remove = () => {
    const { [locale!]: _, ...others } = form.translations
    setTranslations(others)
    change({ locale: null }, { replace: true })
  }
  return (
    <FieldErrors errors={editor.errors}>
      <Settings form={form} onChange={set} />
      <Languages
        forms={form.translations}
        current={locale}
        onAdd={(added) => {
          const { html_body, body } = form
          setTranslations({ ...form.translations, [added]: { html_body, body } })
          change({ locale: added }, { replace: true })
        }}
      />
      {locale === undefined ? (
        <TextsEditor
          key="original"
          value={form}
          path=""
          previewer={previewer}
          onChange={(texts) => set({ ...form, ...texts })}
        />
      ) : (
        <TextsEditor
          key={locale}
          value={form.translations[locale]!}
          path={`translations.${locale}.`}
          locale={locale}
          previewer={previewer}
          onChange={(texts) => setTranslations({ ...form.translations, [locale]: texts })}
        >
          <div className="flex justify-end border-t border-line pt-3">
            <Button kind="quiet" onClick={remove}>
              <Trash2 size={14} aria-hidden />
              Remove the language
            </Button>
          </div>
        </TextsEditor>
      )}
    </FieldErrors>
  )
}

function Settings({ form, onChange }: { form: LayoutForm; onChange: (form: LayoutForm) => void }) {
  return (
    <div className="mb-4 grid max-w-3xl gap-4 sm:grid-cols-2">
      <TextField
        label="Name"
        name="name"
        value={form.name}
        dir="auto"
        onChange={(event) => onChange({ ...form, name: event.target.value })}
      />
      <ApplicationField
        none="All applications"
        hint="Which application may use it."
        value={form.application_id}
        onChange={(application_id) => onChange({ ...form, application_id })}
      />
    </div>
  )
}

interface LanguagesProps {
  forms: Record<string, TextsForm>
  /** Undefined: the original. */
  current: string | undefined
  onAdd: (locale: string) => void
}

/** The languages of a layout. An email gets the one of its text. */
function Languages({ forms, current, onAdd }: LanguagesProps) {
  const [isAdding, setAdding] = useState(false)
  const locales = Object.keys(forms)
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <nav aria-label="Languages" className="flex min-w-0 flex-wrap items-center gap-2">
        <LanguageLink locale={undefined} isCurrent={current === undefined}>
          Original
        </LanguageLink>
        {locales.map((locale) => (
          <LanguageLink key={locale} locale={locale} isCurrent={locale === current}>
            {languageName(locale)}
          </LanguageLink>
        ))}
      </nav>
      <Button kind="quiet" onClick={() => setAdding(true)}>
        <Plus size={14} aria-hidden />
        Add a language
      </Button>
      {isAdding ? <AddLanguage present={locales} onAdd={onAdd} onClose={() => setAdding(false)} /> : null}
    </div>
  )
}

function EditConflict({ editor }: { editor: Editor }) {
  const names = useApplicationNames()
  const differences = compareTexts(namedTexts(editor.stored.form, names), namedTexts(editor.form, names))
  return <ConflictDialog edits={editor} differences={differences} onOverwritten={showSaved} />
}
