import type { Named } from '../../edits/compare-texts.ts'
import { languageName } from '../../ui/language-name.ts'
import type { LayoutForm } from './use-editor.ts'

/** The texts of a form by their labels. */
export function namedTexts(form: LayoutForm, applicationNames: ReadonlyMap<string, string>): Named[] {
  const { name, application_id: id, html_body, body, translations } = form
  const application = id === '' ? 'All applications' : (applicationNames.get(id) ?? id)
  const translated = Object.entries(translations).flatMap(([locale, one]): Named[] => [
    [`${languageName(locale)}: HTML`, one.html_body],
    [`${languageName(locale)}: text`, one.body],
  ])
  return [['Name', name], ['Application', application], ['HTML', html_body], ['Text', body], ...translated]
}
