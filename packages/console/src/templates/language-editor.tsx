import type { ReactNode } from 'react'
import type { Channel, Templates } from '../channels/channel.ts'
import { isChannel, type TemplateForms } from '../channels/table.ts'
import type { FormError } from '../edits/use-edits.ts'
import { useAddress } from '../ui/address.ts'
import { FieldErrors } from '../ui/form.tsx'
import { LanguageBar } from './language-bar.tsx'
import { TranslationEditor } from './translation-editor.tsx'
import { type Coverage, errorsIn, type Languages, type TranslationForms, type Translations } from './translations.ts'
import type { Previewer } from './use-preview.ts'

interface TranslatedForm {
  templates: TemplateForms
  /** Absent in a draft that the tab has kept from before. */
  translations?: TranslationForms
}

interface LanguageEditorProps<Form extends TranslatedForm> {
  channel: Channel
  editor: {
    form: Form
    stored: { form: Form }
    content: { templates: Templates; translations?: Translations }
    errors: readonly FormError[]
    set: (form: Form) => void
  }
  coverage: Coverage
  previewer: Previewer
  /** Marks a stored translation as made from the present original. */
  onConfirm: (locale: string) => Promise<void>
  /** What sends the templates of a language to the operator. */
  testOf?: (locale: string, templates: Templates) => ReactNode
  /** The editor of the original. */
  children: ReactNode
}

/** The template of a channel in each language: the original, or a translation beside it. */
export function LanguageEditor<Form extends TranslatedForm>(props: LanguageEditorProps<Form>) {
  const { channel, editor, coverage, previewer, onConfirm, testOf, children } = props
  const { form, stored, content, errors, set } = editor
  const { search, change } = useAddress()
  const kept = stored.form.translations ?? {}
  const forms = form.translations ?? kept
  const languages: Languages = {
    ...{ base: form.templates, storedBase: stored.form.templates },
    ...{ forms, stored: kept, coverage },
  }
  const named = search.get('locale')
  const locale = named !== null && Object.hasOwn(forms, named) ? named : undefined
  const setForms = (translations: TranslationForms) => set({ ...form, translations: sorted(translations) })
  const remove = () => {
    if (locale === undefined) return
    const { [locale]: _, ...others } = forms
    setForms(others)
    change({ locale: null }, { replace: true })
  }
  return (
    <>
      <LanguageBar
        languages={languages}
        errors={errors}
        current={locale}
        onAdd={(added) => setForms({ ...forms, [added]: {} })}
      />
      {locale === undefined ? (
        children
      ) : (
        <FieldErrors errors={errorsIn(errors, locale)}>
          <TranslationEditor
            key={`${locale} ${channel}`}
            {...{ channel, locale, languages, previewer, onConfirm }}
            original={content.templates}
            templates={content.translations?.[locale] ?? {}}
            faults={errorsIn(errors, locale).filter(({ path }) => isChannel(path.replace('templates.', '')))}
            onChange={(changed) => setForms({ ...forms, [locale]: changed })}
            onRemoveLanguage={remove}
          />
        </FieldErrors>
      )}
      {locale === undefined ? null : testOf?.(locale, content.translations?.[locale] ?? {})}
    </>
  )
}

/** In the order of stored translations, so that adding again what was removed is no edit. */
const sorted = (forms: TranslationForms): TranslationForms =>
  Object.fromEntries(Object.entries(forms).sort(([a], [b]) => (a < b ? -1 : 1)))
