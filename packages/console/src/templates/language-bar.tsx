import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { FormError } from '../edits/use-edits.ts'
import { useAddress } from '../ui/address.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { Form } from '../ui/form.tsx'
import { languageName } from '../ui/language-name.ts'
import { errorsIn, type Languages, localeOf, statesOf } from './translations.ts'

interface LanguageBarProps {
  languages: Languages
  errors: readonly FormError[]
  /** Undefined: the original. */
  current: string | undefined
  onAdd: (locale: string) => void
}

/** The languages of an event or stored template, each with its coverage. */
export function LanguageBar({ languages, errors, current, onAdd }: LanguageBarProps) {
  const [isAdding, setAdding] = useState(false)
  const { change } = useAddress()
  const locales = Object.keys(languages.forms).sort()
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <nav aria-label="Languages" className="flex min-w-0 flex-wrap items-center gap-2">
        <LanguageLink locale={undefined} isCurrent={current === undefined}>
          Original
        </LanguageLink>
        {locales.map((locale) => (
          <LanguageLink key={locale} locale={locale} isCurrent={locale === current}>
            {languageName(locale)} <Progress languages={languages} locale={locale} />
            {errorsIn(errors, locale).length > 0 ? <span className="text-bad">(to correct)</span> : null}
          </LanguageLink>
        ))}
      </nav>
      <Button kind="quiet" onClick={() => setAdding(true)}>
        <Plus size={14} aria-hidden />
        Add a language
      </Button>
      {isAdding ? (
        <AddLanguage
          present={locales}
          onAdd={(locale) => {
            onAdd(locale)
            change({ locale }, { replace: true })
          }}
          onClose={() => setAdding(false)}
        />
      ) : null}
    </div>
  )
}

/** A link to one of the languages of what is edited. */
export function LanguageLink({
  locale,
  isCurrent,
  children,
}: {
  locale: string | undefined
  isCurrent: boolean
  children: React.ReactNode
}) {
  const [search] = useSearchParams()
  const params = new URLSearchParams(search)
  if (locale === undefined) params.delete('locale')
  else params.set('locale', locale)
  return (
    <Link
      to={{ search: params.toString() }}
      replace
      aria-current={isCurrent ? 'page' : undefined}
      className={`flex min-h-[30px] flex-wrap items-center gap-1.5 rounded-md border px-2.5 [overflow-wrap:anywhere] ${isCurrent ? 'border-accent font-medium text-text' : 'border-line text-soft hover:text-text'}`}
    >
      {children}
    </Link>
  )
}

function Progress({ languages, locale }: { languages: Languages; locale: string }) {
  const states = statesOf(languages, locale)
  const done = states.filter(([, state]) => state !== 'missing').length
  return (
    <>
      <span className="text-xs text-faint">
        {done} of {states.length}
      </span>
      {states.some(([, state]) => state === 'outdated') ? <Badge tone="warn">Outdated</Badge> : null}
    </>
  )
}

interface AddLanguageProps {
  present: readonly string[]
  onAdd: (locale: string) => void
  onClose: () => void
}

/** Asks for the tag of a language. */
export function AddLanguage({ present, onAdd, onClose }: AddLanguageProps) {
  const [text, setText] = useState('')
  const add = async () => {
    const locale = localeOf(text)
    if (locale === undefined) throw new Error('Write a language tag such as de, pt-BR or zh-Hant.')
    if (present.includes(locale)) throw new Error(`${languageName(locale)} is there already.`)
    onAdd(locale)
    onClose()
  }
  const locale = localeOf(text)
  return (
    <Dialog title="Add a language" onClose={onClose}>
      <Form action="Add the language" onSubmit={add} onCancel={onClose}>
        <TextField
          label="Language tag"
          name="locale"
          spellCheck={false}
          hint={locale === undefined ? 'BCP 47, such as de, pt-BR or zh-Hant.' : languageName(locale)}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </Form>
    </Dialog>
  )
}
