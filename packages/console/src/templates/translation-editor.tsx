import { Check, Trash2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { Channel, Templates } from '../channels/channel.ts'
import { channelNames, channelPages, type TemplateForms } from '../channels/table.ts'
import type { FormError } from '../edits/use-edits.ts'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { languageName } from '../ui/language-name.ts'
import { Panel } from '../ui/panel.tsx'
import { TextBlock } from '../ui/plain-text.tsx'
import { EmptyState, Skeleton } from '../ui/states.tsx'
import { showToast } from '../ui/toasts.tsx'
import { partsOf } from './compare.ts'
import { isMarked, type Languages, statesOf, type TranslationState } from './translations.ts'
import type { Previewer } from './use-preview.ts'

// Loaded on demand, as in the editor of the original.
const PreviewPane = lazy(async () => ({ default: (await import('./preview-pane.tsx')).PreviewPane }))

interface TranslationEditorProps {
  channel: Channel
  locale: string
  languages: Languages
  /** The templates that are translated. */
  original: Templates
  /** The templates of the language. */
  templates: Templates
  previewer: Previewer
  /** Errors about the template of the channel as a whole. */
  faults: readonly FormError[]
  onChange: (forms: TemplateForms) => void
  /** Marks the stored translation as made from the present original. */
  onConfirm: (locale: string) => Promise<void>
  onRemoveLanguage: () => void
}

/** The translation of one channel beside the original, with its preview. */
export function TranslationEditor(props: TranslationEditorProps) {
  const { channel, locale, languages, original, templates, previewer, faults, onChange, onConfirm, onRemoveLanguage } =
    props
  const { Fields, translatedForm = (form) => form } = channelPages[channel]
  const forms = languages.forms[locale] ?? {}
  const { [channel]: form, ...others } = forms
  const translate = () => onChange({ ...forms, [channel]: translatedForm(languages.base[channel], locale) })
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-1.5">
        <States languages={languages} locale={locale} />
        {isMarked(languages, locale) ? <ConfirmButton onConfirm={() => onConfirm(locale)} /> : null}
        <Button kind="quiet" className="ml-auto" onClick={onRemoveLanguage}>
          <Trash2 size={14} aria-hidden />
          Remove the language
        </Button>
      </div>
      {form === undefined ? (
        <NotTranslated
          channel={channel}
          locale={locale}
          onTranslate={languages.base[channel] === undefined ? undefined : translate}
        />
      ) : (
        <div className="grid items-start gap-6 lg:grid-cols-2">
          <Original channel={channel} templates={original} />
          <Panel className="flex flex-col gap-4 p-4">
            <h2 className="font-semibold">{languageName(locale)}</h2>
            {faults.map(({ path, message }) => (
              <p key={`${path} ${message}`} className="text-bad [overflow-wrap:anywhere]">
                The translation {message}.
              </p>
            ))}
            <Fields value={form} onChange={(changed) => onChange({ ...forms, [channel]: changed })} />
            <div className="flex justify-end border-t border-line pt-3">
              <Button kind="quiet" onClick={() => onChange(others)}>
                <Trash2 size={14} aria-hidden />
                Remove the translation
              </Button>
            </div>
          </Panel>
          <div className="min-w-0 lg:col-span-2">
            <Suspense fallback={<Skeleton lines={6} />}>
              <PreviewPane previewer={previewer} channel={channel} templates={templates} locale={locale} />
            </Suspense>
          </div>
        </div>
      )}
    </>
  )
}

const states: Record<TranslationState, { name: string; tone: Tone }> = {
  translated: { name: 'translated', tone: 'good' },
  outdated: { name: 'outdated', tone: 'warn' },
  missing: { name: 'missing', tone: 'quiet' },
}

/** Which channels have the language. */
function States({ languages, locale }: { languages: Languages; locale: string }) {
  return (
    <ul aria-label="Coverage" className="flex flex-wrap gap-1.5">
      {statesOf(languages, locale).map(([channel, state]) => (
        <li key={channel}>
          <Badge tone={states[state].tone}>
            {channelNames[channel]}: {states[state].name}
          </Badge>
        </li>
      ))}
    </ul>
  )
}

/** For a translation that still says what the changed original says. */
function ConfirmButton({ onConfirm }: { onConfirm: () => Promise<void> }) {
  const [isBusy, setBusy] = useState(false)
  const confirm = async () => {
    setBusy(true)
    try {
      await onConfirm()
      showToast({ tone: 'good', text: 'The translation is marked as up to date.' })
    } catch (error) {
      showToast({ tone: 'bad', text: error instanceof Error ? error.message : 'The request failed.' })
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button kind="quiet" busy={isBusy} title="The stored text fits the present original" onClick={() => void confirm()}>
      <Check size={14} aria-hidden />
      Mark as up to date
    </Button>
  )
}

/** The text that is translated, to read. */
function Original({ channel, templates }: { channel: Channel; templates: Templates }) {
  const template = templates[channel]
  return (
    <Panel className="flex flex-col gap-3 p-4">
      <h2 className="font-semibold">Original</h2>
      {template ? (
        partsOf(channel, template).map(([label, text]) => (
          <div key={label} className="flex flex-col gap-1">
            <h3 className="text-faint">{label}</h3>
            <TextBlock label={`Original: ${label}`}>{text}</TextBlock>
          </div>
        ))
      ) : (
        <p className="text-soft">The template was removed. Remove the translation too, or write the template again.</p>
      )}
    </Panel>
  )
}

interface NotTranslatedProps {
  channel: Channel
  locale: string
  /** Absent when there is nothing to translate. */
  onTranslate: (() => void) | undefined
}

function NotTranslated({ channel, locale, onTranslate }: NotTranslatedProps) {
  const name = channelNames[channel]
  if (!onTranslate) {
    return (
      <Panel>
        <EmptyState title={`No ${name} template`}>Write the original first; then it can be translated.</EmptyState>
      </Panel>
    )
  }
  return (
    <Panel>
      <EmptyState
        title={`No ${name} translation into ${languageName(locale)}`}
        action={
          <Button kind="primary" onClick={onTranslate}>
            Translate the template
          </Button>
        }
      >
        Messages by this channel are sent in another language. A translation starts as a copy of the original.
      </EmptyState>
    </Panel>
  )
}
