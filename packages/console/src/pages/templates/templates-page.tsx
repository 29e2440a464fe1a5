import { useParams } from 'react-router'
import { TemplateList } from './template-list.tsx'
import { TemplatePage } from './template-page.tsx'

/** The stored templates, which notifications use by `template_id`. */
export function TemplatesPage() {
  const { id } = useParams()
  return id ? <TemplatePage key={id} id={id} /> : <TemplateList />
}
