import { useParams } from 'react-router'
import { TemplateList } from './template-list.tsx'
import { TemplatePage } from './template-page.tsx'

/** Stored templates, which a notification names by their id. */
export function TemplatesPage() {
  const { id } = useParams()
  return id ? <TemplatePage key={id} id={id} /> : <TemplateList />
}
