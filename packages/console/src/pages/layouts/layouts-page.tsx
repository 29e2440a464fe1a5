import { useParams } from 'react-router'
import { LayoutList } from './layout-list.tsx'
import { LayoutPage } from './layout-page.tsx'

/** The layouts of emails, which templates and requests name by `layout_id`. */
export function LayoutsPage() {
  const { id } = useParams()
  return id ? <LayoutPage key={id} id={id} /> : <LayoutList />
}
